import { listRuns } from '../../pipelines/inspect/status.ts';
import { listRejects } from '../../pipelines/report/rejects.ts';
import { EtlError } from '../../schema/errors.ts';
import { renderRejects, renderRuns } from '../render_journal.ts';
import { wholeFlag } from '../whole_flag.ts';
import { type Flags, inspect } from './inspect.ts';

export async function runsCommand(flags: Flags & { limit: string }): Promise<void> {
  const limit = wholeFlag('--limit', flags.limit, 1);
  await inspect(flags, (client) => listRuns(client, limit), renderRuns);
}

export async function rejectsCommand(
  action: string,
  flags: Flags & { dataset?: string; code?: string; limit: string },
): Promise<void> {
  if (action !== 'list')
    throw new EtlError('config_invalid', `rejects ${action}: there is only rejects list.`);
  const filter = {
    dataset: flags.dataset ?? null,
    code: flags.code ?? null,
    limit: wholeFlag('--limit', flags.limit, 1),
  };
  await inspect(flags, (client) => listRejects(client, filter), renderRejects);
}

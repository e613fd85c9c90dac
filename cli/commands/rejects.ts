import { closest } from 'fastest-levenshtein';
import { graph } from '../../pipelines/graph.ts';
import { listRejects } from '../../pipelines/report/rejects.ts';
import type { Config } from '../../schema/config.ts';
import { PUBLIC_CODES } from '../../schema/error_codes.ts';
import { EtlError } from '../../schema/errors.ts';
import { renderRejects } from '../render_journal.ts';
import { wholeFlag } from '../whole_flag.ts';
import { type InspectFlags, inspect } from './inspect.ts';

/** Checks that a dataset, stage or code exists. @throws EtlError config_invalid if not */
function checkNamed(
  { dataset, code }: { dataset: string | null; code: string | null },
  config: Config,
): void {
  const filters = {
    dataset: [...Object.keys(config.datasets), ...graph(config).map(({ name }) => name)],
    code: PUBLIC_CODES.filter(({ kind }) => kind === 'reject').map((each) => each.code),
  };
  for (const [flag, name] of Object.entries({ dataset, code }) as ['dataset' | 'code', string | null][]) {
    if (name === null || filters[flag].includes(name)) continue;
    throw new EtlError(
      'config_invalid',
      `--${flag} ${name}: no ${flag === 'dataset' ? 'dataset or stage' : 'code'} has that name. Did you mean ${closest(name, filters[flag])}?`,
    );
  }
}

export async function rejectsCommand(
  action: string,
  flags: InspectFlags & { dataset?: string; code?: string; limit: string },
): Promise<void> {
  if (action !== 'list')
    throw new EtlError('config_invalid', `rejects ${action}: the only action is rejects list.`);
  const filter = {
    dataset: flags.dataset ?? null,
    code: flags.code ?? null,
    limit: wholeFlag('--limit', flags.limit, 1),
  };
  await inspect(
    flags,
    async (client, { config }) => {
      const rejects = await listRejects(client, filter);
      if (rejects.length === 0) checkNamed(filter, config);
      return rejects;
    },
    renderRejects,
  );
}

import { once } from 'node:events';
import { diff, feed } from '../../pipelines/journal_view.ts';
import { rollback } from '../../pipelines/rollback.ts';
import { EtlError } from '../../schema/errors.ts';
import { listPublications } from '../../store/journal.ts';
import { withDatabase } from '../database.ts';
import { loadConfig } from '../load_config.ts';
import { renderReport } from '../render.ts';
import { renderDiff, renderFeedEntry, renderPublications } from '../render_journal.ts';
import { wholeFlag } from '../whole_flag.ts';
import { type Flags, inspect, withClient } from './inspect.ts';

export async function publicationsCommand(flags: Flags & { limit: string }): Promise<void> {
  const limit = wholeFlag('limit', flags.limit, 1);
  await inspect(flags, (client) => listPublications(client, limit), renderPublications);
}

export async function diffCommand(
  flags: Flags & { publication?: string; table?: string; limit: string },
): Promise<void> {
  const id = flags.publication === undefined ? null : wholeFlag('publication', flags.publication, 1);
  const limit = wholeFlag('limit', flags.limit, 0);
  await inspect(flags, (client) => diff(client, id, flags.table ?? null, limit), renderDiff);
}

/** Prints the change feed, one entry a line, as fast as it is taken. */
export async function feedCommand(flags: Flags & { after: string }): Promise<void> {
  const after = wholeFlag('after', flags.after, 0);
  const { config } = await loadConfig(flags);
  await withClient(config, async (client) => {
    for await (const entry of feed(client, after)) {
      const line = flags.json ? JSON.stringify(entry) : renderFeedEntry(entry);
      if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
    }
  });
}

export async function rollbackCommand(flags: Flags & { to?: string; reason?: string }): Promise<void> {
  const { reason } = flags;
  if (!reason?.trim()) {
    throw new EtlError('config_invalid', 'rollback needs --reason: it is recorded with the publication.');
  }
  const to = flags.to === undefined ? null : wholeFlag('to', flags.to, 1);
  const { config } = await loadConfig(flags);
  const report = await withDatabase(config, (url) => rollback({ url, config, to, reason }));
  process.stdout.write(`${flags.json ? JSON.stringify(report) : renderReport(report)}\n`);
}

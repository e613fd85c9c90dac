import { rollback } from '../../pipelines/run/rollback.ts';
import { diffCandidate } from '../../pipelines/views/candidate_diff.ts';
import { changeStream, type DiffEnds, diff } from '../../pipelines/views/journal_view.ts';
import { EtlError } from '../../schema/errors.ts';
import { servedTables } from '../../store/read/served_tables.ts';
import { withDatabase } from '../database.ts';
import { loadConfig } from '../load_config.ts';
import { isOutputRead, printLine } from '../print.ts';
import { renderReport } from '../render.ts';
import { renderDiff, renderStreamEntry } from '../render_journal.ts';
import { wholeFlag } from '../whole_flag.ts';
import { type InspectFlags, inspect, withConfiguredClient } from './inspect.ts';

/** The publications that `diff` compares: two numbers, `--from` and `--to`, or `--publication` with the one before it. */
function diffEnds(
  numbers: readonly (string | undefined)[],
  flags: { from?: string; to?: string; publication?: string },
): DiffEnds {
  const numberOf = (flag: string, argument: string | undefined, text: string | undefined): number | null => {
    if (argument !== undefined && text !== undefined)
      throw new EtlError('config_invalid', `--${flag} ${text}: ${argument} is given already.`);
    if (argument !== undefined) return wholeFlag(`[${flag}]`, argument, 1);
    return text === undefined ? null : wholeFlag(`--${flag}`, text, 1);
  };
  const from = numberOf('from', numbers[0], flags.from);
  const to = numberOf('to', numbers[1], flags.to);
  const publication = numberOf('publication', undefined, flags.publication);
  if (publication !== null && (from !== null || to !== null))
    throw new EtlError('config_invalid', '--publication compares with the previous one; remove from and to.');
  return { from, to: publication ?? to };
}

type DiffFlags = InspectFlags & {
  from?: string;
  to?: string;
  publication?: string;
  candidate?: boolean;
  table?: string;
  limit: string;
  after?: string;
};

/** Prints the differences between two publications; with `--after` every change since one, in order. */
export async function diffCommand(
  from: string | undefined,
  to: string | undefined,
  flags: DiffFlags,
): Promise<void> {
  const ends = diffEnds([from, to], flags);
  if (flags.after !== undefined && !flags.candidate) return follow(ends, flags.after, flags);
  const limit = wholeFlag('--limit', flags.limit, 0);
  const table = flags.table ?? null;
  if (flags.candidate && (ends.from !== null || ends.to !== null))
    throw new EtlError(
      'config_invalid',
      '--candidate compares with what is served: remove the publications.',
    );
  await inspect(
    flags,
    async (client, { config }) => {
      const tables = await servedTables(client, config);
      return flags.candidate
        ? diffCandidate(client, table, limit, tables)
        : diff(client, ends, table, limit, tables);
    },
    (found) => renderDiff(found, flags.verbose ?? false),
  );
}

/** Prints the change stream, one entry a line, at the speed of the reader. */
async function follow(ends: DiffEnds, text: string, flags: DiffFlags): Promise<void> {
  const after = wholeFlag('--after', text, 0);
  if (ends.from !== null || ends.to !== null || flags.table !== undefined)
    throw new EtlError(
      'config_invalid',
      '--after lists every change since that publication: remove the other publications and --table.',
    );
  const { config } = await loadConfig(flags);
  await withConfiguredClient(config, async (client) => {
    for await (const entry of changeStream(client, after, await servedTables(client, config))) {
      const line = flags.json ? JSON.stringify(entry) : renderStreamEntry(entry);
      await printLine(line);
      if (!isOutputRead()) return;
    }
  });
}

export async function rollbackCommand(flags: InspectFlags & { to?: string; reason?: string }): Promise<void> {
  const { reason } = flags;
  if (!reason?.trim()) {
    throw new EtlError('config_invalid', 'rollback needs --reason; the publication records it.');
  }
  const to = flags.to === undefined ? null : wholeFlag('--to', flags.to, 1);
  const { config } = await loadConfig(flags);
  const report = await withDatabase(
    config,
    (url) => rollback({ url, config, to, reason }),
    config.queue.lease_s,
  );
  printLine(flags.json ? JSON.stringify(report) : renderReport(report));
}

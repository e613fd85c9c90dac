import type pg from 'pg';
import type { Table } from '../../schema/table.ts';
import type { TableFacts } from '../../store/journal/counted_facts.ts';
import type { Delta } from '../../store/journal/differences.ts';
import {
  applyDelta,
  findDelta,
  findDuplicateKeys,
  publishedRows,
  type ReplacedCells,
  type WriteTarget,
} from '../../store/journal/publication.ts';
import {
  columnShape,
  factsAfter,
  movedColumns,
  quartiles,
  quartilesAfter,
  valueChanges,
} from '../../store/journal/table_facts.ts';
import type { AuditCheck, TableReport } from '../report/report.ts';
import type { TableChange } from './gates.ts';
import type { OutputTable, PublicationContext } from './publication_context.ts';

/** A table that is written, with the input of its gates. */
export interface WrittenTable {
  report: TableReport;
  change: Omit<TableChange, 'first'>;
}

const UNIQUE_VIOLATION = '23505';

/**
 * Writes a table and checks that its keys are unique; no operator can accept repeated keys, because the table cannot be written. For first
 * rows the server's unique index finds repeats. For differences to existing rows it would miss some, so a query looks for them first.
 */
async function withKeyCheck<T>(
  client: pg.ClientBase,
  { table, replaced }: OutputTable,
  write: () => Promise<T>,
): Promise<{ keys: AuditCheck; written: T | null }> {
  if ((await publishedRows(client, table)) > 0) {
    const keys = await keyCheck(client, table, replaced);
    return { keys, written: keys.status === 'fail' ? null : await write() };
  }
  await client.query('SAVEPOINT keys');
  try {
    const written = await write();
    await client.query('RELEASE SAVEPOINT keys');
    return { keys: uniqueKeys(table, []), written };
  } catch (error) {
    if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
    await client.query('ROLLBACK TO SAVEPOINT keys');
    return { keys: await keyCheck(client, table, replaced), written: null };
  }
}

const keyCheck = async (client: pg.ClientBase, table: Table, replaced: ReplacedCells): Promise<AuditCheck> =>
  uniqueKeys(table, await findDuplicateKeys(client, table, replaced));

function uniqueKeys(table: Table, keys: readonly string[]): AuditCheck {
  const ok = keys.length === 0;
  const message = ok ? 'keys are unique.' : `keys are repeated, for example ${keys.slice(0, 3).join('; ')}.`;
  return { check: `keys:${table.name}`, table: table.name, status: ok ? 'pass' : 'fail', message };
}

/** Applies the changes of a table and counts what its report and its gates need. */
async function applyChanges(
  client: pg.ClientBase,
  { table, replaced }: OutputTable,
  delta: Delta,
  before: TableFacts | undefined,
  target: WriteTarget,
): Promise<WrittenTable> {
  const changes = await valueChanges(client, table, delta);
  const moved = movedColumns(changes, delta);
  const recordedQuartiles = before?.quartiles ?? {};
  const notRecorded = moved.filter((name) => recordedQuartiles[name] === undefined);
  const quartilesBefore = { ...recordedQuartiles, ...(await quartiles(client, table, notRecorded)) };
  await applyDelta(client, { table, replaced }, delta, target);
  const quartilesNow = await quartiles(client, table, moved);
  const facts = {
    ...(await factsAfter(client, table, delta, before)),
    quartiles: quartilesAfter(changes, before, quartilesNow),
  };
  const { rows_after: rows, inserted, updated, deleted, base } = delta;
  return {
    report: {
      table: table.name,
      rows,
      inserted,
      updated,
      deleted,
      base,
      digest: null,
      shape: columnShape(table),
      facts,
      states_before: before?.states ?? {},
    },
    change: {
      table,
      delta,
      facts,
      before,
      quartiles: Object.fromEntries(
        moved.map((name) => [name, { before: quartilesBefore[name]!, after: quartilesNow[name]! }]),
      ),
    },
  };
}

/** Writes the changes of one table. `written` is null if its keys are repeated, so that it cannot be written. */
export const writeTable = (
  { client }: PublicationContext,
  published: OutputTable,
  before: TableFacts | undefined,
  target: WriteTarget,
): Promise<{ keys: AuditCheck; written: WrittenTable | null }> =>
  withKeyCheck(client, published, async () => {
    const delta = await findDelta(client, published.table, published.replaced);
    return applyChanges(client, published, delta, before, target);
  });

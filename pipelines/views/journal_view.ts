import { closest } from 'fastest-levenshtein';
import type pg from 'pg';
import { EtlError } from '../../schema/errors.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import type { Table } from '../../schema/table.ts';
import {
  basesOf,
  type JournalChange,
  latestPublication,
  type Publication,
  readablePublication,
  readChanges,
  readPublication,
} from '../../store/journal/journal.ts';
import {
  countRange,
  type EqualUpdates,
  readEqualUpdates,
  readRange,
} from '../../store/journal/journal_range.ts';

export interface KeyedChange {
  publication: number;
  table: string;
  change: 'base' | 'insert' | 'update' | 'delete';
  /** Primary key by column; null: a base, whose rows are not listed. */
  key: Record<string, unknown> | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

const tableNamed = (tables: readonly Table[], name: string): Table | undefined =>
  tables.find((table) => table.name === name);

export function keyed(
  tables: readonly Table[],
  { publication_id, table_name, change, key, before, after }: Omit<JournalChange, 'seq'>,
): KeyedChange {
  const names = tableNamed(tables, table_name)?.primaryKey;
  const row = after ?? before ?? {};
  const columns = names ? Object.fromEntries(names.map((name) => [name, row[name]])) : { key };
  return { publication: publication_id, table: table_name, change, key: columns, before, after };
}

/** Returns the names of columns that differ between both sides of a change. */
export const differing = ({ before, after }: KeyedChange): string[] =>
  Object.keys({ ...before, ...after }).filter(
    (name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]),
  );

/** Maximum kinds of equal updates for each table. */
const EQUAL = 3;

/** Rows of a table in a state, in two publications. */
export interface StateRows {
  state: string;
  before: number;
  after: number;
}

/** Differences between two publications. */
export interface Diff {
  /** Publication compared with; 0: before the first publication. */
  from: number;
  /** Run that computed the held candidate; absent: a comparison of publications. */
  candidate_of_run?: number;
  publication: Pick<Publication, 'publication_id' | 'published_at' | 'kind' | 'restores' | 'reason'>;
  tables: {
    table: string;
    rows: number;
    inserted: number;
    updated: number;
    deleted: number;
    /** Whether the table got its first rows in between; its rows are counted but not listed. */
    base: boolean;
    /** States whose number of rows differs. Only of a candidate. */
    states?: StateRows[];
    /** Equal updates of several rows, the most frequent first. */
    equal: EqualUpdates[];
  }[];
  /** First changes of each table, up to the limit; `publication` is the last one that changed the row. */
  changes: KeyedChange[];
}

/** Publications to compare. `to` null: the latest; `from` null: the one before `to`. Either may be the earlier one. */
export interface DiffEnds {
  from: number | null;
  to: number | null;
}

const OPPOSITE = { insert: 'delete', delete: 'insert', update: 'update' } as const;
const turned = (change: JournalChange): JournalChange => ({
  ...change,
  change: OPPOSITE[change.change],
  before: change.after,
  after: change.before,
});

export function checkTable(all: readonly Table[], table: string | null): void {
  if (table === null || tableNamed(all, table)) return;
  const names = all.map((each) => each.name);
  throw new EtlError(
    'config_invalid',
    `--table ${table}: no table has that name. Did you mean ${closest(table, names)}?`,
  );
}

/** Reads both publications if the journal between them is kept; `from` is 0 before the first one. */
async function readEnds(
  client: pg.ClientBase,
  ends: DiffEnds,
): Promise<{ from: number; was: Publication | null; is: Publication }> {
  const latest = await latestPublication(client);
  if (latest === null) throw new EtlError('unknown_publication', 'Nothing is published.');
  const is = await readPublication(client, ends.to ?? latest.publication_id);
  const from = ends.from ?? is.publication_id - 1;
  if (from === 0) return { from, was: null, is };
  const earlier = await readPublication(client, from);
  // The journal must reach back to the earlier publication.
  await readablePublication(client, Math.min(from, is.publication_id));
  return { from, was: earlier, is };
}

/**
 * Compares two publications, with the first `limit` changed rows of each table, before and after.
 * @throws EtlError unknown_publication, journal_pruned if changes in between are deleted, config_invalid
 */
export async function diff(
  client: pg.ClientBase,
  ends: DiffEnds,
  table: string | null,
  limit: number,
  all: readonly Table[] = SERVING_TABLES,
): Promise<Diff> {
  checkTable(all, table);
  const { from, was, is } = await readEnds(client, ends);
  const back = from > is.publication_id;
  const range = { after: Math.min(from, is.publication_id), upTo: Math.max(from, is.publication_id) };
  const tables: Diff['tables'] = [];
  const changes: KeyedChange[] = [];
  for (const { table: name, rows } of is.tables) {
    const declared = tableNamed(all, name);
    if (!declared || (table !== null && name !== table)) continue;
    const bases = await basesOf(client, name, range.after + 1);
    if (bases.some((id) => id <= range.upTo)) {
      const before = was?.tables.find((each) => each.table === name)?.rows ?? 0;
      tables.push({ table: name, rows, inserted: rows, updated: 0, deleted: before, base: true, equal: [] });
      continue;
    }
    const { inserted, updated, deleted } = await countRange(client, declared, range);
    tables.push({
      table: name,
      rows,
      inserted: back ? deleted : inserted,
      updated,
      deleted: back ? inserted : deleted,
      base: false,
      equal: (updated > 1 ? await readEqualUpdates(client, declared, range, EQUAL) : []).map((each) =>
        back ? { ...each, before: each.after, after: each.before } : each,
      ),
    });
    if (limit === 0 || inserted + updated + deleted === 0) continue;
    const rangeChanges = await readRange(client, declared, range, limit);
    changes.push(...rangeChanges.map((change) => keyed(all, back ? turned(change) : change)));
  }
  const { publication_id, published_at, kind, restores, reason } = is;
  return { from, publication: { publication_id, published_at, kind, restores, reason }, tables, changes };
}

/** Entry of the change stream. `begin` and `end` enclose a publication; apply what is between them as one transaction. */
export type StreamEntry =
  | {
      event: 'begin';
      publication: number;
      published_at: string;
      kind: Publication['kind'];
      restores: number | null;
    }
  | ({ event: 'change' } & KeyedChange)
  | { event: 'end'; publication: number };

/**
 * Yields all changes after a publication: publications by number, tables in publishing order, rows by key. It reads one snapshot and holds
 * a page in memory at a time. If a publication brought a table's first rows, there is one entry `base`: read the table itself.
 * @throws EtlError journal_pruned if changes in between are deleted
 */
export async function* changeStream(
  client: pg.ClientBase,
  after: number,
  all: readonly Table[] = SERVING_TABLES,
): AsyncGenerator<StreamEntry> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    if (after > 0) await readablePublication(client, after);
    const latest = await latestPublication(client);
    for (let id = after + 1; id <= (latest?.publication_id ?? 0); id++) {
      const publication = await readPublication(client, id);
      if (after === 0 && id === 1 && latest!.publication_id > 1) await readablePublication(client, 1);
      const { published_at, kind, restores } = publication;
      yield { event: 'begin', publication: id, published_at, kind, restores };
      for (const { table, base, inserted, updated, deleted } of publication.tables) {
        if (base) {
          yield {
            event: 'change',
            publication: id,
            table,
            change: 'base',
            key: null,
            before: null,
            after: null,
          };
        } else if (inserted + updated + deleted > 0) {
          for await (const change of readChanges(client, id, table))
            yield { event: 'change', ...keyed(all, change) };
        }
      }
      yield { event: 'end', publication: id };
    }
  } finally {
    await client.query('ROLLBACK');
  }
}

import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { NO_CELL } from '../../schema/grid.ts';
import { type Publication, readPublication } from '../../store/journal/journal.ts';
import { servedTables } from '../../store/read/served_tables.ts';
import { causesOf } from '../explain/causes.ts';
import { graph } from '../graph.ts';
import { type ChangeSummary, summariseChanges } from './change_summary.ts';

/** What is looked at: a property with its cell, or a suburb by name and code. */
export type ChangedPlace =
  | { pid: string; cell: number; sal: string | null }
  | { suburb: string; code: string };

/** A row that a publication changed. */
interface PlaceRowChange {
  table: string;
  change: 'insert' | 'update' | 'delete';
  before: unknown;
  after: unknown;
}

/** Rows of a place that one publication changed, and why. */
export interface PublishedChange
  extends Pick<Publication, 'publication_id' | 'published_at' | 'kind' | 'restores' | 'reason'> {
  rows: PlaceRowChange[];
  /** Deliveries that led to the changes. Empty: a rollback, or only the program changed. Null: not looked for, because it is old. */
  releases: string[] | null;
  /** Estimates that changed, and sales that arrived. Null: not looked for, because it is old. */
  summary: ChangeSummary | null;
}

/** Maximum changed rows to read, and publications whose deliveries are looked for. */
export const ROWS = 400;
const EXPLAINED = 20;

/** Reads what publications changed for a property or suburb, newest first, from the journal. The first publication is not among them. */
export async function whatChanged(
  client: pg.ClientBase,
  config: Config,
  subject: ChangedPlace,
): Promise<PublishedChange[]> {
  const isProperty = 'pid' in subject;
  const starts = isProperty
    ? [subject.pid]
    : [subject.suburb, `SAL|${subject.suburb}`, `SAL|${subject.code}`];
  const tables = (await servedTables(client, config))
    .filter(({ primaryKey }) => (primaryKey[0] === 'gnaf_pid') === isProperty)
    .map(({ name }) => name);
  // Keys compare by bytes, so all keys that begin with `start|` sort from there to before `start}`.
  const { rows } = await client.query<PlaceRowChange & { publication_id: number }>(
    `SELECT publication_id, table_name AS table, change, before, after FROM control.change JOIN unnest($1::text[]) AS starts (start) ON
       key = start OR (key >= start || '|' AND key < start || '}')
     WHERE table_name = ANY ($2) ORDER BY publication_id DESC, table_name, seq LIMIT ${ROWS}`,
    [starts, tables],
  );
  const scope = isProperty
    ? { pid: subject.pid, suburb: subject.sal }
    : { pid: null, suburb: subject.suburb };
  const makers = new Map(graph(config).map((stage) => [stage.output.name, stage]));
  const estimates = await client.query<{ publication_id: number }>(
    `SELECT DISTINCT publication_id FROM control.change WHERE table_name = 'property_avm' AND key IN
       (SELECT gnaf_pid FROM serving.property WHERE sal = $1) ORDER BY 1 DESC LIMIT ${EXPLAINED}`,
    [isProperty ? null : subject.suburb],
  );
  const ids = [...new Set([...rows, ...estimates.rows].map(({ publication_id }) => publication_id))].sort(
    (a, b) => b - a,
  );
  const changes: PublishedChange[] = [];
  for (const [n, id] of ids.entries()) {
    const { published_at, kind, restores, reason } = await readPublication(client, id);
    const ownRows = rows.filter((row) => row.publication_id === id);
    const isExplained = n < EXPLAINED;
    const releases = new Set<string>();
    if (isExplained && kind !== 'rollback')
      for (const table of new Set(ownRows.map((row) => row.table))) {
        const stage = makers.get(table);
        if (stage === undefined) continue;
        const [pid, cell] = isProperty ? [subject.pid, subject.cell] : ['', NO_CELL];
        const causes = await causesOf(client, config, { publication: id, stage, pid, cell });
        for (const release of causes.releases) releases.add(release);
      }
    changes.push({
      publication_id: id,
      published_at,
      kind,
      restores,
      reason,
      rows: ownRows,
      releases: isExplained ? [...releases].sort() : null,
      summary: isExplained ? await summariseChanges(client, { after: id - 1, upTo: id }, scope) : null,
    });
  }
  return changes;
}

import pg from 'pg';
import { ident, qualified } from '../../schema/ddl.ts';
import { EtlError } from '../../schema/errors.ts';
import type { Table } from '../../schema/table.ts';
import { isOutdated } from '../declared_tables.ts';
import { jsonText } from '../json_text.ts';
import { computedRows, outdatedRows } from '../tables/table_rows.ts';
import { inSnapshot, inTransaction } from '../transaction.ts';
import { columnsOf, differencesOf, keyText } from './differences.ts';
import { ACTIVE_DATASETS, type Publication, type PublicationKind, type PublishedTable } from './journal.ts';
import { stagedRows } from './largest_differences.ts';

/** Schema whose views show what the held candidate would serve. It exists while a candidate is held. */
export const CANDIDATE_SCHEMA = 'candidate';

/** A computed and audited publication that is not published. */
export interface Candidate {
  /** Run that computed it. */
  run_id: number;
  /** Number that it would be published under. */
  publication_id: number;
  kind: Exclude<PublicationKind, 'rollback'>;
  /** Names of the tables to publish. Null: all. */
  selected: readonly string[] | null;
  /** Its tables with their changes. */
  tables: readonly PublishedTable[];
  /** What a refresh would load or compute beyond it, because the run left that out. */
  pending: readonly string[];
}

const KEY = 'candidate';

/** Builds the query of the changes of a table between the served publication and the candidate. */
function changesOf(table: Table, publication: number): string {
  const rows = `SELECT row_number() OVER (ORDER BY ${keyText(table, 'd')} COLLATE "C") AS seq, change, ${keyText(table, 'd')} AS key, before, after
      FROM (${differencesOf(table, outdatedRows(table), stagedRows(table))}) d`;
  return `SELECT ${publication}, '${table.name}', seq, change, key, before, after FROM (${rows}) c`;
}

/**
 * Creates the views of a candidate: one for each serving table, and `publication` and `change` as they would be. `reader`: role that may
 * read them; null: nobody else.
 */
export async function holdCandidate(
  client: pg.ClientBase,
  candidate: Candidate,
  declared: readonly Table[],
  reader: string | null,
): Promise<void> {
  const { publication_id, kind, selected, tables } = candidate;
  const isSelected = ({ name }: Table): boolean => selected?.includes(name) ?? true;
  const changed = declared.filter(
    (table) => isSelected(table) && tables.some(({ table: name, base }) => name === table.name && !base),
  );
  const view = (name: string, query: string): string =>
    `CREATE VIEW ${CANDIDATE_SCHEMA}.${ident(name)} AS ${query}`;
  await inTransaction(client, async () => {
    await dropCandidate(client);
    await client.query(`CREATE SCHEMA ${CANDIDATE_SCHEMA}`);
    for (const table of declared) {
      // A model with other columns than its served table is computed as a whole.
      const isRebuilt = await isOutdated(client, table);
      const rows = `SELECT ${columnsOf(table)} FROM ${qualified(table, isRebuilt ? 'staged' : 'serving')}`;
      await client.query(view(table.name, isSelected(table) && !isRebuilt ? computedRows(table) : rows));
    }
    await client.query(
      view(
        'publication',
        `SELECT publication_id, published_at, kind, restores, reason, tables, datasets, readable FROM serving.publication
         UNION ALL SELECT ${publication_id}, ${pg.escapeLiteral(new Date().toISOString())}::timestamptz, ${pg.escapeLiteral(kind)}, NULL, NULL, ${pg.escapeLiteral(jsonText(tables))}::jsonb,
           (${ACTIVE_DATASETS}), true`,
      ),
    );
    const bases = tables.filter(({ base }) => base).map(({ table }) => table);
    await client.query(
      view(
        'change',
        [
          'SELECT publication_id, table_name, seq, change, key, before, after FROM serving.change',
          `SELECT ${publication_id}, name, 0, 'base', NULL, NULL, NULL FROM unnest(${pg.escapeLiteral(`{${bases.join(',')}}`)}::text[]) b (name)`,
          ...changed.map((table) => changesOf(table, publication_id)),
        ].join(' UNION ALL '),
      ),
    );
    if (reader !== null) {
      await client.query(`GRANT USAGE ON SCHEMA ${CANDIDATE_SCHEMA} TO ${ident(reader)}`);
      await client.query(`GRANT SELECT ON ALL TABLES IN SCHEMA ${CANDIDATE_SCHEMA} TO ${ident(reader)}`);
    }
    await client.query('INSERT INTO control.meta (key, value) VALUES ($1, $2)', [KEY, jsonText(candidate)]);
  });
}

/** Drops the views of the candidate, if one is held. Its staged rows stay. */
export async function dropCandidate(client: pg.ClientBase): Promise<void> {
  const { rowCount } = await client.query('DELETE FROM control.meta WHERE key = $1', [KEY]);
  if (rowCount === 1) await client.query(`DROP SCHEMA ${CANDIDATE_SCHEMA} CASCADE`);
}

/** Returns the held candidate; null: none. */
export async function heldCandidate(client: pg.ClientBase): Promise<Candidate | null> {
  const { rows } = await client.query<{ value: string }>('SELECT value FROM control.meta WHERE key = $1', [
    KEY,
  ]);
  return rows[0] === undefined ? null : JSON.parse(rows[0].value);
}

/** Returns the held candidate. @throws EtlError no_candidate */
export async function requireCandidate(client: pg.ClientBase): Promise<Candidate> {
  const candidate = await heldCandidate(client);
  if (candidate !== null) return candidate;
  throw new EtlError(
    'no_candidate',
    'No candidate is held: refresh --hold makes one, and so does a refresh that is refused.',
  );
}

/** Reads the publication that the held candidate would be. Call it inside `withCandidate`. */
export async function candidatePublication(client: pg.ClientBase): Promise<Publication> {
  const { run_id, publication_id } = await requireCandidate(client);
  const { rows } = await client.query<Publication>(
    `SELECT publication_id, $2::int AS run_id, kind, restores, reason, false AS held, tables, datasets, readable,
       to_char(published_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS published_at
     FROM candidate.publication WHERE publication_id = $1`,
    [publication_id, run_id],
  );
  return rows[0]!;
}

/** Reads the candidate in one snapshot. The client must not be in a transaction. @throws EtlError no_candidate */
export async function withCandidate<T>(
  client: pg.ClientBase,
  readHeld: (candidate: Candidate) => Promise<T>,
): Promise<T> {
  return inSnapshot(client, async () => readHeld(await requireCandidate(client)));
}

import pg from 'pg';
import { qualified } from '../../schema/ddl.ts';
import { partitionSql } from '../../schema/partition.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import type { Table } from '../../schema/table.ts';
import { digestSql } from '../../store/tables/table_rows.ts';

/** Works on a connection of its own. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const DROPS = (account: string): string =>
  `(SELECT COALESCE(sum(value::bigint), 0) FROM jsonb_each_text(${account}->'drops'))`;

/** What must give no row in the books of a database whose last run succeeded: the name of each fault, and its query. */
const FAULTS: Readonly<Record<string, string>> = {
  'a run that is still running': `SELECT run_id::text AS what FROM control.run WHERE state = 'running'`,
  'a load that is not active': `SELECT dataset || ' ' || state AS what FROM control.load WHERE state <> 'active'`,
  'a dataset part that is loaded twice': `SELECT dataset || ' ' || part AS what FROM control.load GROUP BY dataset, part HAVING count(*) > 1`,
  'a table of a load that is not in the books': `SELECT c.relname::text AS what FROM pg_class c
    WHERE c.relnamespace = 'record'::regnamespace AND c.relkind = 'r' AND c.relname ~ '_l[0-9]+$'
      AND substring(c.relname FROM '_l([0-9]+)$')::int NOT IN (SELECT load_id FROM control.load)`,
  'an input that does not balance': `SELECT dataset || ' ' || (a->>'file') AS what FROM control.load, jsonb_array_elements(accounts) a
    WHERE (a->>'rows_in')::bigint <> (a->>'records')::bigint + (a->>'rejects')::bigint + ${DROPS('a')}`,
  'a partition that does not balance': `SELECT stage || ' ' || cell AS what FROM control.partition
    WHERE (account->>'in')::bigint <> (account->>'out')::bigint + (account->>'rejects')::bigint + ${DROPS('account')}`,
  'a partition that is staged': `SELECT stage || ' ' || cell AS what FROM control.partition WHERE staged`,
  'a partition that is to be computed again': `SELECT stage || ' ' || cell AS what FROM control.partition WHERE fingerprint -> 'inputs' ? 'backfill'`,
};

/** The cells of a serving table whose rows are not those that the control tables record, whoever changed them. */
const notRecorded = (table: Table): string =>
  `SELECT cell::text AS what FROM (SELECT ${partitionSql(table)} AS cell, ${digestSql(Object.keys(table.columns))} AS digest, count(*) AS rows FROM ${qualified(table)} GROUP BY 1) s
   FULL JOIN (SELECT cell, digest, rows FROM control.published WHERE table_name = '${table.name}' AND rows > 0) p USING (cell)
   WHERE s.digest IS DISTINCT FROM p.digest OR s.rows IS DISTINCT FROM p.rows ORDER BY cell`;
const SERVED = SERVING_TABLES.map(
  (table) => [`served rows of ${table.name} that are not recorded`, notRecorded(table)] as const,
);

/** Faults in the control tables of a database whose last run succeeded: what is left over, lost, doubled, unbalanced or changed by others. */
export async function wrongBooks(client: pg.ClientBase, publications?: number): Promise<string[]> {
  const wrong: string[] = [];
  for (const [name, sql] of [...Object.entries(FAULTS), ...SERVED]) {
    const { rows } = await client.query<{ what: string }>(sql);
    if (rows.length > 0)
      wrong.push(
        `${name}: ${rows
          .slice(0, 3)
          .map(({ what }) => what)
          .join(', ')}`,
      );
  }
  const { rows } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM control.publication');
  if (publications !== undefined && rows[0]!.n !== publications)
    wrong.push(`${rows[0]!.n} publications, expected ${publications}`);
  return wrong;
}

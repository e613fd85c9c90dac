import pg from 'pg';
import { ident } from '../../schema/ddl.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';

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
  'more than one publication': `SELECT count(*)::text AS what FROM control.publication HAVING count(*) <> 1`,
};

/** Faults in the books of a database that was published once: what is left over, lost, doubled or unbalanced. */
export async function wrongBooks(client: pg.ClientBase): Promise<string[]> {
  const wrong: string[] = [];
  for (const [name, sql] of Object.entries(FAULTS)) {
    const { rows } = await client.query<{ what: string }>(sql);
    if (rows.length > 0)
      wrong.push(
        `${name}: ${rows
          .slice(0, 3)
          .map(({ what }) => what)
          .join(', ')}`,
      );
  }
  const booked = await client.query<{ table: string; rows: number }>(
    'SELECT table_name AS table, sum(rows)::int AS rows FROM control.published GROUP BY 1',
  );
  const by = new Map(booked.rows.map(({ table, rows }) => [table, rows]));
  for (const { name } of SERVING_TABLES) {
    const { rows } = await client.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM serving.${ident(name)}`,
    );
    if (rows[0]!.n !== (by.get(name) ?? 0))
      wrong.push(`${name} has ${rows[0]!.n} rows, ${by.get(name) ?? 0} are booked`);
  }
  return wrong;
}

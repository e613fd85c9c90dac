import { ident } from '../../schema/ddl.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import type { Table } from '../../schema/table.ts';
import { openPool } from '../../store/database.ts';

/** Tables that do not grow with the country, or that no endpoint reads. */
const LEFT = new Set(['setting', 'sandbox_sample', 'match_review', 'field_coverage']);
/** Text columns that name something: each copy has things of its own. States stay what they are. */
const NAMES = new Set(
  'gnaf_pid parcel_id neighbour_parcel_id sale_pid stop_id place_id feature_id code area neighbour name name_key sal sa2 sa3 sa4 gccsa lga poa locality'.split(
    ' ',
  ),
);
/** Grid cells of a copy lie this far beyond those of the one before: it has places of its own too. */
const CELLS = 20_000_000;

/** The value of a column in copy `n`. */
function copied(table: Table, name: string): string {
  const { type } = table.columns[name]!;
  const column = ident(name);
  // A state is an area too, under its abbreviation.
  const isState = 'level' in table.columns && ['area', 'code', 'name', 'name_key'].includes(name);
  if (type === 'text' && NAMES.has(name) && !isState) return `${column} || '-' || n`;
  if (isState) return `CASE WHEN level = 'STE' THEN ${column} ELSE ${column} || '-' || n END`;
  if (name === 'cell') return `CASE WHEN cell < 0 THEN cell ELSE cell + n * ${CELLS} END`;
  return name === 'school_id' ? 'school_id + n * 100000' : column;
}

/**
 * Copies the rows of the serving tables `copies` times under other ids, names and grid cells, in a database that is for measuring
 * only; then vacuums and analyses them, as a server does in time.
 */
export async function grow(url: string, copies: number): Promise<void> {
  const pool = openPool(url, 1);
  try {
    for (const table of SERVING_TABLES) {
      if (LEFT.has(table.name)) continue;
      const target = `serving.${ident(table.name)}`;
      const names = Object.keys(table.columns);
      if (copies > 0)
        await pool.query(
          `INSERT INTO ${target} (${names.map(ident).join(', ')})
           SELECT ${names.map((name) => copied(table, name)).join(', ')} FROM ${target}, generate_series(1, $1) n
           ON CONFLICT DO NOTHING`,
          [copies],
        );
      await pool.query(`VACUUM ANALYZE ${target}`);
    }
  } finally {
    await pool.end();
  }
}

/** Makes a copy of a database beside it, hands its URL to `use`, and drops it. Nobody else may be connected to it meanwhile. */
export async function withCopy<T>(url: string, use: (copy: string) => Promise<T>): Promise<T> {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  const copy = `${name}_bench`;
  const admin = new URL(url);
  admin.pathname = '/postgres';
  const own = new URL(url);
  own.pathname = `/${copy}`;
  const pool = openPool(admin.href, 1);
  try {
    await pool.query(`DROP DATABASE IF EXISTS ${ident(copy)}`);
    await pool.query(`CREATE DATABASE ${ident(copy)} TEMPLATE ${ident(name)}`);
    return await use(own.href);
  } finally {
    await pool.query(`DROP DATABASE IF EXISTS ${ident(copy)}`);
    await pool.end();
  }
}

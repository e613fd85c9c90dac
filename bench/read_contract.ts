/**
 * How fast the read contract answers: point reads, amenities within 5 km, hazard shapes, a page of the finder over a suburb and over a
 * state, p50 and p95, on one connection and on eight.
 * Usage: npx tsx bench/read_contract.ts <database url> [multiply]
 * The database holds a published sample country (`pipeline demo`), and is for measuring only: `multiply` copies the rows of the wide
 * tables so many times under other ids and suburbs, and takes the copies away at the end: 1,000,000 rows from 10,000 with 100.
 */
import { performance } from 'node:perf_hooks';
import { ident } from '../schema/ddl.ts';
import { ask, type Endpoint } from '../schema/read_contract/answer.ts';
import type { Serving } from '../schema/read_contract/database.ts';
import { propertyFinder } from '../schema/read_contract/finder/property_finder.ts';
import { ENDPOINTS } from '../schema/read_contract/index.ts';
import { find } from '../schema/read_contract/search.ts';
import { suburbSearch } from '../schema/read_contract/suburb_search.ts';
import { propertyTable } from '../schema/serving/property.ts';
import { propertyFinderTable } from '../schema/serving/property_finder.ts';
import type { Table } from '../schema/table.ts';
import { openPool } from '../store/database.ts';
import { openServing } from '../store/serving.ts';

const [url, times = '1'] = process.argv.slice(2);
if (url === undefined) throw new Error('usage: npx tsx bench/read_contract.ts <database url> [multiply]');
const CALLS = 200;
const CONNECTIONS = [1, 8];

/** Adds copies of the rows of a table, each with ids and a suburb of its own, as far as it has those columns. */
async function multiply(table: Table, copies: number): Promise<void> {
  const pool = openPool(url!, 1);
  try {
    const columns = Object.keys(table.columns);
    const values = columns.map((name) => {
      if (name === 'gnaf_pid' || name === 'parcel_id') return `${name} || '-' || n`;
      return name === 'sal' ? "sal || ' ' || n" : ident(name);
    });
    await pool.query(
      `INSERT INTO serving.${ident(table.name)} (${columns.map(ident).join(', ')})
       SELECT ${values.join(', ')} FROM serving.${ident(table.name)}, generate_series(1, $1) n WHERE gnaf_pid NOT LIKE '%-%'`,
      [copies],
    );
    await pool.query(`ANALYZE serving.${ident(table.name)}`);
  } finally {
    await pool.end();
  }
}

interface Case {
  name: string;
  run: (db: Serving, pid: string, sal: string) => Promise<unknown>;
}

const endpoint = (path: string): Endpoint => ENDPOINTS.find((each) => each.path === path)!;
const point = (path: string, query: Record<string, unknown> = {}): Case => ({
  name: path + (Object.keys(query).length > 0 ? ` ${JSON.stringify(query)}` : ''),
  run: (db, pid) => ask(endpoint(path), db, pid, query),
});

const CASES: Case[] = [
  point('profile'),
  point('basics/land-area-sqm'),
  point('valuation/avm'),
  point('neighbours'),
  point('schools/nearby'),
  point('amenities/nearby', { radius_m: 5000 }),
  point('risks/flood'),
  point('risks/flood', { geojson: 'true' }),
  { name: 'finder, a suburb', run: (db, _, suburbs) => find(propertyFinder, db, { suburbs, limit: 50 }) },
  {
    name: 'finder, a state by price',
    run: (db) => find(propertyFinder, db, { regions: 'VIC', sort_by: 'price', limit: 50 }),
  },
  { name: 'finder, a state by score', run: (db) => find(propertyFinder, db, { regions: 'VIC', limit: 50 }) },
  { name: 'suburb search', run: (db, _, sal) => find(suburbSearch, db, { q: sal.slice(0, 6) }) },
];

const at = (sorted: readonly number[], share: number): string =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(1);

async function measure(
  each: Case,
  connections: number,
  subjects: readonly { gnaf_pid: string; sal: string }[],
): Promise<void> {
  const db = openServing(url!, connections);
  const calls = each.name.includes('a state') ? Math.ceil(CALLS / 10) : CALLS;
  const took: number[] = [];
  let next = 0;
  try {
    await each.run(db, subjects[0]!.gnaf_pid, subjects[0]!.sal);
    const started = performance.now();
    const worker = async (): Promise<void> => {
      for (let i = next++; i < calls; i = next++) {
        const { gnaf_pid, sal } = subjects[i % subjects.length]!;
        const before = performance.now();
        await each.run(db, gnaf_pid, sal);
        took.push(performance.now() - before);
      }
    };
    await Promise.all(Array.from({ length: connections }, worker));
    const rate = calls / ((performance.now() - started) / 1000);
    took.sort((a, b) => a - b);
    const name = each.name.padEnd(44);
    console.log(
      `${name} ${connections} connections  p50 ${at(took, 0.5)} ms  p95 ${at(took, 0.95)} ms  ${rate.toFixed(0)} calls/s`,
    );
  } finally {
    await db.destroy();
  }
}

const copies = Number(times) - 1;
if (copies > 0) for (const table of [propertyTable, propertyFinderTable]) await multiply(table, copies);
const pool = openPool(url, 1);
const { rows: counted } = await pool.query<{ n: string }>(
  'SELECT count(*) AS n FROM serving.property_finder',
);
const { rows: subjects } = await pool.query<{ gnaf_pid: string; sal: string }>(
  `SELECT gnaf_pid, sal FROM serving.property WHERE sal IS NOT NULL AND lon IS NOT NULL AND gnaf_pid NOT LIKE '%-%'
   ORDER BY md5(gnaf_pid) LIMIT 200`,
);
await pool.end();
console.log(`${Number(counted[0]!.n).toLocaleString('en-AU')} properties`);
for (const connections of CONNECTIONS) for (const each of CASES) await measure(each, connections, subjects);
if (copies > 0) {
  const cleaner = openPool(url, 1);
  for (const name of ['property', 'property_finder'])
    await cleaner.query(`DELETE FROM serving.${name} WHERE gnaf_pid LIKE '%-%'`);
  await cleaner.end();
}

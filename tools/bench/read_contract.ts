/**
 * How fast the read contract answers: point reads, amenities within 5 km, hazard shapes, a page of the finder over a suburb and over a
 * state: p50 and p95 on one connection and on eight, and the CPU time of a call in the client and in a server on this machine. Before
 * that it names every sequential scan of a big table in the plans of all endpoints, with the planner's own settings.
 * Usage: npx tsx tools/bench/read_contract.ts <database url> [multiply] [plans|<text of a case>]
 * The database holds a published sample country, and nobody else may be connected: the bench copies it, and makes `multiply` times as
 * many rows of it there, under other ids, names and grid cells: 1,000,000 properties from 10,000 with 100; with 0 it reads the database
 * itself. With `plans` it measures nothing; with any other text only the cases whose name has it.
 */

import { performance } from 'node:perf_hooks';
import { ask, find } from '../../contract/answers/ask.ts';
import type { AnyOperation } from '../../contract/answers/operation.ts';
import { propertyFinder } from '../../contract/finder/property_finder.ts';
import { ENDPOINTS } from '../../contract/index.ts';
import { suburbSearch } from '../../contract/suburb/suburb_search.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { openPool } from '../../store/database.ts';
import { openServing } from '../../store/read/serving.ts';
import { grow, withCopy } from './grow.ts';
import { bigScans, type Subject } from './plans.ts';
import { cpuWithChildren, parentOf } from './server_cpu.ts';

const [given, times = '1', only] = process.argv.slice(2);
if (given === undefined)
  throw new Error('usage: npx tsx tools/bench/read_contract.ts <database url> [multiply] [plans]');
let url = given;
/** Calls of a point read, after as many calls to warm up as there are subjects; slower ones take a tenth and a fiftieth. */
const CALLS = 2000;
const CONNECTIONS = [1, 8];

interface Case {
  name: string;
  run: (db: Serving, pid: string, sal: string) => Promise<unknown>;
}

const endpoint = (path: string): AnyOperation => ENDPOINTS.find((each) => each.subpath === path)!;
const point = (path: string, query: Record<string, unknown> = {}): Case => ({
  name: path + (Object.keys(query).length > 0 ? ` ${JSON.stringify(query)}` : ''),
  run: (db, pid) => ask(endpoint(path), db, pid, query),
});

const CRITERIA = {
  min_bedrooms: 3,
  max_price: 1_200_000,
  max_distance_to_park: 1500,
  property_type: 'house',
};

const CASES: Case[] = [
  point('profile'),
  point('basics/land-area-sqm'),
  point('valuation/avm'),
  point('neighbours'),
  point('schools/nearby'),
  point('amenities/nearby', { radius_m: 5000 }),
  point('risks/flood'),
  point('risks/flood', { geojson: 'true' }),
  { name: 'finder, a suburb', run: (db, _, suburbs) => find(propertyFinder, db, { suburbs }) },
  {
    name: 'finder, a state by price',
    run: (db) => find(propertyFinder, db, { regions: 'VIC', sort_by: 'price' }),
  },
  {
    name: 'finder, a state by yield',
    run: (db) => find(propertyFinder, db, { regions: 'VIC', sort_by: 'yield' }),
  },
  { name: 'finder, a state by score', run: (db) => find(propertyFinder, db, { regions: 'VIC' }) },
  {
    name: 'finder, a state with criteria by price',
    run: (db) => find(propertyFinder, db, { regions: 'VIC', ...CRITERIA, sort_by: 'price' }),
  },
  {
    name: 'finder, a state with criteria by score',
    run: (db) => find(propertyFinder, db, { regions: 'VIC', ...CRITERIA }),
  },
  { name: 'suburb search', run: (db, _, sal) => find(suburbSearch, db, { q: sal.slice(0, 6) }) },
];

const at = (sorted: readonly number[], share: number): string =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(1);

async function measure(
  each: Case,
  connections: number,
  subjects: readonly { gnaf_pid: string; sal: string }[],
  postmaster: number,
): Promise<void> {
  const db = openServing(url, connections);
  const calls = CALLS / (each.name.includes('a state') ? 50 : each.name.includes('a suburb') ? 10 : 1);
  const took: number[] = [];
  let next = 0;
  try {
    for (const { gnaf_pid, sal } of subjects.slice(0, calls / 10)) await each.run(db, gnaf_pid, sal);
    const server = await cpuWithChildren(postmaster);
    const client = process.cpuUsage();
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
    const { user, system } = process.cpuUsage(client);
    const clientMs = (user + system) / 1000 / calls;
    const serverMs = (((await cpuWithChildren(postmaster)) - server) * 1000) / calls;
    took.sort((a, b) => a - b);
    const name = each.name.padEnd(44);
    console.log(
      `${name} ${connections} connections  p50 ${at(took, 0.5)} ms  p95 ${at(took, 0.95)} ms  ${rate.toFixed(0)} calls/s  CPU ${clientMs.toFixed(2)} + ${serverMs.toFixed(2)} ms`,
    );
  } finally {
    await db.destroy();
  }
}

async function run(at: string): Promise<void> {
  url = at;
  if (Number(times) > 0) await grow(at, Number(times) - 1);
  const pool = openPool(at, 1);
  const { rows: counted } = await pool.query<{ n: string }>(
    'SELECT count(*) AS n FROM serving.property_finder',
  );
  const { rows: subjects } = await pool.query<Subject>(
    `SELECT gnaf_pid, p.sal, p.sa2, p.sa3, lga, poa, p.state, address FROM serving.property p JOIN serving.property_profile USING (gnaf_pid)
     WHERE p.sal IS NOT NULL AND lon IS NOT NULL AND gnaf_pid NOT LIKE '%-%' ORDER BY md5(gnaf_pid) LIMIT 200`,
  );
  const { rows: sessions } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const postmaster = await parentOf(sessions[0]!.pid);
  await pool.end();
  console.log(`${Number(counted[0]!.n).toLocaleString('en-AU')} properties`);
  if (only === undefined || only === 'plans') await printScans(at, subjects);
  if (only === 'plans') return;
  const cases = CASES.filter(({ name }) => only === undefined || name.includes(only));
  for (const connections of CONNECTIONS)
    for (const each of cases) await measure(each, connections, subjects, postmaster);
}

async function printScans(at: string, subjects: readonly Subject[]): Promise<void> {
  const subject = subjects.find(({ state }) => state === 'VIC') ?? subjects[0]!;
  const { queries, scans } = await bigScans(at, subject);
  console.log(`plans of ${queries} queries: ${scans.length} sequential scans of big tables`);
  for (const scan of scans) console.log(`  ${scan}`);
}

if (Number(times) > 0) await withCopy(given, run);
else await run(given);

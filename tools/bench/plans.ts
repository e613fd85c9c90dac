import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { ask, find, readParams } from '../../contract/answers/ask.ts';
import { SORT_COLUMNS } from '../../contract/finder/params.ts';
import { propertyFinder } from '../../contract/finder/property_finder.ts';
import { geocode } from '../../contract/geocode/geocode.ts';
import { ENDPOINTS } from '../../contract/index.ts';
import { propertyNeighbours } from '../../contract/property/property_neighbours.ts';
import { suburbSearch } from '../../contract/suburb/suburb_search.ts';
import { AREA_LEVELS } from '../../schema/serving/area_level.ts';
import type { Serving, ServingDatabase } from '../../schema/serving/database.ts';
import { openPool } from '../../store/database.ts';

/** Rows from which a table counts as big: reading a smaller one whole takes milliseconds. */
const BIG = 5000;

/** A property with its areas. */
export interface Subject {
  gnaf_pid: string;
  sal: string;
  sa2: string;
  sa3: string;
  lga: string;
  poa: string;
  state: string;
  address: string;
}

/** Every kind of request, as far as the plan may depend on it. */
function* requests(subject: Subject): Iterable<[name: string, run: (db: Serving) => Promise<unknown>]> {
  const idOf = { SAL: subject.sal, SA2: subject.sa2, SA3: subject.sa3, LGA: subject.lga, POA: subject.poa };
  for (const endpoint of ENDPOINTS) {
    const takes = (name: string, value: string) => 'params' in readParams(endpoint, { [name]: value });
    if (endpoint.subject === 'suburb') {
      for (const level of AREA_LEVELS)
        if (level === 'SAL' || takes('level', level))
          yield [
            `${endpoint.subpath} ${level}`,
            (db) => ask(endpoint, db, idOf[level], level === 'SAL' ? {} : { level }),
          ];
    } else {
      const query = {
        ...(takes('radius_m', '5000') ? { radius_m: '5000' } : {}),
        ...(takes('geojson', 'true') ? { geojson: 'true' } : {}),
      };
      yield [endpoint.subpath, (db) => ask(endpoint, db, subject.gnaf_pid, query)];
    }
  }
  const { state, sal, gnaf_pid, address } = subject;
  for (const where of [{ regions: state }, { suburbs: sal, neighbors: 'true' }]) {
    for (const sort_by of ['score', ...Object.keys(SORT_COLUMNS)])
      yield [
        `finder ${JSON.stringify(where)} ${sort_by}`,
        (db) => find(propertyFinder, db, { ...where, sort_by }),
      ];
  }
  yield ['property/neighbours', (db) => find(propertyNeighbours, db, { id: gnaf_pid, geojson: 'true' })];
  yield ['geocode', (db) => find(geocode, db, { address })];
  yield ['suburb search', (db) => find(suburbSearch, db, { q: sal.slice(0, 6) })];
}

/**
 * The sequential scans of big tables in the plans of all endpoints, with the planner's own settings: `endpoint: table`. The plan of
 * each different query is taken once.
 */
export async function bigScans(url: string, subject: Subject): Promise<{ queries: number; scans: string[] }> {
  let asked: CompiledQuery[] = [];
  const db: Serving = new Kysely<ServingDatabase>({
    dialect: new PostgresDialect({ pool: openPool(url, 1) }),
    log: ({ query }) => {
      asked.push(CompiledQuery.raw(query.sql, [...query.parameters]));
    },
  });
  const explain = async (query: CompiledQuery): Promise<string> => {
    const { rows } = await db.executeQuery<{ 'QUERY PLAN': string }>(
      CompiledQuery.raw(`EXPLAIN ${query.sql}`, [...query.parameters]),
    );
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  try {
    const { rows } = await db.executeQuery<{ name: string; n: number }>(
      CompiledQuery.raw(
        "SELECT relname AS name, reltuples AS n FROM pg_class WHERE relnamespace = 'serving'::regnamespace",
      ),
    );
    const sizes = new Map(rows.map(({ name, n }) => [name, n]));
    const seen = new Set<string>();
    const scans: string[] = [];
    for (const [name, run] of requests(subject)) {
      asked = [];
      await run(db);
      for (const query of asked.splice(0)) {
        if (!/^(select|with)/.test(query.sql) || seen.has(query.sql)) continue;
        seen.add(query.sql);
        for (const [, table] of (await explain(query)).matchAll(/Seq Scan on (\w+)/g))
          if ((sizes.get(table!) ?? 0) >= BIG) scans.push(`${name}: ${table}`);
      }
    }
    return { queries: seen.size, scans };
  } finally {
    await db.destroy();
  }
}

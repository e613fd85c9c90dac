import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { explanationText } from '../../cli/render_brief.ts';
import { ask, find } from '../../contract/answers/ask.ts';
import type { AnyOperation } from '../../contract/answers/operation.ts';
import { WrongParameters } from '../../contract/answers/parameter_errors.ts';
import { COUNT_OPERATIONS } from '../../contract/property/basics.ts';
import { dwellingType } from '../../contract/property/dwelling_type.ts';
import {
  rentHistory,
  rentHistoryLatest,
  saleHistory,
  saleHistoryLatest,
} from '../../contract/property/history.ts';
import { neighbours } from '../../contract/property/neighbours.ts';
import { propertyNeighbours } from '../../contract/property/property_neighbours.ts';
import { recentSalesNearby } from '../../contract/property/recent_sales_nearby.ts';
import { explain } from '../../pipelines/explain/explain.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { openServing } from '../../store/read/serving.ts';
import type { TestDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';
import { configureFeed, type Home, story, writeFeed } from './market_feed.ts';
import { refreshSample } from './sample_run.ts';

interface Property extends Home {
  dwelling_type: string | null;
}

describe('market events from a delivery to the read contract', () => {
  let dir: string;
  let database: TestDatabase;
  let db: Serving;
  let properties: Property[];

  /** A house without an event, by an address that no unit has. */
  const house = (): Property => properties.find(({ address }, i) => i % 2 === 1 && /^\d+ /.test(address))!;

  beforeAll(async () => {
    ({ database, dir } = await publishedSample());
    properties = await database.query<Property>(
      `SELECT gnaf_pid, address, state, dwelling_type FROM serving.property
       WHERE number_first IS NOT NULL AND lon IS NOT NULL ORDER BY gnaf_pid`,
    );
    await configureFeed(dir);
    await writeFeed(dir, 'events_2024-12-31.csv', [
      ...properties.flatMap((property, i) => (i % 2 === 0 ? story(property, i, 2024) : [])),
      {
        source: 'agency',
        source_id: 'nowhere',
        event_type: 'listed',
        channel: 'sale',
        event_date: '2024-12-01',
        address: '999 Nowhere Street, Atlantis VIC 3999',
        state: 'VIC',
      },
      // A unit that the register does not have, of a house that has no event of its own.
      {
        source: 'agency',
        source_id: 'unit_of_a_house',
        event_type: 'sold',
        channel: 'sale',
        event_date: '2024-12-02',
        address: `Unit 998, ${house().address}`,
        state: house().state,
        price: 77_777,
      },
    ]);
    // Gates of any number of rows that a first delivery passes, and nothing else would.
    const gates = ['gates.judged_rows_min=0', 'gates.rows_touched_max=0.01'];
    const first = await refreshSample(database, dir, gates);
    expect(first.state, JSON.stringify(first.audit.filter(({ status }) => status === 'fail'))).toBe(
      'published',
    );
    expect(first.audit.some(({ message }) => message.endsWith('First delivery of feed.'))).toBe(true);
    db = openServing(database.url);
    await sql`SET ROLE api_reader`.execute(db);
  });

  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('finds the property of every event, and keeps the others for review', async () => {
    const wrong = await database
      .query(
        `SELECT e.event_key, e.gnaf_pid, m.rule FROM record.market_event e
       JOIN asset.event_match m USING (event_key) WHERE e.given_pid IS NOT NULL AND m.gnaf_pid IS DISTINCT FROM e.given_pid`,
      )
      .catch(() => []);
    expect(wrong).toEqual([]);
    const review = await database.query(
      `SELECT source_id, status, rule, candidates FROM serving.match_review WHERE source_id NOT LIKE 'A%' AND source_id NOT LIKE 'R%'`,
    );
    expect(review).toContainEqual({
      source_id: 'nowhere',
      status: 'no_match',
      rule: 'locality_unknown',
      candidates: [],
    });
    const [counts] = await database.query<{ events: number; matched: number; review: number }>(
      `SELECT (SELECT count(*)::int FROM record.market_event) AS events, (SELECT count(*)::int FROM asset.matched_event) AS matched,
         (SELECT count(*)::int FROM serving.match_review) AS review`,
    );
    expect(counts!.matched + counts!.review).toBe(counts!.events);
    expect(counts!.matched / counts!.events).toBeGreaterThan(0.97);
  });

  it('keeps the sale of a unit that is not in the register from its building, and names that for review', async () => {
    const { gnaf_pid } = house();
    const [review] = await database.query<Record<string, unknown>>(
      `SELECT status, rule, parent_pid FROM serving.match_review WHERE source_id = 'unit_of_a_house'`,
    );
    expect(review).toEqual({ status: 'parent', rule: 'unit_absent', parent_pid: gnaf_pid });
    for (const table of ['sale', 'property_event', 'listing', 'property_basics'])
      expect(
        await database.query(`SELECT 1 FROM serving.${table} WHERE gnaf_pid = '${gnaf_pid}'`),
        table,
      ).toEqual([]);
    expect(await database.query('SELECT 1 FROM asset.matched_event WHERE price = 77777')).toEqual([]);
    expect(await ask(saleHistory, db, gnaf_pid)).not.toHaveProperty('data.0');
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      const { config } = await loadConfig({ config: join(dir, 'config.yaml') }, {});
      const found = await explain(client, config, gnaf_pid);
      expect(found.events).toEqual([]);
      expect(found.parent_of).toMatchObject([{ type: 'sold', date: '2024-12-02', rule: 'unit_absent' }]);
      for (const isVerbose of [true, false]) expect(explanationText(found, isVerbose)).toContain('Unit 998');
    } finally {
      await client.end();
    }
  });

  it('serves one sale, one listing and one lease of each property that has them', async () => {
    const { gnaf_pid, address } = properties[0]!;
    expect(await ask(saleHistory, db, gnaf_pid)).toEqual({
      data: [
        { date: '2024-03-08', price: 500_000, type: 'Sold', address },
        { date: '2024-02-01', type: 'For Sale', address },
      ],
    });
    expect(await ask(saleHistoryLatest, db, gnaf_pid)).toMatchObject({ data: { type: 'Sold' } });
    expect(await ask(rentHistory, db, gnaf_pid)).toEqual({
      data: [{ date: '2024-07-01', price: 600, type: 'For Rent', address }],
    });
    expect(await ask(rentHistoryLatest, db, gnaf_pid)).toMatchObject({ data: { price: 600 } });
    const counts = await Promise.all(COUNT_OPERATIONS.map((endpoint) => ask(endpoint, db, gnaf_pid)));
    expect(counts).toEqual([
      { data: { bed_count: 3 } },
      { data: { bath_count: 2 } },
      { data: { parking_count: 1 } },
    ]);
    expect(await ask(dwellingType, db, gnaf_pid)).toEqual({ data: { dwelling_type: 'townhouse' } });
    const [basics] = await database.query(
      `SELECT status, status_date::text, presence_of_pool, presence_of_ensuite, big_kitchen, natural_light, level_access
       FROM serving.property_basics WHERE gnaf_pid = $1`,
      [gnaf_pid],
    );
    expect(basics).toEqual({
      status: 'rented',
      status_date: '2024-07-01',
      presence_of_pool: false,
      presence_of_ensuite: true,
      big_kitchen: true,
      natural_light: true,
      level_access: null,
    });
  });

  it('says why a property has no history', async () => {
    const { gnaf_pid, dwelling_type } = properties[1]!;
    const none = [saleHistory, rentHistoryLatest, ...COUNT_OPERATIONS] as AnyOperation[];
    for (const endpoint of none)
      expect(await ask(endpoint, db, gnaf_pid)).toMatchObject({ data: null, no_data: 'not_matched' });
    expect(await ask(dwellingType, db, gnaf_pid)).toEqual({ data: { dwelling_type } });
    expect(await ask(saleHistory, db, 'GAVIC0')).toMatchObject({ no_data: 'unknown_property' });
  });

  it('lists sales nearby as a plain search over all sales finds them', async () => {
    for (const { gnaf_pid } of properties.slice(0, 40)) {
      const envelope = await ask(recentSalesNearby, db, gnaf_pid);
      const expected = await database.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM serving.sale s, serving.property p
         WHERE p.gnaf_pid = $1 AND s.gnaf_pid <> $1 AND s.date >= (SELECT max(date) - 365 FROM serving.sale)
           AND sqrt(((s.lon - p.lon) * 111320 * cos(radians(p.lat))) ^ 2 + ((s.lat - p.lat) * 110900) ^ 2) <= 490`,
        [gnaf_pid],
      );
      const found = envelope.data?.length ?? 0;
      expect(found).toBeGreaterThanOrEqual(Math.min(50, expected[0]!.n));
      if (envelope.data !== null)
        for (const sale of envelope.data) expect(sale.distance_m).toBeLessThanOrEqual(500);
    }
  });

  it('enriches neighbours with what listings state', async () => {
    let enriched = 0;
    for (const { gnaf_pid } of properties.slice(0, 60)) {
      const envelope = await ask(neighbours, db, gnaf_pid);
      for (const neighbour of envelope.data?.neighbours ?? []) if (neighbour.bedrooms !== null) enriched++;
    }
    expect(enriched).toBeGreaterThan(0);
  });

  it('gives a property and its neighbours with status, history and shapes', async () => {
    let described = 0;
    for (const { gnaf_pid, address } of properties.slice(0, 40)) {
      const family_a = await ask(neighbours, db, gnaf_pid);
      const {
        property,
        neighbours: around,
        geojson,
      } = await find(propertyNeighbours, db, { id: gnaf_pid, geojson: 'true' });
      expect(property).toMatchObject({ gnaf_pid, address });
      expect(around.map((each) => each.gnaf_pid)).toEqual(
        (family_a.data?.neighbours ?? []).map((each) => each.gnaf_pid),
      );
      const listed = geojson!.features.flatMap(({ properties: { gnaf_pids } }) => gnaf_pids);
      expect(new Set(listed).size).toBe(listed.length);
      if (around.length > 0) expect(geojson!.features[0]!.properties.is_subject).toBe(true);
      described += around.filter(
        ({ status, property_history }) => status === 'rented' && property_history.length === 3,
      ).length;
    }
    expect(described).toBeGreaterThan(0);
    await expect(find(propertyNeighbours, db, { id: 'GAVIC0' })).rejects.toBeInstanceOf(WrongParameters);
    const plain = await find(propertyNeighbours, db, { id: properties[0]!.gnaf_pid });
    expect(plain).not.toHaveProperty('geojson');
    expect(plain.property!.property_history.map(({ type }) => type)).toEqual([
      'For Rent',
      'Sold',
      'For Sale',
    ]);
  });

  it('says which records report an event', async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      const { config } = await loadConfig({ config: join(dir, 'config.yaml') }, {});
      const { events } = await explain(client, config, properties[0]!.gnaf_pid);
      const sale = events.find(({ type }) => type === 'Sold')!;
      expect(sale.records.map(({ record }) => record.source)).toEqual(['agency', 'register']);
      expect(sale.records[1]).toMatchObject({
        dataset: 'feed',
        files: ['events_2024-12-31.csv'],
        rule: 'exact',
      });
    } finally {
      await client.end();
    }
  });
});

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../cli/load_config.ts';
import type { RunReport } from '../../../pipelines/report/report.ts';
import { rollback } from '../../../pipelines/run/rollback.ts';
import { seededRandom } from '../../../sample/random.ts';
import { SERVING_TABLES } from '../../../schema/serving/index.ts';
import { lastFacts, quartiles } from '../../../store/journal/table_facts.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { publishedSample } from '../../published_sample.ts';
import { editDbf } from '../edit_release.ts';
import { configureFeed, type FeedRow, writeFeed } from '../market_feed.ts';
import { type Nights, nightsOf } from '../nights.ts';
import { digestOf, OPEN_GATES, refreshSample } from '../sample_run.ts';

const EVENT_TABLES = ['property_event', 'property_basics', 'listing', 'match_review'];
const BY_KEY = ['serve_property_event', 'serve_property_basics', 'serve_listing'];
/** Further stages that work key by key: of valuation, comparables and the finder. */
const LATER_BY_KEY = [
  'valuation_home',
  'serve_property_avm',
  'serve_property_comparable',
  'serve_property_finder',
  'serve_sale',
  'market_fact',
];

interface Home {
  gnaf_pid: string;
}

/** Listings and sales of a share of the homes, in months of 2024. */
function eventsOf(homes: readonly Home[], name: string, share: number, months: readonly number[]): FeedRow[] {
  const { next } = seededRandom(7, name);
  return homes.flatMap(({ gnaf_pid }, i) => {
    if (next() >= share) return [];
    const type = next() < 0.5 ? 'listed' : 'sold';
    const month = String(months[Math.floor(next() * months.length)]).padStart(2, '0');
    const row = {
      source: 'agency',
      source_id: `${name}${i}`,
      event_type: type,
      channel: 'sale',
      event_date: `2024-${month}-${String(1 + Math.floor(next() * 27)).padStart(2, '0')}`,
      gnaf_pid,
      price: 300_000 + Math.floor(next() * 900) * 1000,
      bedrooms: 1 + Math.floor(next() * 5),
      description: next() < 0.5 ? 'Sparkling pool and ensuite.' : 'No pool.',
    };
    return [row];
  });
}

/** What the books say of the partitions of stages that are computed by key. */
const accountsOf = (of: TestDatabase) =>
  of.query(
    'SELECT stage, cell, rows, account, output_digest::text FROM control.partition WHERE stage = ANY ($1) ORDER BY stage, cell',
    [[...BY_KEY, ...LATER_BY_KEY]],
  );

const reasonsOf = (report: RunReport, stage: string): string[] =>
  Object.keys(report.stages.find((each) => each.stage === stage)?.reasons ?? {});

/** Lines of a digest that are of the given tables, or of the others. */
const linesOf = (digest: string, tables: readonly string[], isOf: boolean): string[] =>
  digest.split('\n').filter((line) => tables.includes(line.split(' ')[0]!) === isOf);

const COUNTRY = [300, 5] as const;

describe('increments by key', () => {
  let dir: string;
  let database: TestDatabase;
  let homes: Home[];
  let nights: Nights;

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(...COUNTRY));
    nights = nightsOf(COUNTRY, database, dir);
    await configureFeed(dir);
    const unserved = [
      {
        source: 'agency',
        source_id: 'none',
        event_type: 'listed',
        channel: 'sale',
        event_date: '2024-01-05',
        address: '999 Nowhere Street, Atlantis VIC 3999',
        state: 'VIC',
      },
    ];
    homes = await database.query<Home>('SELECT gnaf_pid FROM serving.property ORDER BY gnaf_pid');
    const months = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    await writeFeed(dir, 'a.csv', [...unserved, ...eventsOf(homes, 'a', 0.6, months)]);
    expect((await refreshSample(database, dir, OPEN_GATES)).error).toBeNull();
  });

  afterAll(async () => {
    await nights?.drop();
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('computes the homes with another event, and no others, of the tables that are asked for', async () => {
    const before = await digestOf(database);
    await writeFeed(dir, 'b.csv', eventsOf(homes, 'b', 0.03, [12]));
    const report = await refreshSample(database, dir, OPEN_GATES, { tables: EVENT_TABLES });
    expect(report.state).toBe('published');
    for (const stage of BY_KEY) {
      expect(reasonsOf(report, stage).join()).toMatch(/, by key/);
      const { rows_written, rows } = report.stages.find((each) => each.stage === stage)!;
      expect(rows_written).toBeLessThan(rows / 2);
    }
    const after = await digestOf(database);
    expect(linesOf(after, EVENT_TABLES, false)).toEqual(linesOf(before, EVENT_TABLES, false));
    const whole = await nights.rebuilt();
    expect(linesOf(after, EVENT_TABLES, true)).toEqual(linesOf(whole, EVENT_TABLES, true));
    const rest = await refreshSample(database, dir, OPEN_GATES);
    expect(rest.state).toBe('published');
    expect(reasonsOf(rest, 'valuation_home').join()).toMatch(/, by key/);
    expect(await digestOf(database)).toBe(whole);
  });

  it('values the homes that are described otherwise, and finds their comparables, where nothing was sold', async () => {
    const listed = eventsOf(homes, 'l', 0.03, [12]).filter((row) => row.event_type === 'listed');
    await writeFeed(dir, 'l.csv', listed);
    const report = await refreshSample(database, dir, OPEN_GATES);
    expect(report.error).toBeNull();
    for (const stage of LATER_BY_KEY) expect(reasonsOf(report, stage).join(), stage).toMatch(/, by key/);
    await nights.over();
    await nights.compared();
  });

  it('keeps the accounts of a computation of the whole', async () => {
    expect(await accountsOf(database)).toEqual(await accountsOf(nights.last));
  });

  it('remembers medians that are those of the published tables, taken by it or by a publication before', async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      let remembered = 0;
      for (const [name, { quartiles: known = {} }] of await lastFacts(client)) {
        const table = SERVING_TABLES.find((each) => each.name === name)!;
        remembered += Object.keys(known).length;
        expect(await quartiles(client, table, Object.keys(known)), name).toEqual(known);
      }
      expect(remembered).toBeGreaterThan(5);
    } finally {
      await client.end();
    }
  });

  it('adds to what a refused publication has left waiting', async () => {
    await writeFeed(dir, 'c.csv', eventsOf(homes, 'c', 0.03, [11, 12]));
    const refuse = ['gates.rows_change_max=0', ...OPEN_GATES.filter((gate) => !gate.includes('rows_change'))];
    expect((await refreshSample(database, dir, refuse)).state).toBe('refused');
    const [waiting] = await database.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM control.staged_key',
    );
    expect(waiting!.n).toBeGreaterThan(0);
    await writeFeed(dir, 'd.csv', eventsOf(homes, 'd', 0.03, [11, 12]));
    const second = await refreshSample(database, dir, refuse);
    expect(second.state).toBe('refused');
    expect(reasonsOf(second, 'serve_property_basics').join()).toMatch(/, by key/);
    const third = await refreshSample(database, dir, OPEN_GATES);
    expect(third.state).toBe('published');
    expect(third.stages.every((stage) => stage.partitions_run === 0)).toBe(true);
    await nights.over();
    expect(await database.query('SELECT 1 FROM control.staged_key')).toEqual([]);
  });

  it('computes whole cells again where what waits by key stood beside rows that a rollback replaced', async () => {
    await writeFeed(dir, 'e.csv', eventsOf(homes, 'e', 0.03, [12]));
    const refuse = ['gates.rows_change_max=0', ...OPEN_GATES.filter((gate) => !gate.includes('rows_change'))];
    expect((await refreshSample(database, dir, refuse)).state).toBe('refused');
    const { config } = await loadConfig(
      { config: join(dir, 'config.yaml'), set: [`database.url=${database.url}`] },
      {},
    );
    await rollback({ url: database.url, config, to: null, reason: 'test' });
    const report = await refreshSample(database, dir, OPEN_GATES, {
      accepted: { gates: ['rollback'], reason: 'test' },
    });
    expect(report.state).toBe('published');
    await nights.over();
  });

  it('takes out the events of a delivery that is gone', async () => {
    await rm(join(dir, 'feed/b.csv'));
    const report = await refreshSample(database, dir, OPEN_GATES);
    expect(report.error).toBeNull();
    expect(reasonsOf(report, 'serve_property_event').join()).toMatch(/, by key/);
    await nights.over();
    await nights.compared();
    expect(await accountsOf(database)).toEqual(await accountsOf(nights.last));
  });

  it('computes the whole after a backfill of what it reads, and where the list of changes is gone', async () => {
    const forced = await refreshSample(database, dir, OPEN_GATES, {
      backfill: { stage: 'serve_property_event' },
    });
    expect(forced.error).toBeNull();
    expect(reasonsOf(forced, 'serve_property_event').join()).not.toMatch(/by key/);
    await writeFeed(dir, 'b.csv', eventsOf(homes, 'b', 0.03, [12]));
    const half = await refreshSample(database, dir, OPEN_GATES, { tables: ['match_review'] });
    expect(half.error).toBeNull();
    await refreshSample(database, dir, OPEN_GATES, { tables: ['property_event'] });
    await database.query('DELETE FROM control.key_change');
    const report = await refreshSample(database, dir, OPEN_GATES);
    expect(reasonsOf(report, 'serve_property_basics')).toEqual(['changed: event, record']);
    await nights.over();
  });

  it('replaces what is published of cells that the books have forgotten, as an upgrade leaves them', async () => {
    await writeFeed(dir, 'forgotten.csv', eventsOf(homes, 'forgotten', 0.03, [12]));
    await database.query("DELETE FROM control.partition WHERE stage = 'serve_property_event'");
    // A cell that has no rows any more.
    await database.query(
      `INSERT INTO serving.property_event SELECT g.* FROM (SELECT * FROM serving.property_event LIMIT 1) e,
         jsonb_populate_record(NULL::serving.property_event, to_jsonb(e) || '{"cell": 7, "gnaf_pid": "GONE"}') g`,
    );
    await database.query(
      "INSERT INTO control.published (table_name, cell, digest, rows) VALUES ('property_event', 7, 1, 1)",
    );
    const report = await refreshSample(database, dir, OPEN_GATES);
    expect(report.error).toBeNull();
    expect(report.audit?.filter(({ status }) => status === 'fail')).toEqual([]);
    expect(report.state).toBe('published');
    expect(await database.query("SELECT 1 FROM serving.property_event WHERE gnaf_pid = 'GONE'")).toEqual([]);
    await nights.over();
    await nights.compared();
  });

  it('leaves the matched events alone where the parcel of an address becomes another', async () => {
    const [on] = await database.query<{ parcel_id: string; source_no: number }>(
      `SELECT p.parcel_id, p.source_no FROM record.parcel p JOIN asset.address_home a ON a.parcel_id = p.parcel_id
       WHERE p.state = 'VIC' ORDER BY 1 LIMIT 1`,
    );
    await editDbf(join(dir, 'cadastre/vic/PARCEL_VIEW.dbf'), on!.source_no - 1, 'PARCEL_PFI', '999999999');
    const report = await refreshSample(database, dir, OPEN_GATES);
    expect(report.error).toBeNull();
    const ran = (name: string) => report.stages.find(({ stage }) => stage === name)!.partitions_run;
    // The cell of the parcel, and those that it is near to.
    expect(ran('address_home')).toBeGreaterThan(0);
    expect([ran('serve_property') > 0, ran('matched_event')]).toEqual([true, 0]);
    expect(
      await database.query(`SELECT 1 FROM serving.property WHERE parcel_id LIKE '%999999999'`),
    ).not.toEqual([]);
    await nights.over();
  });

  it('fills an empty database with some tables first, and then with the others', async () => {
    const fresh = await createDatabase();
    const first = await refreshSample(fresh, dir, [], { tables: EVENT_TABLES });
    expect(first.audit.filter((check) => check.status === 'fail')).toEqual([]);
    expect(first.state).toBe('published');
    const rows = (report: RunReport, name: string) => report.tables.find(({ table }) => table === name)!.rows;
    expect(rows(first, 'property_event')).toBeGreaterThan(0);
    expect(rows(first, 'property_finder')).toBe(0);
    const rest = await refreshSample(fresh, dir);
    expect(rest.audit.filter((check) => check.status === 'fail')).toEqual([]);
    expect(rest.state).toBe('published');
    expect(await digestOf(fresh)).toBe(await digestOf(database));
    await fresh.drop();
  });

  it('refuses a name that no serving table has', async () => {
    const runs = () => database.query('SELECT run_id FROM control.run');
    const before = await runs();
    await expect(refreshSample(database, dir, [], { tables: ['property_evnt'] })).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('property_event'),
    });
    // A mistake on the command line is no run.
    expect(await runs()).toEqual(before);
  });
});

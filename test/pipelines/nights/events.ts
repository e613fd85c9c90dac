import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect } from 'vitest';
import { loadConfig } from '../../../cli/load_config.ts';
import { rollback } from '../../../pipelines/run/rollback.ts';
import { SERVING_TABLES } from '../../../schema/serving/index.ts';
import { lastFacts, quartiles } from '../../../store/journal/table_facts.ts';
import { seededRandom } from '../../../tools/sample/random.ts';
import { gives, refreshInChild, sessionsGone, until } from '../child_run.ts';
import { editDbf } from '../edit_release.ts';
import { type FeedRow, type Home, story, writeFeed } from '../market_feed.ts';
import { digestOf, OPEN_GATES } from '../sample_run.ts';
import { editDatasets, type Night, PARCELS_VIC, type Scene, stageOf } from './night.ts';

export const EVENT_TABLES: readonly string[] = [
  'property_event',
  'property_basics',
  'listing',
  'match_review',
];
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
const MONTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
const REFUSING = ['gates.rows_change_max=0', ...OPEN_GATES.filter((gate) => !gate.includes('rows_change'))];

const homesOf = ({ database }: Scene): Promise<Home[]> =>
  database.query<Home>(
    `SELECT gnaf_pid, address, state FROM serving.property
     WHERE number_first IS NOT NULL AND lon IS NOT NULL ORDER BY gnaf_pid`,
  );

/** Delivers listings and sales of a share of the homes, in months of 2024. */
async function deliver(
  scene: Scene,
  name: string,
  share: number,
  months: readonly number[],
  isOf: (row: FeedRow) => boolean = () => true,
): Promise<void> {
  const { next } = seededRandom(7, name);
  const homes = await scene.database.query<{ gnaf_pid: string }>(
    'SELECT gnaf_pid FROM serving.property ORDER BY gnaf_pid',
  );
  const rows = homes.flatMap(({ gnaf_pid }, i) => {
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
  await writeFeed(scene.dir, `${name}.csv`, rows.filter(isOf));
}
const delivered =
  (name: string, share: number, months: readonly number[]) =>
  (scene: Scene): Promise<void> =>
    deliver(scene, name, share, months);
const takenOut =
  (name: string) =>
  ({ dir }: Scene): Promise<void> =>
    rm(join(dir, `feed/${name}.csv`));

/** Lines of what is served that are of the tables of events, or of the others. */
const linesOf = async ({ database }: Scene, isOfEvents: boolean): Promise<string[]> =>
  (await digestOf(database))
    .split('\n')
    .filter((line) => EVENT_TABLES.includes(line.split(' ')[0]!) === isOfEvents);

/** The medians that the books remember are those of the published tables, whichever publication took them. */
async function expectMedians({ database }: Scene): Promise<void> {
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
}

/** Refreshes in processes that are killed as a stage of events has begun. */
async function refreshKilled({ database, dir }: Scene): Promise<void> {
  for (const stage of ['event_match', 'matched_event', 'serve_sale']) {
    const run = refreshInChild(
      database.url,
      dir,
      OPEN_GATES.flatMap((text) => ['--set', text]),
    );
    const begun = `SELECT 1 FROM control.partition WHERE stage = '${stage}' AND run_id = (SELECT max(run_id) FROM control.run WHERE state = 'running')`;
    expect(await until(run, gives(database, begun)), run.output()).toBe(true);
    run.child.kill('SIGKILL');
    await run.ended;
    await sessionsGone(database);
  }
}

const FIRST_NIGHTS: readonly Night[] = [
  {
    name: 'takes a first delivery of events',
    edit: async (scene) => {
      await deliver(scene, 'a', 0.6, MONTHS);
      const nowhere = {
        source: 'agency',
        source_id: 'none',
        event_type: 'listed',
        channel: 'sale',
        event_date: '2024-01-05',
        address: '999 Nowhere Street, Atlantis VIC 3999',
        state: 'VIC',
      };
      await writeFeed(scene.dir, 'nowhere.csv', [nowhere]);
      await editDatasets(scene, (datasets) => {
        datasets.feed = { adapter: 'listings', path: 'feed/*', licence: 'generated' };
      });
    },
  },
  {
    name: 'computes the homes with another event, and no others, of the tables that are asked for',
    options: { tables: EVENT_TABLES },
    edit: async (scene) => {
      const before = await linesOf(scene, false);
      await deliver(scene, 'b', 0.03, [12]);
      return async (report) => {
        for (const stage of BY_KEY) {
          const { rows_written, rows } = stageOf(report, stage);
          expect(rows_written, stage).toBeLessThan(rows / 2);
        }
        expect(await linesOf(scene, false)).toEqual(before);
      };
    },
    byKey: BY_KEY,
  },
  {
    name: 'computes the other tables from them',
    edit: async (scene) => {
      const before = await linesOf(scene, true);
      return async () => expect(await linesOf(scene, true)).toEqual(before);
    },
    byKey: ['valuation_home'],
  },
  {
    name: 'values the homes that are described otherwise, and finds their comparables, where nothing was sold',
    edit: async (scene) => {
      await deliver(scene, 'l', 0.03, [12], (row) => row.event_type === 'listed');
      return () => expectMedians(scene);
    },
    byKey: LATER_BY_KEY,
  },
  {
    name: 'goes on where nights that match and merge events were killed',
    edit: async (scene) => {
      const homes = (await homesOf(scene)).filter((_, i) => i % 4 === 3);
      await writeFeed(
        scene.dir,
        'late.csv',
        homes.flatMap((home, i) => story(home, i, 2023)),
      );
      await refreshKilled(scene);
    },
    rebuild: true,
  },
  {
    name: 'computes only the cells of an event',
    edit: async (scene) => {
      const home = (await homesOf(scene))[1]!;
      const [listed] = story(home, 7, 2025);
      await writeFeed(scene.dir, 'one.csv', [{ ...listed!, event_date: '2024-12-30' }]);
    },
    ran: {
      event_match: 1,
      matched_event: 1,
      serve_property_event: 1,
      serve_property_basics: 1,
      serve_sale: 1,
      serve_property: 0,
    },
  },
  {
    name: 'goes back to what it was when deliveries are taken out',
    edit: async (scene) => {
      await takenOut('late')(scene);
      await takenOut('one')(scene);
    },
    undoes: 2,
  },
];

export const EVENT_NIGHTS: readonly Night[] = [
  ...FIRST_NIGHTS,
  {
    name: 'leaves what a refused publication would change waiting',
    gates: REFUSING,
    state: 'refused',
    edit: async (scene) => {
      await deliver(scene, 'c', 0.03, [11, 12]);
      return async () =>
        expect(await scene.database.query('SELECT 1 FROM control.staged_key LIMIT 1')).toHaveLength(1);
    },
  },
  {
    name: 'adds to what is waiting',
    gates: REFUSING,
    state: 'refused',
    edit: delivered('d', 0.03, [11, 12]),
    byKey: ['serve_property_basics'],
  },
  {
    name: 'publishes what is waiting and computes nothing',
    edit:
      async ({ database }) =>
      async (report) => {
        expect(report.stages.filter(({ partitions_run }) => partitions_run > 0)).toEqual([]);
        expect(await database.query('SELECT 1 FROM control.staged_key')).toEqual([]);
      },
  },
  {
    name: 'refuses once more',
    gates: REFUSING,
    state: 'refused',
    edit: delivered('e', 0.03, [12]),
  },
  {
    name: 'computes whole cells where what waits by key stood beside rows that a rollback replaced',
    accepts: ['rollback'],
    edit: async ({ database, dir }) => {
      const set = [`database.url=${database.url}`];
      const { config } = await loadConfig({ config: join(dir, 'config.yaml'), set }, {});
      await rollback({ url: database.url, config, to: null, reason: 'test' });
    },
  },
  {
    name: 'takes out the events of a delivery that is gone',
    edit: takenOut('b'),
    byKey: ['serve_property_event'],
  },
  {
    name: 'computes the whole in a backfill, and the models that follow from it',
    options: { backfill: { stage: 'serve_property_event' } },
    ran: { model_evidence: 'some' },
    notByKey: ['serve_property_event'],
  },
  {
    name: 'computes one table of events',
    options: { tables: ['match_review'] },
    state: 'unchanged',
    edit: delivered('b', 0.03, [12]),
  },
  { name: 'computes another table of events', options: { tables: ['property_event'] } },
  {
    name: 'computes the whole where the list of changes is gone',
    edit: async ({ database }) => {
      await database.query('DELETE FROM control.key_change');
      return (report) =>
        expect(Object.keys(stageOf(report, 'serve_property_basics').reasons)).toEqual([
          'changed: event, record',
        ]);
    },
  },
  {
    name: 'replaces what is published of cells whose digests are not recorded',
    edit: async (scene) => {
      const { database } = scene;
      await deliver(scene, 'forgotten', 0.03, [12]);
      await database.query("DELETE FROM control.partition WHERE stage = 'serve_property_event'");
      // A cell that has no rows any more.
      await database.query(
        `INSERT INTO serving.property_event SELECT g.* FROM (SELECT * FROM serving.property_event LIMIT 1) e,
           jsonb_populate_record(NULL::serving.property_event, to_jsonb(e) || '{"cell": 7, "gnaf_pid": "GONE"}') g`,
      );
      await database.query(
        "INSERT INTO control.published (table_name, cell, digest, rows) VALUES ('property_event', 7, 1, 1)",
      );
      return async ({ audit }) => {
        expect(audit.filter(({ status }) => status === 'fail')).toEqual([]);
        expect(await database.query("SELECT 1 FROM serving.property_event WHERE gnaf_pid = 'GONE'")).toEqual(
          [],
        );
      };
    },
  },
  {
    name: 'leaves the matched events alone where the parcel of an address becomes another',
    edit: async ({ database, dir }) => {
      const [on] = await database.query<{ source_no: number }>(
        `SELECT p.source_no FROM record.parcel p JOIN asset.address_home a ON a.parcel_id = p.parcel_id
         WHERE p.state = 'VIC' ORDER BY p.parcel_id LIMIT 1`,
      );
      await editDbf(join(dir, PARCELS_VIC), on!.source_no - 1, 'PARCEL_PFI', '999999999');
      return async () =>
        expect(
          await database.query(`SELECT 1 FROM serving.property WHERE parcel_id LIKE '%999999999'`),
        ).not.toEqual([]);
    },
    // The cell of the parcel, and those that it is near to.
    ran: { address_home: 'some', serve_property: 'some', matched_event: 0 },
  },
];

import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunReport } from '../../../pipelines/report/report.ts';
import { SERVING_TABLES } from '../../../schema/serving/index.ts';
import { openPool, withClient } from '../../../store/database.ts';
import { changedBySuburb, hasSuburb } from '../../../store/journal/between.ts';
import { basesOf, latestPublication } from '../../../store/journal/journal.ts';
import { countRange } from '../../../store/journal/journal_range.ts';
import { WHOLE } from '../../countries.ts';
import { publishedSample } from '../../published_sample.ts';
import { acceptSample, digestOf, OPEN_GATES, refreshSample } from '../sample_run.ts';
import { ADDRESS_NIGHTS, LAST_NIGHTS } from './addresses.ts';
import { EVENT_NIGHTS } from './events.ts';
import { HAZARD_NIGHTS } from './hazards.ts';
import { type Night, type Scene, stageOf } from './night.ts';
import { PARCEL_NIGHTS } from './parcels.ts';
import { rebuilder } from './rebuild.ts';

/** After how many nights the database is compared with one made from nothing; REBUILD_EVERY=1: after each. */
const EVERY = Number(process.env.REBUILD_EVERY ?? 10);

/** One country, night after night. What goes wrong in a night shows in the comparison after it or after one of the next nine. */
const NIGHTS: readonly Night[] = [
  ...ADDRESS_NIGHTS,
  ...PARCEL_NIGHTS,
  ...HAZARD_NIGHTS,
  ...EVENT_NIGHTS,
  ...LAST_NIGHTS,
];

/** Tables whose rows changed, with how many were inserted, updated and deleted. */
const changedRows = ({ tables }: RunReport) =>
  Object.fromEntries(
    tables
      .map(({ table, inserted, updated, deleted }) => [table, [inserted, updated, deleted]] as const)
      .filter(([, rows]) => rows.some((n) => n > 0)),
  );

/** What the columns of the table say of a night. */
function expectRun(report: RunReport, { ran = {}, byKey = [], notByKey = [], rows }: Night): void {
  for (const [name, wanted] of Object.entries(ran)) {
    const { partitions_run, partitions_removed, partitions_unchanged } = stageOf(report, name);
    const n = partitions_run + partitions_removed;
    if (typeof wanted === 'number') expect(n, name).toBe(wanted);
    else expect(n, name).toBeGreaterThan(0);
    if (wanted === 'few') expect(n, name).toBeLessThan(partitions_unchanged);
  }
  const isByKey = (name: string): boolean =>
    Object.keys(stageOf(report, name).reasons).some((reason) => reason.endsWith(', by key'));
  expect(byKey.filter((name) => !isByKey(name))).toEqual([]);
  expect(notByKey.filter(isByKey)).toEqual([]);
  if (rows !== undefined) expect(changedRows(report)).toEqual(rows);
}

/** Whether a night publishes what is made of all that is delivered. */
const isComplete = ({ state = 'published', options: { skip, tables } = {} }: Night): boolean =>
  state === 'published' && skip === undefined && tables === undefined;

describe('a night', () => {
  let scene: Scene;
  let compare: ReturnType<typeof rebuilder>;
  /** Digest of what was served before the first night and after each. */
  const served: string[] = [];
  let nights = 0;

  beforeAll(async () => {
    scene = await publishedSample(WHOLE);
    compare = rebuilder(scene);
    served.push(await digestOf(scene.database));
  });

  afterAll(async () => {
    await scene?.database.drop();
    await rm(scene?.dir, { recursive: true, force: true });
  });

  it.each(NIGHTS.map((night) => [night.name, night] as const))('%s', async (_, night) => {
    const { edit, set = [], gates = OPEN_GATES, options, accepts, state = 'published', undoes = 0 } = night;
    const check = await edit?.(scene);
    let report = await refreshSample(scene.database, scene.dir, [...gates, ...set], options);
    if (accepts) {
      expect(report.state).toBe('refused');
      report = await acceptSample(scene.database, scene.dir, accepts, [...gates, ...set]);
    }
    expect(report.error).toBeNull();
    expect(report.state, JSON.stringify(report.audit.filter(({ status }) => status === 'fail'))).toBe(state);
    expectRun(report, night);
    await check?.(report);
    const now = await digestOf(scene.database);
    if (state !== 'published' || undoes > 0) expect(now).toBe(served.at(-1 - undoes));
    served.push(now);
    if (!isComplete(night)) return;
    nights++;
    const isLast = night === NIGHTS.at(-1);
    if (nights < EVERY && !night.rebuild && !isLast) return;
    nights = 0;
    await compare(set, isLast);
  });

  it('does not begin with a name that no serving table has', async () => {
    const runs = () => scene.database.query('SELECT run_id FROM control.run');
    const before = await runs();
    const options = { tables: ['property_evnt'] };
    await expect(refreshSample(scene.database, scene.dir, [], options)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('property_event'),
    });
    // A mistake on the command line is no run.
    expect(await runs()).toEqual(before);
  });

  it('counts changed rows by suburb as it lists them, between two publications', async () => {
    const pool = openPool(scene.database.url, 1);
    try {
      await withClient(pool, async (client) => {
        const last = (await latestPublication(client))!.publication_id;
        let compared = 0;
        for (const table of SERVING_TABLES.filter(hasSuburb)) {
          const first = Math.max(1, ...(await basesOf(client, table.name, 1)));
          for (const [after, upTo] of [
            [last - 1, last],
            [last - 6, last],
            [last - 12, last - 3],
          ] as const) {
            if (after < first || upTo <= after) continue;
            const by = await changedBySuburb(client, table, { after, upTo });
            const { inserted, updated, deleted } = await countRange(client, table, { after, upTo });
            const rows = by.reduce((sum, each) => sum + each.rows, 0);
            expect(rows, `${table.name} ${after} to ${upTo}`).toBe(inserted + updated + deleted);
            compared += rows;
          }
        }
        expect(compared).toBeGreaterThan(100);
      });
    } finally {
      await pool.end();
    }
  });
});

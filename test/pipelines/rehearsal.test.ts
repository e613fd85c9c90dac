import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunReport } from '../../pipelines/report/report.ts';
import { writeSampleConfig } from '../../tools/sample/config.ts';
import { generateSampleCountry } from '../../tools/sample/generate.ts';
import { createDatabase, type TestDatabase } from '../database.ts';
import { changeAddresses, changeCadastre, deliverListings } from './night_deliveries.ts';
import { OPEN_GATES, refreshSample } from './sample_run.ts';

/**
 * The rehearsal of tools/bench/nights.ts at a size that every test run can afford. Its bars are shares of what is written, which are the same on
 * every machine: a stage that computes cells where it computed keys, or the whole where it computed cells, goes beyond them. Seconds are
 * the bench's.
 */
const PROPERTIES = 4000;

/** Rows by which nights of both countries may differ for another reason than their size: which homes happen to change. */
const SLACK = 60;
/** Stages that compute the whole of a cell in which an address has another parcel. */
const WHOLE_CELLS = ['parcel_address'];

interface Measured {
  report: RunReport;
  /** Rows that stages wrote. */
  written: number;
  /** CPU seconds of the command, without the server. */
  cpu: number;
}

describe('a rehearsal', () => {
  const open: TestDatabase[] = [];
  const dirs: string[] = [];

  async function refreshed(database: TestDatabase, dir: string): Promise<Measured> {
    const before = process.cpuUsage();
    const report = await refreshSample(database, dir, OPEN_GATES);
    const { user, system } = process.cpuUsage(before);
    expect(report.error).toBeNull();
    const written = report.stages.reduce((sum, { rows_written }) => sum + rows_written, 0);
    return { report, written, cpu: (user + system) / 1e6 };
  }

  /** A country of so many properties, all of which may come on the market, after its first refresh. */
  async function country(properties: number) {
    const dir = await mkdtemp(join(tmpdir(), 'rehearsal-'));
    dirs.push(dir);
    await generateSampleCountry({ properties, seed: 1, out: dir, market_homes: properties });
    await writeSampleConfig(dir, { properties, seed: 1 });
    const database = await createDatabase();
    open.push(database);
    return { dir, database, first: await refreshed(database, dir) };
  }

  type Country = Awaited<ReturnType<typeof country>>;
  let large: Country;
  let small: Country;

  /** Rows that each stage writes in a night. */
  async function nightOf({ database, dir }: Country): Promise<Map<string, number>> {
    const { report } = await refreshed(database, dir);
    expect(report.state).toBe('published');
    return new Map(report.stages.map(({ stage, rows_written }) => [stage, rows_written]));
  }

  /** What a night writes, as a share of the first refresh. */
  const shareOf = (rows: ReadonlyMap<string, number>): number =>
    [...rows.values()].reduce((sum, own) => sum + own, 0) / large.first.written;

  /** What a stage of one partition writes in the small country where it runs: in a night in which none of its counts changed it does not. */
  const wholeOf = (stage: string): number =>
    small.first.report.stages.find((each) => each.stage === stage && each.partitions_run === 1)
      ?.rows_written ?? 0;

  /** Stages that write more in the country that is four times as large, where as much has changed in both. */
  function growing(few: ReadonlyMap<string, number>, many: ReadonlyMap<string, number>): string[] {
    return [...many]
      .filter(([stage, rows]) => rows > 2 * (few.get(stage) || wholeOf(stage)) + SLACK)
      .map(([stage]) => stage);
  }

  beforeAll(async () => {
    large = await country(PROPERTIES);
    small = await country(PROPERTIES / 4);
  });

  afterAll(async () => {
    for (const one of open) await one.drop();
    for (const dir of dirs) await rm(dir, { recursive: true, force: true });
  });

  it('has the nation’s rate of events', async () => {
    const [events] = await large.database.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM serving.property_event',
    );
    expect(events!.n / PROPERTIES).toBeGreaterThan(1.1);
    expect(events!.n / PROPERTIES).toBeLessThan(1.5);
  });

  it('costs no more a property at four times the size', async () => {
    expect(large.first.written / small.first.written / 4).toBeLessThan(1.1);
    expect(large.first.cpu / small.first.cpu / 4).toBeLessThan(1.1);
  });

  it('writes little in a night of listings: of one in 400 homes, no more than of as many in a small country', async () => {
    await deliverListings(large.dir, 400);
    await deliverListings(small.dir, 100);
    const rows = await nightOf(large);
    expect(shareOf(rows)).toBeLessThan(0.01);
    expect(growing(await nightOf(small), rows)).toEqual([]);
  });

  it('writes little in a night of a cadastre: of one in 250 parcels of a state, and no more than it must', async () => {
    await changeCadastre(join(large.dir, 'cadastre/vic'), 'vic', 250);
    await changeCadastre(join(small.dir, 'cadastre/vic'), 'vic', 62);
    const rows = await nightOf(large);
    expect(shareOf(rows)).toBeLessThan(0.05);
    expect(growing(await nightOf(small), rows)).toEqual(WHOLE_CELLS);
  });

  it('writes little in a night of G-NAF: of 0.3 % of the addresses', async () => {
    await changeAddresses(join(large.dir, 'gnaf'));
    // Sales whose home has another description are other comparables at once.
    expect(shareOf(await nightOf(large))).toBeLessThan(0.33);
  });

  it('writes nothing in an unchanged run', async () => {
    const { report, written } = await refreshed(large.database, large.dir);
    expect(report.state).toBe('unchanged');
    expect(written).toBe(0);
  });
});

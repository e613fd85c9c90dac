import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { decodeWkb } from '../../../transforms/geo/wkb.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { sampleFolder } from '../../published_sample.ts';
import { feature, squareAt } from '../../sources/feature_writers.ts';
import { copySample } from '../damage.ts';
import { digestOf, OPEN_GATES, refreshSample } from '../sample_run.ts';

let dir: string;
let database: TestDatabase;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'two-files-'));
  database = await createDatabase();
});
const clear = async (): Promise<void> => {
  await database.drop();
  await rm(dir, { recursive: true, force: true });
};

const LOT = 0.001;
/** A lot with its south-west corner so many lots east and north of a corner of a grid cell. */
const lot = (lotplan: string, east: number, north: number) =>
  feature({ LOTPLAN: lotplan, COVER_TYP: 'Base' }, squareAt(150.5 + east * LOT, -23.4 + north * LOT, LOT));

const extract = (file: string, lots: readonly object[]): Promise<void> =>
  writeFile(
    join(dir, file),
    JSON.stringify({
      type: 'FeatureCollection',
      crs: { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::7844' } },
      features: lots,
    }),
  );

const QLD = { adapter: 'cadastre', licence: 'generated', path: '*.geojson', options: { state: 'QLD' } };
const refresh = async (datasets: object = { cadastre_qld: QLD }) => {
  await writeFile(join(dir, 'config.yaml'), stringify({ datasets }));
  return refreshSample(database, dir);
};

interface Stored {
  parcel_id: string;
  file: string;
  source_no: number;
  area_sqm: number;
  geom: Uint8Array;
}
const stored = (): Promise<Stored[]> =>
  database.query(
    `SELECT parcel_id, l.part AS file, source_no, area_sqm, geom FROM record.parcel JOIN control.load l USING (load_id) ORDER BY 1, 2`,
  );

/** Rows in = records + rejects + drops, and the books are those of a load that was never touched. */
async function expectBooks(): Promise<void> {
  const accounts = await database.query<{ in: number; out: number; records: number }>(
    `SELECT sum((a->>'rows_in')::int)::int AS in, sum((a->>'records')::int + (a->>'rejects')::int)::int AS out,
       sum((a->>'records')::int) FILTER (WHERE a->>'table' = 'parcel')::int AS records
     FROM control.load, jsonb_array_elements(accounts) a`,
  );
  const rows = (await stored()).length;
  expect(accounts[0]).toMatchObject({ in: accounts[0]!.out, records: rows });
  const [digests] = await database.query(
    `SELECT bool_and(d.rows = p.n) AND count(*) = count(p.n) AS ok FROM control.load_digest d FULL JOIN
       (SELECT load_id, 'parcel' AS table_name, cell, count(*) AS n FROM record.parcel GROUP BY 1, 2, 3
        UNION ALL SELECT load_id, 'parcel_spill', cell, count(*) FROM record.parcel_spill GROUP BY 1, 2, 3) p USING (load_id, table_name, cell)`,
  );
  expect(digests).toEqual({ ok: true });
}

describe('one parcel in two files of a cadastre', () => {
  it('with the same content is a reject of the later file, which names both', async () => {
    await extract('a.geojson', [lot('1RP1', 0, 0), lot('2RP1', 1, 0)]);
    await extract('b.geojson', [lot('3RP1', 2, 0), lot('2RP1', 1, 0)]);
    const report = await refresh();
    expect(report.error).toBeNull();
    expect((await stored()).map(({ parcel_id, file }) => [parcel_id, file])).toEqual([
      ['QLD:1RP1', 'a'],
      ['QLD:2RP1', 'a'],
      ['QLD:3RP1', 'b'],
    ]);
    const rejects = await database.query('SELECT code, file, at, message FROM control.reject');
    expect(rejects).toEqual([
      {
        code: 'duplicate_key',
        file: 'b.geojson',
        at: 'feature 2',
        message: 'parcel_id QLD:2RP1 is also feature 2 of a.geojson, which is kept.',
      },
    ]);
    const accounts = report.datasets[0]!.accounts.map(({ file, records, rejects }) => [
      file,
      records,
      rejects,
    ]);
    expect(accounts).toEqual([
      ['a.geojson', 2, 0],
      ['b.geojson', 1, 1],
    ]);
    await expectBooks();
    await clear();
  });

  it('is united from its pieces, also across the edge of a cell that no single file crosses', async () => {
    await extract('a.geojson', [lot('1RP1', 4, 4), lot('2RP1', 0.5, 4)]);
    await extract('b.geojson', [lot('2RP1', -0.5, 4), lot('3RP1', -3, 4)]);
    await extract('c.geojson', [lot('2RP1', 0.5, 4)]);
    const report = await refresh();
    expect(report.error).toBeNull();
    expect(report.datasets[0]!.notes).toContainEqual(
      '1 parcel of several files was united: QLD:2RP1 of a.geojson (feature 2) and b.geojson (feature 1).',
    );
    const parcels = await stored();
    expect(parcels.map(({ parcel_id, file, source_no }) => [parcel_id, file, source_no])).toEqual([
      ['QLD:1RP1', 'a', 1],
      ['QLD:2RP1', 'a', 2],
      ['QLD:3RP1', 'b', 2],
    ]);
    expect(parcels[1]!.area_sqm / parcels[0]!.area_sqm).toBeCloseTo(2, 3);
    expect(decodeWkb(parcels[1]!.geom).polygonEnds).toHaveLength(1);
    const spills = await database.query('SELECT parcel_id FROM record.parcel_spill');
    expect(spills).toEqual([{ parcel_id: 'QLD:2RP1' }]);
    expect(await database.query('SELECT file, at FROM control.reject')).toEqual([
      { file: 'c.geojson', at: 'feature 1' },
    ]);
    await expectBooks();
    await clear();
  });

  it('with other content is an error that names parcel and files; nothing is attached', async () => {
    const pfi = (id: string, east: number) =>
      feature(
        { PARCEL_PFI: id, PARCEL_SPI: `${id}\\PS1`, PARCEL_STATUS: 'A' },
        squareAt(145 + east * LOT, -37.8, LOT),
      );
    await extract('a.geojson', [pfi('1', 0), pfi('2', 1)]);
    await extract('b.geojson', [pfi('2', 1.1)]);
    const report = await refresh({ cadastre_vic: { ...QLD, options: { state: 'VIC' } } });
    expect(report.state).toBe('failed');
    expect(report.error?.code).toBe('key_in_two_files');
    expect(report.error?.message).toBe(
      'Dataset cadastre_vic: 1 parcel record of several files has one parcel_id and different content: VIC:2 in a.geojson (feature 2) and b.geojson (feature 1).',
    );
    expect(await stored()).toEqual([]);
    await clear();
  });

  it('in two datasets is an error that names both, in this run and the next', async () => {
    await extract('a.geojson', [lot('1RP1', 0, 0), lot('2RP1', 1, 0)]);
    await extract('b.geojson', [lot('2RP1', 1, 0)]);
    const one = { ...QLD, path: 'a.geojson' };
    const other = { ...QLD, path: 'b.geojson' };
    for (let run = 0; run < 2; run++) {
      const report = await refresh({ one, other });
      expect(report.error?.code).toBe('key_in_two_datasets');
      expect(report.error?.message).toBe(
        'parcel QLD:2RP1 stands in one (a.geojson) and other (b.geojson), with the same content.',
      );
    }
    expect((await refresh({ both: { ...QLD, path: ['a.geojson', 'b.geojson'] } })).error).toBeNull();
    await clear();
  });
});

describe('a cadastre whose extract comes twice', () => {
  let sample: string;
  beforeAll(async () => {
    sample = await mkdtemp(join(tmpdir(), 'two-extracts-'));
    await cp(await sampleFolder(), join(sample, 'once'), { recursive: true });
  });
  afterAll(() => rm(sample, { recursive: true, force: true }));

  it('serves what it serves once, and counts the rest', async () => {
    await refreshSample(database, join(sample, 'once'));
    const once = await digestOf(database);
    const twice = await copySample(join(sample, 'once'), sample);
    for (const extension of ['shp', 'dbf', 'shx', 'prj'])
      await cp(
        join(twice, `cadastre/vic/PARCEL_VIEW.${extension}`),
        join(twice, `cadastre/vic/SECOND.${extension}`),
      );
    const report = await refreshSample(database, twice, OPEN_GATES);
    expect(report.error).toBeNull();
    expect(await digestOf(database)).toBe(once);
    const vic = report.datasets.find(({ dataset }) => dataset === 'cadastre_vic')!;
    const [first, second] = vic.accounts.filter(({ table }) => table === 'parcel');
    expect(first!.records).toBeGreaterThan(10);
    expect(second).toMatchObject({ records: 0, rejects: first!.records + first!.rejects });
    await clear();
  });
});

import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../cli/load_config.ts';
import type { RunReport } from '../../../pipelines/report/report.ts';
import { parcelForm } from '../../../transforms/geo/parcel_form.ts';
import { decodeWkb } from '../../../transforms/geo/wkb.ts';
import { type Adjacency, adjoiningParcels } from '../../../transforms/property/neighbours.ts';
import type { TestDatabase } from '../../database.ts';
import { publishedSample } from '../../published_sample.ts';
import { editDbf, editRows, editZip } from '../edit_release.ts';
import { type Nights, nightsOf } from '../nights.ts';
import { OPEN_GATES, refreshSample } from '../sample_run.ts';

const COUNTRY = [700, 5] as const;
const GNAF = 'gnaf/g-naf_nov25_allstates_gda2020_psv_1020.zip';

interface Parcel {
  parcel_id: string;
  area_sqm: number;
  geom: Uint8Array;
}

const ran = (report: RunReport, name: string): number =>
  report.stages.find(({ stage }) => stage === name)!.partitions_run;

/** Takes the coordinates from some addresses of Victoria: that of the address and that of its site. */
async function unplace(dir: string, pids: readonly string[]): Promise<void> {
  const sites = new Set<string>();
  await editZip(join(dir, GNAF), /VIC_ADDRESS_DEFAULT_GEOCODE_psv\.psv$/, (text) =>
    editRows(text, (row, columns) => {
      if (!pids.includes(row[columns.indexOf('ADDRESS_DETAIL_PID')]!)) return row;
      sites.add(row[0]!);
      row[columns.indexOf('LONGITUDE')] = '';
      row[columns.indexOf('LATITUDE')] = '';
      return row;
    }),
  );
  await editZip(join(dir, GNAF), /VIC_ADDRESS_SITE_GEOCODE_psv\.psv$/, (text) =>
    editRows(text, (row, columns) => (sites.has(row[columns.indexOf('ADDRESS_SITE_PID')]!) ? null : row)),
  );
}

describe('the parcels that adjoin that of a property, wherever it lies', () => {
  let original: string;
  let dir: string;
  let database: TestDatabase;
  /** Addresses of Victoria that are given no coordinates: on parcels in other cells, and in their own. */
  let unplaced: string[];
  let nights: Nights;

  async function refreshed(): Promise<RunReport> {
    const report = await refreshSample(database, dir, OPEN_GATES);
    expect(report.error).toBeNull();
    expect(report.state).toBe('published');
    return report;
  }

  /** All pairs of all parcels, from one search without cells. */
  async function allPairs(): Promise<{ parcels: Parcel[]; pairs: Adjacency[] }> {
    const parcels = await database.query<Parcel>(
      'SELECT parcel_id, area_sqm, geom FROM record.parcel ORDER BY parcel_id COLLATE "C"',
    );
    const shapes = parcels.map(({ parcel_id, geom }) => ({ id: parcel_id, geometry: decodeWkb(geom) }));
    const { config } = await loadConfig({ config: join(dir, 'config.yaml') }, {});
    return { parcels, pairs: adjoiningParcels(shapes, [...shapes.keys()], config.neighbours) };
  }

  async function expectEveryPair(): Promise<void> {
    const { parcels, pairs } = await allPairs();
    const of = new Map<string, string[]>();
    for (const { a, b, shared_m, corner } of pairs) {
      const id = parcels[a]!.parcel_id;
      of.set(id, [...(of.get(id) ?? []), `${parcels[b]!.parcel_id} ${shared_m} ${corner}`]);
    }
    const properties = await database.query<{ gnaf_pid: string; parcel_id: string }>(
      'SELECT gnaf_pid, parcel_id FROM serving.property WHERE parcel_id IS NOT NULL',
    );
    const expected = properties.flatMap(({ gnaf_pid, parcel_id }) =>
      (of.get(parcel_id) ?? []).map((pair) => `${gnaf_pid} ${pair}`),
    );
    const served = await database.query<{
      gnaf_pid: string;
      neighbour_parcel_id: string;
      shared_m: number;
      is_corner: boolean;
    }>('SELECT * FROM serving.property_neighbour');
    const told = served.map((r) => `${r.gnaf_pid} ${r.neighbour_parcel_id} ${r.shared_m} ${r.is_corner}`);
    expect(told.length).toBeGreaterThan(1000);
    expect(told.sort()).toEqual(expected.sort());
  }

  beforeAll(async () => {
    ({ database, dir: original } = await publishedSample(...COUNTRY));
    dir = `${original}-edited`;
    await cp(original, dir, { recursive: true });
    nights = nightsOf(COUNTRY, database, dir);
    const rows = await database.query<{ gnaf_pid: string }>(
      `(SELECT min(gnaf_pid) AS gnaf_pid FROM asset.address_home WHERE state = 'VIC' AND parcel_method = 'legal_id' AND home <> cell
          GROUP BY parcel_id ORDER BY parcel_id LIMIT 3)
       UNION ALL
       (SELECT min(gnaf_pid) FROM asset.address_home WHERE state = 'VIC' AND parcel_method = 'legal_id' AND home = cell
          GROUP BY parcel_id ORDER BY parcel_id LIMIT 3)`,
    );
    unplaced = rows.map(({ gnaf_pid }) => gnaf_pid);
  });

  afterAll(async () => {
    await nights?.drop();
    await database?.drop();
    await rm(original, { recursive: true, force: true });
    await rm(dir, { recursive: true, force: true });
  });

  it('are those of one search of all parcels, also where the parcel lies in another cell', async () => {
    const away = await database.query(
      `SELECT 1 FROM asset.address_home JOIN serving.property_neighbour USING (gnaf_pid) WHERE home <> address_home.cell`,
    );
    expect(away.length).toBeGreaterThan(20);
    await expectEveryPair();
  });

  it('leave the boundary that no parcel adjoins', async () => {
    const { parcels, pairs } = await allPairs();
    const shared = new Float64Array(parcels.length);
    for (const { a, shared_m } of pairs) shared[a]! += shared_m;
    const expected = parcels.map(({ parcel_id, area_sqm, geom }, i) => {
      const open_m = Math.max(0, parcelForm(decodeWkb(geom), area_sqm)!.perimeter_m - shared[i]!);
      return { parcel_id, frontage_m: Math.round(open_m * 10) / 10 };
    });
    const rows = await database.query(
      'SELECT parcel_id, frontage_m FROM asset.parcel_form ORDER BY parcel_id COLLATE "C"',
    );
    expect(rows.length).toBeGreaterThan(500);
    expect(rows).toEqual(expected);
  });

  it('stay those of an address that has no coordinates any more', async () => {
    expect(unplaced).toHaveLength(6);
    const neighbours = `SELECT gnaf_pid, neighbour_parcel_id, shared_m, is_corner FROM serving.property_neighbour
      WHERE gnaf_pid = ANY ($1) ORDER BY gnaf_pid, neighbour_parcel_id`;
    const before = await database.query(neighbours, [unplaced]);
    expect(before.length).toBeGreaterThan(10);
    await unplace(dir, unplaced);
    const report = await refreshed();
    expect(ran(report, 'serve_property_neighbour')).toBeGreaterThan(0);
    const moved = await database.query('SELECT gnaf_pid FROM asset.address_home WHERE cell = -1');
    expect(moved.map(({ gnaf_pid }) => gnaf_pid).sort()).toEqual([...unplaced].sort());
    expect(await database.query(neighbours, [unplaced])).toEqual(before);
    await expectEveryPair();
    await nights.over();
  });

  it('change when a parcel beside one goes that an address without coordinates is on', async () => {
    const [beside] = await database.query<{ source_no: number; parcel_id: string; cell: number }>(
      `SELECT p.source_no, p.parcel_id, p.cell FROM asset.address_home a JOIN serving.property_neighbour n USING (gnaf_pid) JOIN record.parcel p ON p.parcel_id = n.neighbour_parcel_id
       WHERE a.cell = -1 AND NOT is_corner AND p.cell <> a.home ORDER BY p.parcel_id LIMIT 1`,
    );
    await editDbf(join(dir, 'cadastre/vic/PARCEL_VIEW.dbf'), beside!.source_no - 1, 'PARCEL_STA', 'P');
    const report = await refreshed();
    expect(
      await database.query('SELECT 1 FROM record.parcel WHERE parcel_id = $1', [beside!.parcel_id]),
    ).toEqual([]);
    expect(ran(report, 'serve_property_neighbour')).toBeGreaterThan(0);
    await expectEveryPair();
    await nights.over();
  });

  it('change when a parcel goes beside one that an address of another cell is on', async () => {
    const [beside] = await database.query<{ source_no: number; parcel_id: string; gnaf_pid: string }>(
      `SELECT p.source_no, p.parcel_id, a.gnaf_pid FROM asset.address_home a JOIN serving.property_neighbour n USING (gnaf_pid)
       JOIN record.parcel p ON p.parcel_id = n.neighbour_parcel_id
       WHERE a.state = 'VIC' AND a.cell <> -1 AND a.home <> a.cell AND NOT n.is_corner AND p.cell NOT IN (a.cell, a.home)
       ORDER BY p.parcel_id LIMIT 1`,
    );
    await editDbf(join(dir, 'cadastre/vic/PARCEL_VIEW.dbf'), beside!.source_no - 1, 'PARCEL_STA', 'P');
    await refreshed();
    const left = await database.query(
      'SELECT 1 FROM serving.property_neighbour WHERE gnaf_pid = $1 AND neighbour_parcel_id = $2',
      [beside!.gnaf_pid, beside!.parcel_id],
    );
    expect(left).toEqual([]);
    await expectEveryPair();
    await nights.over();
  });

  it('are found where the addresses are when these have coordinates again', async () => {
    await cp(join(original, GNAF), join(dir, GNAF));
    await refreshed();
    await expectEveryPair();
    await nights.over();
    await nights.compared();
  });
});

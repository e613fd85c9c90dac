import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { hazardClasses, planeOfCell } from '../../../../pipelines/stages/layers/hazard_layers.ts';
import { findingOnParcel, type ParcelFinding } from '../../../../pipelines/stages/layers/parcel_findings.ts';
import { expandBbox, NO_CELL } from '../../../../schema/grid.ts';
import { decodeWkb } from '../../../../transforms/geo/wkb.ts';
import { nearestToParcels } from '../../../../transforms/hazards/nearest_to_parcels.ts';
import { boxOfAll, prepareParcels } from '../../../../transforms/hazards/parcel_set.ts';
import type { TestDatabase } from '../../../database.ts';
import { loadedDatabase, publishedSample } from '../../../published_sample.ts';
import { editRows, editZip } from '../../edit_release.ts';
import { evidenceOf } from '../../nights.ts';
import { digestOf, OPEN_GATES, refreshSample } from '../../sample_run.ts';

const GNAF = 'gnaf/g-naf_nov25_allstates_gda2020_psv_1020.zip';
const RADIUS_M = 1000;
/** How far planes within 50 km of each other may differ: transforms/geo/plane.ts. */
const PLANE_SHARE = 4e-5;

interface Extent {
  min_lon: number;
  min_lat: number;
  max_lon: number;
  max_lat: number;
}

/** An address whose parcel is not in its cell. */
interface Away {
  gnaf_pid: string;
  cell: number;
  parcel_id: string;
  home: number;
  geom: Uint8Array;
}

/** What is served of its parcel. */
interface Told {
  layer: string;
  hazard_class: string;
  parcel_on: boolean;
  parcel_distance_m: number;
  parcel_features: number;
  parcel_share: number;
  feature_id: string;
}

describe('hazards of parcels in other cells than their addresses', () => {
  let dir: string;
  let database: TestDatabase;
  const open: TestDatabase[] = [];

  const rebuilt = async (): Promise<string> => {
    const fresh = await loadedDatabase(900, 6, 'all');
    open.push(fresh);
    const evidence = await evidenceOf(database);
    expect((await refreshSample(fresh, dir, [], evidence === null ? {} : { evidence })).error).toBeNull();
    return digestOf(fresh);
  };
  const refreshed = async () => {
    const report = await refreshSample(database, dir, OPEN_GATES);
    expect(report.error).toBeNull();
    return report;
  };
  const awayFrom = (): Promise<Away[]> =>
    database.query<Away>(
      `SELECT a.gnaf_pid, a.cell, a.parcel_id, a.home, p.geom
       FROM asset.address_home a JOIN record.parcel p USING (parcel_id) WHERE a.parcel_id IS NOT NULL AND a.home <> a.cell ORDER BY 1`,
    );
  const toldOf = (gnaf_pid: string): Promise<Told[]> =>
    database.query<Told>(
      `SELECT layer, hazard_class, parcel_on, parcel_distance_m, parcel_features, parcel_share, feature_id
       FROM serving.property_risk WHERE gnaf_pid = $1 ORDER BY layer COLLATE "C", hazard_class COLLATE "C"`,
      [gnaf_pid],
    );
  beforeAll(async () => {
    ({ database, dir } = await publishedSample(900, 6, 'all'));
    open.push(database);
  });

  afterAll(async () => {
    for (const one of open) await one.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('are those around the parcel as the plane of its own cell has them', async () => {
    const hazards = await database.query<Extent>(
      `SELECT cell, layer, feature_id, shape, name, code, severity, event_date::text, min_lon, min_lat, max_lon, max_lat, geom
       FROM record.hazard_piece WHERE is_assessed ORDER BY cell, layer, feature_id`,
    );
    const housing = await database.query<Extent>(
      'SELECT * FROM asset.public_housing_piece ORDER BY cell, sa1',
    );
    const seen = { placed: 0, nowhere: 0 };
    for (const { gnaf_pid, cell, home, geom } of await awayFrom()) {
      const plane = planeOfCell(home);
      const parcels = prepareParcels([decodeWkb(geom)], plane);
      const [west, south, east, north] = expandBbox(boxOfAll(parcels), 2 * RADIUS_M);
      const meets = (piece: Extent): boolean =>
        piece.min_lon <= east && piece.max_lon >= west && piece.min_lat <= north && piece.max_lat >= south;
      const near = [hazards.filter(meets), housing.filter(meets)] as [never[], never[]];
      const expected = new Map<string, ParcelFinding>();
      for (const layer of hazardClasses(...near, plane)) {
        const { index, rank } = layer;
        const found = nearestToParcels(index, parcels, { within_m: RADIUS_M, rank, on_min_sqm: 1 });
        const finding = findingOnParcel(layer, found, 0);
        if (finding !== null) expected.set(`${layer.layer} ${layer.hazard_class}`, finding);
      }
      const rows = await toldOf(gnaf_pid);
      expect(rows.map(({ layer, hazard_class }) => `${layer} ${hazard_class}`)).toEqual([
        ...[...expected.keys()].sort(),
      ]);
      for (const row of rows) {
        const wanted = expected.get(`${row.layer} ${row.hazard_class}`)!;
        const label = `${gnaf_pid} ${row.layer}`;
        const apart_m = Math.abs(row.parcel_distance_m - wanted.distance_m);
        expect(apart_m, label).toBeLessThanOrEqual(0.001 + wanted.distance_m * PLANE_SHARE);
        expect(row.parcel_share, label).toBeCloseTo(wanted.share, 9);
        expect(row, label).toMatchObject({
          parcel_on: wanted.is_on,
          parcel_features: wanted.features,
          // a recorded flood is told by that of its features, among those around, which has the lowest id
          ...(row.layer === 'historical_flood' ? {} : { feature_id: wanted.feature_id }),
        });
        seen[cell === NO_CELL ? 'nowhere' : 'placed']++;
      }
    }
    expect(seen.placed).toBeGreaterThan(20);
    expect(seen.nowhere).toBeGreaterThan(5);
  });

  it('are found again when an address loses its coordinates, and when it has them again', async () => {
    const before = await digestOf(database);
    const [one] = await database.query<Away>(
      `SELECT a.gnaf_pid, a.parcel_id FROM asset.address_home a JOIN serving.property_risk r USING (gnaf_pid)
       WHERE a.parcel_id IS NOT NULL AND a.home <> a.cell AND a.cell <> $1 AND a.parcel_method = 'legal_id' ORDER BY 1 LIMIT 1`,
      [NO_CELL],
    );
    const rows = await toldOf(one!.gnaf_pid);
    expect(rows.length).toBeGreaterThan(0);
    const original = await readFile(join(dir, GNAF));
    let site = '';
    const without = (text: string, of: string, id: string): string =>
      editRows(text, (row, columns) => (row[columns.indexOf(of)] === id ? null : row));
    await editZip(join(dir, GNAF), /_ADDRESS_DETAIL_psv\.psv$/, (text) =>
      editRows(text, (row, columns) => {
        if (row[0] === one!.gnaf_pid) site = row[columns.indexOf('ADDRESS_SITE_PID')]!;
        return row;
      }),
    );
    expect(site).not.toBe('');
    await editZip(join(dir, GNAF), /_ADDRESS_DEFAULT_GEOCODE_psv\.psv$/, (text) =>
      without(text, 'ADDRESS_DETAIL_PID', one!.gnaf_pid),
    );
    await editZip(join(dir, GNAF), /_ADDRESS_SITE_GEOCODE_psv\.psv$/, (text) =>
      without(text, 'ADDRESS_SITE_PID', site),
    );
    const report = await refreshed();
    expect(
      await database.query('SELECT cell FROM asset.address_home WHERE gnaf_pid = $1', [one!.gnaf_pid]),
    ).toEqual([{ cell: NO_CELL }]);
    const stage = report.stages.find((each) => each.stage === 'serve_property_risk')!;
    expect(stage.partitions_run).toBeLessThan(stage.partitions_unchanged);
    const then = await toldOf(one!.gnaf_pid);
    expect(then.map(({ layer, feature_id }) => [layer, feature_id])).toEqual(
      rows.map(({ layer, feature_id }) => [layer, feature_id]),
    );
    for (const [i, { parcel_distance_m }] of then.entries())
      expect(parcel_distance_m / rows[i]!.parcel_distance_m || 1).toBeCloseTo(1, 4);
    expect(await digestOf(database)).toBe(await rebuilt());
    await writeFile(join(dir, GNAF), original);
    await refreshed();
    expect(await digestOf(database)).toBe(before);
  });

  it('change with a layer around the parcel', async () => {
    const [{ dataset, layer }] = (await database.query<{ dataset: string; layer: string }>(
      `SELECT l.dataset, r.layer FROM asset.address_home a JOIN serving.property_risk r USING (gnaf_pid)
       JOIN record.hazard_piece h ON h.cell = a.home AND h.layer = r.layer AND h.feature_id = r.feature_id
       JOIN control.load l ON l.load_id = h.load_id
       WHERE a.parcel_id IS NOT NULL AND a.home <> a.cell AND a.cell <> $1 ORDER BY 1, 2 LIMIT 1`,
      [NO_CELL],
    )) as [{ dataset: string; layer: string }];
    const count = async (): Promise<number> =>
      (
        await database.query(
          `SELECT 1 FROM asset.address_home a JOIN serving.property_risk r USING (gnaf_pid)
           WHERE a.parcel_id IS NOT NULL AND a.home <> a.cell AND r.layer = $1`,
          [layer],
        )
      ).length;
    const had = await count();
    const path = join(dir, 'config.yaml');
    const config = parse(await readFile(path, 'utf8')) as { datasets: Record<string, unknown> };
    expect(Object.keys(config.datasets)).toContain(dataset);
    delete config.datasets[dataset];
    await writeFile(path, stringify(config));
    await refreshed();
    expect(await count()).toBeLessThan(had);
    // a model in service stays where another is no better: estimates are not those of a rebuild
    const risks = (digests: string): string[] =>
      digests.split('\n').filter((line) => /^\w+_risk /.test(line));
    const incremental = risks(await digestOf(database));
    expect(incremental.length).toBe(2);
    expect(incremental).toEqual(risks(await rebuilt()));
  });
});

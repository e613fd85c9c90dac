import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hazardClasses, planeOfCell } from '../../../../pipelines/stages/hazards/hazard_layers.ts';
import { findingOnParcel, type ParcelFinding } from '../../../../pipelines/stages/hazards/parcel_findings.ts';
import { expandBbox, NO_CELL } from '../../../../schema/grid.ts';
import { decodeWkb } from '../../../../transforms/geo/wkb.ts';
import { boxOfAll, prepareParcels } from '../../../../transforms/layers/parcel_set.ts';
import { WHOLE } from '../../../countries.ts';
import type { TestDatabase } from '../../../database.ts';
import { publishedSample } from '../../../published_sample.ts';
import { nearestToParcels } from '../../../transforms/layers/nearest_to_parcels.ts';

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

/** test/pipelines/nights follows them through nights in which addresses lose their coordinates and layers go. */
describe('hazards of parcels in other cells than their addresses', () => {
  let dir: string;
  let database: TestDatabase;
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
    ({ database, dir } = await publishedSample(WHOLE));
  });

  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('are those around the parcel as the plane of its own cell has them', async () => {
    const hazards = await database.query<Extent>(
      `SELECT cell, layer, feature_id, shape, hazard_class, name, code, severity, event_date::text, min_lon, min_lat, max_lon, max_lat, geom
       FROM record.hazard_piece WHERE is_assessed ORDER BY cell, layer, feature_id`,
    );
    const housing = await database.query<Extent>(
      'SELECT * FROM asset.public_housing_piece ORDER BY cell, sa1',
    );
    const floods = await database.query<never>(
      'SELECT state, event_date::text, feature_id, shape, name, code, severity FROM asset.recorded_flood',
    );
    expect(floods.length).toBeGreaterThan(0);
    const seen = { placed: 0, nowhere: 0 };
    for (const { gnaf_pid, cell, home, geom } of await awayFrom()) {
      const plane = planeOfCell(home);
      const parcels = prepareParcels([decodeWkb(geom)], plane);
      const [west, south, east, north] = expandBbox(boxOfAll(parcels), 2 * RADIUS_M);
      const meets = (piece: Extent): boolean =>
        piece.min_lon <= east && piece.max_lon >= west && piece.min_lat <= north && piece.max_lat >= south;
      const near = [hazards.filter(meets), housing.filter(meets)] as [never[], never[]];
      const expected = new Map<string, ParcelFinding>();
      for (const layer of hazardClasses(...near, floods, plane)) {
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
          feature_id: wanted.feature_id,
        });
        seen[cell === NO_CELL ? 'nowhere' : 'placed']++;
      }
    }
    expect(seen.placed).toBeGreaterThan(20);
    expect(seen.nowhere).toBeGreaterThan(5);
  });
});

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { RunReport } from '../../../pipelines/report/report.ts';
import { cellsOfBbox, expandBbox, NO_CELL } from '../../../schema/grid.ts';
import type { TestDatabase } from '../../database.ts';
import { editDbf } from '../edit_release.ts';
import { GNAF, keeper, type Night, type Scene, stageOf, takeOut, ZONES_VIC } from './night.ts';
import { unplace } from './unplaced.ts';

/** A supermarket opens beside a property. */
async function openSupermarket({ database, dir }: Scene) {
  const [at] = await database.query<{ lon: number; lat: number }>(
    `SELECT lon, lat FROM serving.property WHERE state = 'NSW' AND lon IS NOT NULL ORDER BY gnaf_pid LIMIT 1`,
  );
  const folder = join(dir, 'places/osm');
  const file = join(folder, (await readdir(folder)).sort()[0]!);
  const collection = JSON.parse(await readFile(file, 'utf8')) as { features: unknown[] };
  collection.features.push({
    type: 'Feature',
    id: 'node/990000001',
    properties: { '@id': 'node/990000001', shop: 'supermarket', name: 'Corner Fresh' },
    geometry: { type: 'Point', coordinates: [at!.lon + 0.0001, at!.lat] },
  });
  await writeFile(file, JSON.stringify(collection));
  return async (report: RunReport) => {
    const box = expandBbox([at!.lon, at!.lat, at!.lon, at!.lat], 5000);
    const { partitions_run, partitions_removed } = stageOf(report, 'serve_property_proximity');
    expect(partitions_run + partitions_removed).toBeLessThanOrEqual(cellsOfBbox(box).length + 16);
    const [row] = await database.query<{ supermarket_m: number }>(
      'SELECT min(supermarket_m) AS supermarket_m FROM serving.property_proximity',
    );
    expect(row!.supermarket_m).toBeLessThan(15);
  };
}

/** An address in a zone, the record of that zone in its file, and where its parcel lies. */
interface Zoned {
  gnaf_pid: string;
  zone_id: string;
  share: number;
  at: number;
  home: number;
}
const zoned = async (database: TestDatabase, cell: 'cell' | 'home', where: string): Promise<Zoned> =>
  (
    await database.query<Zoned>(
      `SELECT z.gnaf_pid, z.zone_id, z.share, p.source_no AS at, a.home
       FROM serving.property_zoning z JOIN asset.address_home a USING (gnaf_pid)
       JOIN record.zone_piece p ON p.zone_id = z.zone_id AND p.cell = a.${cell}
       WHERE z.state = 'VIC' AND ${where} LIMIT 1`,
    )
  )[0]!;
const zoneOf = (database: TestDatabase, pid: string) =>
  database.query(
    'SELECT cell, zone_id, code, method, share FROM serving.property_zoning WHERE gnaf_pid = $1',
    [pid],
  );
let inZone: Zoned;
const zones = keeper(GNAF, ZONES_VIC);

/** What is served of hazards of the parcel of an address. */
const risksOf = (database: TestDatabase, pid: string) =>
  database.query<{ layer: string; feature_id: string; parcel_distance_m: number }>(
    `SELECT layer, feature_id, parcel_distance_m FROM serving.property_risk
     WHERE gnaf_pid = $1 ORDER BY layer COLLATE "C", hazard_class COLLATE "C"`,
    [pid],
  );

async function loseCoordinates(scene: Scene) {
  const { database } = scene;
  const [one] = await database.query<{ gnaf_pid: string }>(
    `SELECT a.gnaf_pid FROM asset.address_home a JOIN serving.property_risk r USING (gnaf_pid)
     WHERE a.parcel_id IS NOT NULL AND a.home <> a.cell AND a.cell <> $1 AND a.parcel_method = 'legal_id' ORDER BY 1 LIMIT 1`,
    [NO_CELL],
  );
  const { gnaf_pid } = one!;
  const before = await risksOf(database, gnaf_pid);
  expect(before.length).toBeGreaterThan(0);
  await unplace(scene, [gnaf_pid], 'go');
  return async () => {
    const home = await database.query('SELECT cell FROM asset.address_home WHERE gnaf_pid = $1', [gnaf_pid]);
    expect(home).toEqual([{ cell: NO_CELL }]);
    const now = await risksOf(database, gnaf_pid);
    expect(now.map(({ layer, feature_id }) => [layer, feature_id])).toEqual(
      before.map(({ layer, feature_id }) => [layer, feature_id]),
    );
    // The plane of another cell measures a little otherwise.
    for (const [i, { parcel_distance_m }] of now.entries())
      expect(parcel_distance_m / before[i]!.parcel_distance_m || 1).toBeCloseTo(1, 4);
  };
}

/** A layer goes of which a feature lies where the parcel of an address of another cell does. */
async function loseLayer(scene: Scene) {
  const { database } = scene;
  const [found] = await database.query<{ dataset: string; layer: string }>(
    `SELECT l.dataset, r.layer FROM asset.address_home a JOIN serving.property_risk r USING (gnaf_pid)
     JOIN record.hazard_piece h ON h.cell = a.home AND h.layer = r.layer AND h.feature_id = r.feature_id
     JOIN control.load l ON l.load_id = h.load_id
     WHERE a.parcel_id IS NOT NULL AND a.home <> a.cell AND a.cell <> $1 AND l.dataset <> 'flood_nsw' ORDER BY 1, 2 LIMIT 1`,
    [NO_CELL],
  );
  const { dataset, layer } = found!;
  const count = async (): Promise<number> =>
    (
      await database.query(
        `SELECT 1 FROM asset.address_home a JOIN serving.property_risk r USING (gnaf_pid)
         WHERE a.parcel_id IS NOT NULL AND a.home <> a.cell AND r.layer = $1`,
        [layer],
      )
    ).length;
  const had = await count();
  await configured.keep(scene);
  await takeOut(scene, dataset);
  return async () => expect(await count()).toBeLessThan(had);
}
const configured = keeper('config.yaml');

export const HAZARD_NIGHTS: readonly Night[] = [
  {
    name: 'recomputes the cells that see a new supermarket',
    edit: openSupermarket,
    ran: { serve_property_proximity: 'few', serve_property_risk: 0 },
  },
  {
    name: 'keeps the zone of an address that loses its coordinates',
    edit: async (scene) => {
      inZone = await zoned(
        scene.database,
        'cell',
        `a.parcel_method = 'legal_id' AND a.home = a.cell AND z.share >= 0.5 ORDER BY 1 DESC`,
      );
      const { gnaf_pid, zone_id, share, home } = inZone;
      await zones.keep(scene);
      await unplace(scene, [gnaf_pid], 'go');
      return async () =>
        expect(await zoneOf(scene.database, gnaf_pid)).toMatchObject([
          { cell: home, zone_id, method: 'largest_share', share },
        ]);
    },
    ran: { serve_property_zoning: 1 },
  },
  {
    name: 'follows the zone of an address without coordinates',
    edit: async ({ database, dir }) => {
      const { gnaf_pid, zone_id, share, at, home } = inZone;
      await editDbf(join(dir, ZONES_VIC), at - 1, 'ZONE_CODE', 'NRZ9');
      return async () =>
        expect(await zoneOf(database, gnaf_pid)).toMatchObject([
          { cell: home, zone_id, code: 'NRZ9', share },
        ]);
    },
  },
  {
    name: 'finds the hazards of a parcel again whose address loses its coordinates',
    edit: loseCoordinates,
    ran: { serve_property_risk: 'few' },
    rebuild: true,
  },
  { name: 'has it all again when the files come back', edit: zones.bringBack, undoes: 3 },
  {
    name: 'follows a zone where the parcel of an address of another cell lies',
    edit: async ({ database, dir }) => {
      const { gnaf_pid, at } = await zoned(
        database,
        'home',
        'a.cell >= 0 AND a.home <> a.cell AND z.share IS NOT NULL ORDER BY 1',
      );
      await editDbf(join(dir, ZONES_VIC), at - 1, 'ZONE_CODE', 'NRZ8');
      return async () => expect(await zoneOf(database, gnaf_pid)).toMatchObject([{ code: 'NRZ8' }]);
    },
    ran: { serve_property_zoning: 'some' },
  },
  {
    name: 'follows a layer that goes around the parcel of an address of another cell',
    edit: loseLayer,
    rebuild: true,
  },
  {
    name: 'recomputes the cells within the radius of a layer that goes',
    edit: async (scene) => {
      await takeOut(scene, 'flood_nsw');
      return async () =>
        expect(
          await scene.database.query(
            `SELECT 1 FROM serving.property_risk WHERE layer = 'flood' AND state = 'NSW' LIMIT 1`,
          ),
        ).toEqual([]);
    },
    ran: { serve_property_risk: 'few', serve_property_neighbour: 0 },
  },
  { name: 'has both layers again when they come back', edit: configured.bringBack, undoes: 2 },
  {
    name: 'changes nothing when files are delivered again as they were',
    options: { rehash: true },
    state: 'unchanged',
    edit: async () => (report) =>
      expect(report.stages.filter(({ partitions_run }) => partitions_run > 0)).toEqual([]),
  },
];

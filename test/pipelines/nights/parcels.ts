import { join } from 'node:path';
import { expect } from 'vitest';
import { NO_CELL } from '../../../schema/grid.ts';
import { seededRandom } from '../../../tools/sample/random.ts';
import { editDbf } from '../edit_release.ts';
import { editShapefile, type PolygonFeature } from '../edit_shapefile.ts';
import { expectEveryPair } from './every_pair.ts';
import { GNAF, keeper, type Night, PARCELS_VIC, type Scene } from './night.ts';
import { unplace } from './unplaced.ts';

/** Stages of parcels and of the homes on them. */
const OF_PARCELS = [
  'address_parcel',
  'address_home',
  'serve_parcel_shape',
  'parcel_form',
  'serve_property_neighbour',
  'serve_property_zoning',
  'serve_property_overlay',
  'serve_property_risk',
  'valuation_home',
];

/** A feature with its shape moved by so many units of its CRS. */
const shifted = (feature: PolygonFeature, x: number, y: number): PolygonFeature => {
  const ring = (points: number[][]): number[][] => points.map(([px, py]) => [px! + x, py! + y]);
  const { geometry } = feature;
  if (geometry === null) return feature;
  if (geometry.type === 'Polygon')
    return { ...feature, geometry: { ...geometry, coordinates: geometry.coordinates.map(ring) } };
  return {
    ...feature,
    geometry: { ...geometry, coordinates: geometry.coordinates.map((part) => part.map(ring)) },
  };
};

const { next } = seededRandom(3, 'cadastre');

/** Of the parcels of Victoria, 1 % each move, go, come twice and get another name. */
async function editCadastre({ dir }: Scene, night: number): Promise<void> {
  const done = { moved: 0, gone: 0, doubled: 0, renamed: 0 };
  await editShapefile(join(dir, PARCELS_VIC.replace(/dbf$/, 'shp')), (feature) => {
    if (feature === null || feature.geometry === null || next() >= 0.04)
      return feature === null ? [] : [feature];
    const kind = Math.floor(next() * 4);
    const id = feature.properties.PARCEL_PFI as string;
    const other = { ...feature.properties, PARCEL_PFI: `9${night}${id.slice(2)}` };
    if (kind === 0) {
      done.moved++;
      return [shifted(feature, 3e-6, -2e-6)];
    }
    if (kind === 1) {
      done.gone++;
      return [];
    }
    if (kind === 2) {
      done.doubled++;
      return [feature, { ...shifted(feature, 2e-5, 0), properties: other }];
    }
    done.renamed++;
    return [{ ...feature, properties: other }];
  });
  for (const [kind, n] of Object.entries(done)) expect(n, kind).toBeGreaterThan(0);
}

/** Two parcels of Victoria with addresses by their legal ids, too far apart for either's points to be near the other, swap these ids. */
async function swapLegalIds({ database, dir }: Scene): Promise<readonly string[]> {
  const [pair] = await database.query<{ ids: string[]; plans: string[]; records: number[] }>(
    `WITH named AS (
       SELECT p.* FROM record.parcel p WHERE p.state = 'VIC' AND p.parcel_id IN (SELECT parcel_id FROM asset.address_home WHERE parcel_method = 'legal_id')
         AND (SELECT count(*) FROM record.parcel q WHERE q.lot_plan = p.lot_plan) = 1)
     SELECT ARRAY[a.parcel_id, b.parcel_id] AS ids, ARRAY[a.lot_plan, b.lot_plan] AS plans, ARRAY[a.source_no, b.source_no] AS records
     FROM named a JOIN named b ON b.parcel_id > a.parcel_id
       AND abs(a.min_lon - b.min_lon) + abs(a.min_lat - b.min_lat) BETWEEN 0.002 AND 0.006
     ORDER BY a.parcel_id, b.parcel_id LIMIT 1`,
  );
  const { ids, plans, records } = pair!;
  for (const i of [0, 1]) await editDbf(join(dir, PARCELS_VIC), records[i]! - 1, 'PARCEL_SPI', plans[1 - i]!);
  return ids;
}

const parcels = keeper(PARCELS_VIC);

/** Takes a parcel of Victoria out that shares a boundary with the one that an address is on; gives both. */
async function loseNeighbour({ database, dir }: Scene, where: string, values: unknown[] = []) {
  const [beside] = await database.query<{ source_no: number; parcel_id: string; gnaf_pid: string }>(
    `SELECT p.source_no, p.parcel_id, a.gnaf_pid FROM asset.address_home a JOIN serving.property_neighbour n USING (gnaf_pid)
     JOIN record.parcel p ON p.parcel_id = n.neighbour_parcel_id
     WHERE a.state = 'VIC' AND NOT n.is_corner AND ${where} ORDER BY p.parcel_id LIMIT 1`,
    values,
  );
  await editDbf(join(dir, PARCELS_VIC), beside!.source_no - 1, 'PARCEL_STA', 'P');
  return beside!;
}

const unplacedNow = async ({ database }: Scene): Promise<string[]> =>
  (
    await database.query<{ gnaf_pid: string }>('SELECT gnaf_pid FROM asset.address_home WHERE cell = $1', [
      NO_CELL,
    ])
  ).map(({ gnaf_pid }) => gnaf_pid);
/** Addresses that a night takes the coordinates from: on parcels in other cells, and in their own. */
let unplaced: string[] = [];
const addresses = keeper(GNAF);

export const PARCEL_NIGHTS: readonly Night[] = [
  ...[0, 1, 2].map(
    (night): Night => ({
      name: `computes the homes of the parcels of a cadastre that are others, and of those around (night ${night + 1})`,
      edit: (scene) => editCadastre(scene, night),
      byKey: OF_PARCELS,
    }),
  ),
  {
    name: 'follows the legal ids of two parcels that swap them, far from one another',
    edit: async (scene) => {
      await parcels.keep(scene);
      const ids = await swapLegalIds(scene);
      const on = () =>
        scene.database.query<{ pids: string }>(
          `SELECT string_agg(gnaf_pid, ' ' ORDER BY gnaf_pid) AS pids FROM serving.property
           WHERE parcel_id = ANY ($1) AND parcel_method = 'legal_id' GROUP BY parcel_id ORDER BY parcel_id`,
          [ids],
        );
      const before = await on();
      expect(before).toHaveLength(2);
      return async () => expect(await on()).toEqual(before.toReversed());
    },
    byKey: ['address_parcel', 'address_home'],
    rebuild: true,
  },
  { name: 'follows them back', edit: parcels.bringBack, undoes: 1 },
  {
    name: 'keeps the neighbours of addresses that lose their coordinates',
    edit: async (scene) => {
      const { database } = scene;
      const rows = await database.query<{ gnaf_pid: string }>(
        `(SELECT min(gnaf_pid) AS gnaf_pid FROM asset.address_home WHERE state = 'VIC' AND parcel_method = 'legal_id' AND home <> cell AND cell <> $1
            GROUP BY parcel_id ORDER BY parcel_id LIMIT 3)
         UNION ALL
         (SELECT min(gnaf_pid) FROM asset.address_home WHERE state = 'VIC' AND parcel_method = 'legal_id' AND home = cell
            GROUP BY parcel_id ORDER BY parcel_id LIMIT 3)`,
        [NO_CELL],
      );
      unplaced = rows.map(({ gnaf_pid }) => gnaf_pid);
      expect(unplaced).toHaveLength(6);
      const neighbours = () =>
        database.query(
          `SELECT gnaf_pid, neighbour_parcel_id, shared_m, is_corner FROM serving.property_neighbour
           WHERE gnaf_pid = ANY ($1) ORDER BY gnaf_pid, neighbour_parcel_id`,
          [unplaced],
        );
      const [before, had] = [await neighbours(), await unplacedNow(scene)];
      expect(before.length).toBeGreaterThan(10);
      await addresses.keep(scene);
      await unplace(scene, unplaced, 'stay');
      return async () => {
        expect((await unplacedNow(scene)).sort()).toEqual([...had, ...unplaced].sort());
        expect(await neighbours()).toEqual(before);
        await expectEveryPair(scene);
      };
    },
    ran: { serve_property_neighbour: 'some' },
  },
  {
    name: 'follows a parcel that goes beside that of an address without coordinates',
    edit: async (scene) => {
      const gone = await loseNeighbour(scene, 'a.gnaf_pid = ANY ($1) AND p.cell <> a.home', [unplaced]);
      return async () => {
        const left = await scene.database.query('SELECT 1 FROM record.parcel WHERE parcel_id = $1', [
          gone.parcel_id,
        ]);
        expect(left).toEqual([]);
        await expectEveryPair(scene);
      };
    },
    ran: { serve_property_neighbour: 'some' },
  },
  {
    name: 'follows a parcel that goes beside that of an address of another cell',
    edit: async (scene) => {
      const { gnaf_pid, parcel_id } = await loseNeighbour(
        scene,
        'a.cell <> $1 AND a.home <> a.cell AND p.cell NOT IN (a.cell, a.home)',
        [NO_CELL],
      );
      return async () => {
        const left = await scene.database.query(
          'SELECT 1 FROM serving.property_neighbour WHERE gnaf_pid = $1 AND neighbour_parcel_id = $2',
          [gnaf_pid, parcel_id],
        );
        expect(left).toEqual([]);
        await expectEveryPair(scene);
      };
    },
  },
  {
    name: 'finds the addresses where they are when they have coordinates again',
    edit: async (scene) => {
      await addresses.bringBack(scene);
      return () => expectEveryPair(scene);
    },
  },
];

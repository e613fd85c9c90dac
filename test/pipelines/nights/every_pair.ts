import { join } from 'node:path';
import { expect } from 'vitest';
import { loadConfig } from '../../../cli/load_config.ts';
import { decodeWkb } from '../../../transforms/geo/wkb.ts';
import { type Adjacency, adjoiningParcels } from '../../../transforms/property/neighbours.ts';
import type { Scene } from './night.ts';

interface Parcel {
  parcel_id: string;
  area_sqm: number;
  geom: Uint8Array;
}

/** All pairs of all parcels, from one search without cells. */
export async function allPairs({ database, dir }: Scene): Promise<{ parcels: Parcel[]; pairs: Adjacency[] }> {
  const parcels = await database.query<Parcel>(
    'SELECT parcel_id, area_sqm, geom FROM record.parcel ORDER BY parcel_id COLLATE "C"',
  );
  const shapes = parcels.map(({ parcel_id, geom }) => ({ id: parcel_id, geometry: decodeWkb(geom) }));
  const { config } = await loadConfig({ config: join(dir, 'config.yaml') }, {});
  return { parcels, pairs: adjoiningParcels(shapes, [...shapes.keys()], config.neighbours) };
}

/** The neighbours that are served are those of one search of all parcels. */
export async function expectEveryPair(scene: Scene): Promise<void> {
  const { parcels, pairs } = await allPairs(scene);
  const of = new Map<string, string[]>();
  for (const { a, b, shared_m, corner } of pairs) {
    const id = parcels[a]!.parcel_id;
    of.set(id, [...(of.get(id) ?? []), `${parcels[b]!.parcel_id} ${shared_m} ${corner}`]);
  }
  const properties = await scene.database.query<{ gnaf_pid: string; parcel_id: string }>(
    'SELECT gnaf_pid, parcel_id FROM serving.property WHERE parcel_id IS NOT NULL',
  );
  const expected = properties.flatMap(({ gnaf_pid, parcel_id }) =>
    (of.get(parcel_id) ?? []).map((pair) => `${gnaf_pid} ${pair}`),
  );
  const served = await scene.database.query<{
    gnaf_pid: string;
    neighbour_parcel_id: string;
    shared_m: number;
    is_corner: boolean;
  }>('SELECT * FROM serving.property_neighbour');
  const told = served.map((r) => `${r.gnaf_pid} ${r.neighbour_parcel_id} ${r.shared_m} ${r.is_corner}`);
  expect(told.length).toBeGreaterThan(1000);
  expect(told.sort()).toEqual(expected.sort());
}

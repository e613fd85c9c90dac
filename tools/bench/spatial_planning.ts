import { SAMPLE_CRS } from '../sample/crs.ts';
import { ShapefileWriter } from '../sample/formats/shapefile_writer.ts';
import { VIC_LAYERS } from '../sample/hazards/layers/vic.ts';
import { STATE_ZONES } from '../sample/planning/states.ts';
import { seededRandom } from '../sample/random.ts';
import { blob, extentOf, polygon } from './spatial_data.ts';
import type { Lattice } from './spatial_lattice.ts';

const LGA = 'Synthetic Council';
/** Most blocks of a zone from south to north. */
const LONGEST_RUN = 7;
/** Uses of zones, the usual one most often. */
const USES = ['residential', 'residential', 'residential', 'dense', 'shops', 'park', 'school'] as const;
/** Patterns of the sample's overlays that are no hazard. */
const OVERLAYS = ['shops', 'dense', 'industrial'] as const;
/** Parcels for each overlay. */
const PARCELS_PER_OVERLAY = 133;

/**
 * Writes the planning zones of a synthetic city in the layout of Victoria: runs of one to seven blocks, a quarter as many as there
 * are blocks; they tile it.
 */
export function writeZones(path: string, lattice: Lattice, seed: number): void {
  const { next, int, pick } = seededRandom(seed, 'zones');
  const { fields, zones, row } = STATE_ZONES.VIC!;
  const file = new ShapefileWriter(path, fields, SAMPLE_CRS.gda2020.prj);
  for (let x = 0; x < lattice.columns; x++) {
    for (let y = 0; y < lattice.rows; ) {
      const y1 = Math.min(lattice.rows, y + 1 + int(LONGEST_RUN));
      const { shape } = lattice.area({ x0: x, y0: y, x1: x + 1, y1 });
      const zone = zones[next() < 0.03 ? 'industrial' : pick(USES)];
      file.write({ ...shape, holes: 0 }, row({ serial: file.count + 1, zone, lga: LGA, in_force: true }));
      y = y1;
    }
  }
  file.close();
}

/** Writes overlays in the layout of Victoria: blobs of 50 to 200 vertices and 40 to 440 m across, of which many lie on others. */
export function writeOverlays(path: string, parcels: number, seed: number): void {
  const { next, int, pick } = seededRandom(seed, 'overlays');
  const { fields, rows } = VIC_LAYERS.find(({ path: of }) => of.endsWith('PLAN_OVERLAY.shp'))!;
  const file = new ShapefileWriter(path, fields, SAMPLE_CRS.gda2020.prj);
  const [width, height] = extentOf(parcels);
  for (let i = 1; i <= Math.ceil(parcels / PARCELS_PER_OVERLAY); i++) {
    const ring = blob(next, next() * width, next() * height, 20 + 200 * next() ** 2, 50 + int(151));
    file.write({ ...polygon(ring), holes: 0 }, rows[pick(OVERLAYS)]!({ serial: i, lga: LGA }));
  }
  file.close();
}

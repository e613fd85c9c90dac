import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HazardLayer } from '../../schema/records/hazard.ts';
import type { MultiPolygon } from '../../transforms/geo/geometry.ts';
import { SAMPLE_CRS } from '../sample/crs.ts';
import { number, text } from '../sample/formats/dbf_writer.ts';
import { ShapefileWriter, type ShapeKind } from '../sample/formats/shapefile_writer.ts';
import { seededRandom } from '../sample/random.ts';
import type { Boundaries } from './spatial_boundaries.ts';
import { blobs, type City, extentOf, polygon, river } from './spatial_data.ts';
import type { Lattice } from './spatial_lattice.ts';

/** A hazard layer of the city as it is published; null: it is made of the Census, and has no file. */
export interface HazardFile {
  readonly layer: HazardLayer;
  readonly kind: ShapeKind | null;
}

/** Every layer of the specification's risks/all. */
export const HAZARD_FILES: readonly HazardFile[] = [
  { layer: 'bushfire', kind: 'polygon' },
  { layer: 'flood', kind: 'polygon' },
  { layer: 'historical_flood', kind: 'polygon' },
  { layer: 'heritage', kind: 'polygon' },
  { layer: 'landslide', kind: 'polygon' },
  { layer: 'erosion', kind: 'polygon' },
  { layer: 'environment', kind: 'polygon' },
  { layer: 'hv_power_line', kind: 'line' },
  { layer: 'mobile_black_spot', kind: 'point' },
  { layer: 'public_housing', kind: null },
];

/** Files of two layers: as many as the prototype's comparison with PostGIS had. */
export const TWO_HAZARD_FILES: readonly HazardFile[] = HAZARD_FILES.slice(0, 2);

/** Recorded floods: extents of one river that lie over each other. */
const FLOODS = 8;
const FLOOD_VERTICES = 15_000;
/** Parcels for each place of heritage; the City of Yarra has one for 12. */
const PARCELS_PER_HERITAGE = 50;
/** Share of heritage places that are precincts of several blocks; the others are a lot each. */
const PRECINCTS = 0.15;
/** Vertices for each parcel, about half of those of the City of Yarra's environmental overlays. */
const ENVIRONMENT_VERTICES = 0.6;
/** Vertices for each parcel, those of the City of Yarra's overlay of erosion. */
const GROUND_VERTICES = 0.045;
const POWER_LINES = 8;
const TOWERS_M = 300;
const BLACK_SPOTS = 60;
/** Share of the SA1s with public housing in a tenth of their dwellings or more. */
const PUBLIC_HOUSING = 0.06;

function heritage({ parcels }: City, lattice: Lattice, seed: number): MultiPolygon[] {
  const { chance, int } = seededRandom(seed, 'heritage');
  return Array.from({ length: Math.ceil(parcels.length / PARCELS_PER_HERITAGE) }, () => {
    if (!chance(PRECINCTS)) return parcels[int(parcels.length)]!;
    const [x0, y0] = [int(lattice.columns), int(lattice.rows)];
    const [x1, y1] = [x0 + 1 + int(3), y0 + 1 + int(3)];
    return lattice.area({ x0, y0, x1: Math.min(x1, lattice.columns), y1: Math.min(y1, lattice.rows) }).shape;
  });
}

/** Lines right through the city, with a vertex at each tower. */
function powerLines(parcels: number, seed: number): MultiPolygon[] {
  const { next } = seededRandom(seed, 'power lines');
  const [width, height] = extentOf(parcels);
  return Array.from({ length: POWER_LINES }, (_, i) => {
    const isEastward = i % 2 === 0;
    const towers = Math.ceil((isEastward ? width : height) / TOWERS_M);
    const [from, to] = [next(), next()];
    const across = (t: number): number => (from + (to - from) * t) * (isEastward ? height : width);
    return polygon(
      Array.from({ length: towers + 1 }, (_, k) => {
        const [along, off] = [k * TOWERS_M, across(k / towers) + 20 * next()];
        return isEastward ? [along, off] : [off, along];
      }),
    );
  });
}

/** Features of a layer; those of the two that the kernels are measured with are the city's. */
function featuresOf(layer: HazardLayer, city: City, lattice: Lattice, seed: number): readonly MultiPolygon[] {
  const of = city.hazards.find(({ name }) => name === layer);
  if (of) return of.features;
  const count = city.parcels.length;
  const [width, height] = extentOf(count);
  const { next } = seededRandom(seed, layer);
  switch (layer) {
    case 'historical_flood':
      return Array.from({ length: FLOODS }, (_, i) =>
        river(next, width, height, FLOOD_VERTICES, 0.5 + i / 4),
      );
    case 'heritage':
      return heritage(city, lattice, seed);
    case 'environment':
      return blobs(next, width, height, count * ENVIRONMENT_VERTICES, 1500);
    case 'landslide':
      return blobs(next, width / 2, height / 2, count * GROUND_VERTICES, 800);
    case 'erosion':
      return blobs(next, width / 2, height, count * GROUND_VERTICES, 800);
    case 'hv_power_line':
      return powerLines(count, seed);
    case 'mobile_black_spot':
      return Array.from({ length: BLACK_SPOTS }, () => polygon([[(next() * width) / 2, next() * height]]));
    default:
      throw new Error(`the city has no ${layer}`);
  }
}

/** Day of a recorded flood; of other hazards none. */
const dateOf = (layer: HazardLayer, i: number): string =>
  layer === 'historical_flood' ? `${1974 + 6 * i}-02-03` : '';

const COLUMNS = [number('ID', 10), text('NAME', 20), text('EVENT', 10)];

/** Writes the files of hazard layers, and where it is among them the Census table that public housing is taken from. */
export function writeHazards(
  folder: string,
  files: readonly HazardFile[],
  city: City,
  lattice: Lattice,
  boundaries: Boundaries,
  seed: number,
): void {
  for (const { layer, kind } of files) {
    if (kind === null) {
      writeCensus(folder, boundaries, seed);
      continue;
    }
    const file = new ShapefileWriter(join(folder, layer), COLUMNS, SAMPLE_CRS.gda2020.prj, 'UTF-8', kind);
    for (const [i, { coords, ringEnds }] of featuresOf(layer, city, lattice, seed).entries())
      file.write({ coords, ringEnds, holes: 0 }, [i, `n${i}`, dateOf(layer, i)]);
    file.close();
  }
}

/** Name of the Census table of tenure, with its columns of totals. */
export const TENURE_FILE = '2021Census_G37_VIC_SA1.csv';

const TENURE_COLUMNS =
  'SA1_CODE_2021,O_OR_Total,O_MTG_Total,R_RE_Agt_Total,R_ST_h_auth_Total,R_Com_Hp_Total,R_Tot_Total,Oth_ten_type_Total,Ten_type_NS_Total,Total_Total';

function writeCensus(folder: string, boundaries: Boundaries, seed: number): void {
  const { chance, int } = seededRandom(seed, 'census');
  const lines = boundaries.codesOf('SA1').map((code) => {
    const [owned, agents, other, unknown] = [80 + int(60), 60 + int(20), int(5), 3];
    const state = chance(PUBLIC_HOUSING) ? 40 + int(100) : int(12);
    const rented = agents + state;
    return [
      code,
      owned,
      owned,
      agents,
      state,
      0,
      rented,
      other,
      unknown,
      2 * owned + rented + other + unknown,
    ];
  });
  writeFileSync(join(folder, TENURE_FILE), `${[TENURE_COLUMNS, ...lines].join('\n')}\n`);
}

/** Datasets of hazard layers in the configuration of a refresh, by name. */
export const hazardDatasets = (files: readonly HazardFile[]): Record<string, object> =>
  Object.fromEntries(
    files.map(({ layer, kind }) =>
      kind === null
        ? ['census', { adapter: 'census', path: TENURE_FILE, options: { levels: ['SA1'] } }]
        : [
            layer,
            {
              adapter: 'hazards',
              path: `${layer}.shp`,
              options: { state: 'VIC', layer, field_map: mapOf(layer, kind) },
            },
          ],
    ),
  );

const mapOf = (layer: HazardLayer, kind: ShapeKind): object => ({
  label: layer,
  kinds: [kind],
  ...(layer === 'historical_flood' ? { event_date: { fields: ['EVENT'] } } : {}),
});

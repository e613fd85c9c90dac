import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLACE_CATEGORIES } from '../../schema/records/place.ts';
import type { MultiPolygon } from '../../transforms/geo/geometry.ts';
import { SAMPLE_CRS } from '../sample/crs.ts';
import { number, text } from '../sample/formats/dbf_writer.ts';
import { ShapefileWriter } from '../sample/formats/shapefile_writer.ts';
import { Boundaries } from './spatial_boundaries.ts';
import type { City } from './spatial_data.ts';
import { HAZARD_FILES, type HazardFile, hazardDatasets, writeHazards } from './spatial_hazards.ts';
import { Lattice } from './spatial_lattice.ts';
import { writeOverlays, writeZones } from './spatial_planning.ts';
import { writeSyntheticState } from './synthetic_state.ts';

/** Modes of the stops of a city, by their number. */
export const MODES = ['train', 'tram', 'bus'] as const;
const ID = [number('ID', 10), text('NAME', 20)];
const SCHOOL_COLUMNS =
  'ACARA SML ID,School Name,Suburb,State,Postcode,School Sector,School Type,Special school,Latitude,Longitude';

function writeShapes(path: string, kind: 'polygon' | 'point', shapes: Iterable<MultiPolygon>): void {
  const file = new ShapefileWriter(path, ID, SAMPLE_CRS.gda2020.prj, 'UTF-8', kind);
  let i = 0;
  for (const { coords, ringEnds } of shapes) file.write({ coords, ringEnds, holes: 0 }, [i, `n${i++}`]);
  file.close();
}

function* points(lonlat: Float64Array, isTaken: (i: number) => boolean): Iterable<MultiPolygon> {
  for (let i = 0; i < lonlat.length / 2; i++) {
    if (isTaken(i)) yield { coords: lonlat.slice(i * 2, i * 2 + 2), ringEnds: [1], polygonEnds: [1] };
  }
}

/** Lines of a table of points; `before` gives the cells before the coordinates. */
function* lines(lonlat: Float64Array, before: (i: number) => string, isLatFirst: boolean): Iterable<string> {
  for (let i = 0; i < lonlat.length / 2; i++) {
    const [lon, lat] = lonlat.subarray(i * 2, i * 2 + 2);
    yield `${before(i)},${isLatFirst ? `${lat},${lon}` : `${lon},${lat}`}`;
  }
}

const writeLines = (path: string, header: string, rows: Iterable<string>): void =>
  writeFileSync(path, `${[header, ...rows].join('\n')}\n`);

function datasetsOf(hazards: readonly HazardFile[]): Record<string, object> {
  const out: Record<string, object> = {
    ...hazardDatasets(hazards),
    gnaf: { adapter: 'gnaf', path: 'gnaf.zip', crs: 'EPSG:7844' },
    asgs: { adapter: 'asgs', path: 'asgs/*.shp' },
    parcels: {
      adapter: 'cadastre',
      path: 'parcels.shp',
      options: { state: 'VIC', field_map: { parcel_id: 'ID' } },
    },
    zones: { adapter: 'zoning', path: 'zones.shp', options: { state: 'VIC' } },
    overlays: { adapter: 'overlays', path: 'overlays.shp', options: { state: 'VIC' } },
    schools: { adapter: 'schools', path: 'schools.csv' },
    places: {
      adapter: 'places_csv',
      path: 'places.csv',
      options: {
        field_map: {
          id: 'id',
          name: 'name',
          kind: 'kind',
          categories: Object.fromEntries(PLACE_CATEGORIES.map((category) => [category, category])),
        },
      },
    },
  };
  for (const mode of MODES)
    out[mode] = {
      adapter: 'stops',
      path: `${mode}.shp`,
      options: { mode, field_map: { stop_id: 'ID', label: 'NAME' } },
    };
  return out;
}

/**
 * Writes the city as releases in the publishers' formats, with a configuration: addresses, parcels, boundaries, zones, overlays,
 * hazards, stops, places, schools.
 */
export async function writeReleases(
  city: City,
  folder: string,
  seed: number,
  hazards: readonly HazardFile[] = HAZARD_FILES,
): Promise<void> {
  mkdirSync(join(folder, 'asgs'), { recursive: true });
  const lattice = new Lattice(city.parcels.length, seed);
  const boundaries = new Boundaries(lattice);
  boundaries.write(join(folder, 'asgs'));
  writeZones(join(folder, 'zones'), lattice, seed);
  writeOverlays(join(folder, 'overlays'), city.parcels.length, seed);
  await writeSyntheticState(join(folder, 'gnaf.zip'), city.addresses.length / 2, {
    lonlat: city.addresses,
    meshBlockAt: (lon, lat) => boundaries.meshBlockAt(lon, lat),
  });
  writeShapes(join(folder, 'parcels'), 'polygon', city.parcels);
  writeHazards(folder, hazards, city, lattice, boundaries, seed);
  MODES.forEach((mode, m) => {
    writeShapes(
      join(folder, mode),
      'point',
      points(city.stops, (i) => city.stopMode[i] === m),
    );
  });
  writeLines(
    join(folder, 'places.csv'),
    'id,name,kind,lon,lat',
    lines(city.pois, (i) => `${i},n${i},${PLACE_CATEGORIES[city.poiCategory[i]!]}`, false),
  );
  writeLines(
    join(folder, 'schools.csv'),
    SCHOOL_COLUMNS,
    lines(
      city.schools,
      (i) =>
        `${40_001 + i},School ${i},Locality,VIC,3000,${i % 3 === 0 ? 'Catholic' : 'Government'},${i % 3 === 1 ? 'Secondary' : 'Primary'},N`,
      true,
    ),
  );
  const datasets = Object.fromEntries(
    Object.entries(datasetsOf(hazards)).map(([id, dataset]) => [id, { ...dataset, licence: 'generated' }]),
  );
  // YAML takes JSON as it is
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify({ datasets }));
}

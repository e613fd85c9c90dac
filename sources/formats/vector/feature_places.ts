import { basename, relative, sep } from 'node:path';
import { EtlError } from '../../../schema/errors.ts';
import { commonFolder } from '../archive/release_members.ts';
import { listZip } from '../archive/zip.ts';
import type { FeatureFormat, FeaturePlace } from '../feature.ts';
import { listGeoPackageLayers } from './geopackage.ts';

/** Formats by file name extension. */
const BY_NAME: readonly (readonly [RegExp, FeatureFormat])[] = [
  [/\.shp$/i, 'shapefile'],
  [/\.(geojson|json)(\.gz)?$/i, 'geojson'],
  [/\.(ndjson|jsonl|geojsonl|geojsons|geojsonseq)(\.gz)?$/i, 'ndjson'],
  [/\.gpkg$/i, 'geopackage'],
  [/\.fgb$/i, 'flatgeobuf'],
  [/\.(parquet|geoparquet)$/i, 'parquet'],
  [/\.csv$/i, 'csv'],
];
const GEODATABASE = /^(.*\.gdb)(\/|$)/i;

/** Returns the path of the file geodatabase that a file is part of, with forward slashes; null: it is not part of one. */
export const geodatabaseOf = (path: string): string | null =>
  GEODATABASE.exec(path.split(sep).join('/'))?.[1] ?? null;

/** Returns the format of a file by its name; null: not supported. */
export const formatOfName = (name: string): FeatureFormat | null =>
  BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? null;

/** Removes folder and extension from a name: `zones` from `vic/zones.geojson.gz`. */
export function stemOf(file: string): string {
  const name = basename(file);
  const pattern = BY_NAME.find(([each]) => each.test(name))?.[0];
  return pattern === undefined ? name : name.replace(pattern, '');
}

/** Layers of vector files among the files of a dataset. */
export interface VectorLayers {
  /** In path order. */
  readonly places: readonly FeaturePlace[];
  /** File geodatabases that are not read, because the package that opens them is not installed. */
  readonly geodatabases: readonly string[];
}

/**
 * Finds the layers: files by name, members of zips, tables of GeoPackages, layers of file geodatabases. Throws the EtlErrors of the zip,
 * the GeoPackage and the geodatabase.
 */
export async function locateFeatures(
  paths: readonly string[],
  opensGeodatabases?: boolean,
): Promise<VectorLayers> {
  const root = commonFolder(paths);
  const places: FeaturePlace[] = [];
  const geodatabases = new Map<string, Omit<FeaturePlace, 'format' | 'layer'>>();
  for (const path of paths) {
    const name = relative(root, path).split(sep).join('/');
    const geodatabase = geodatabaseOf(path);
    if (geodatabase !== null) {
      const below = relative(root, geodatabase).split(sep).join('/');
      const file = /^(\.\.)?$/.test(below) ? basename(geodatabase) : below;
      geodatabases.set(file, { path: geodatabase, member: null, file });
    } else if (/\.zip$/i.test(path)) await locateInZip(path, name, places, geodatabases);
    else await add({ path, member: null, file: name }, name, places);
  }
  if (geodatabases.size === 0) return { places, geodatabases: [] };
  const { hasGdal, listGeodatabaseLayers } = await import('./geodatabase.ts');
  if (!(opensGeodatabases ?? hasGdal())) return { places, geodatabases: [...geodatabases.keys()] };
  for (const location of geodatabases.values()) {
    for (const layer of await listGeodatabaseLayers(location))
      places.push({ ...location, format: 'geodatabase', layer, file: `${location.file} › ${layer}` });
  }
  return { places, geodatabases: [] };
}

async function locateInZip(
  path: string,
  name: string,
  places: FeaturePlace[],
  geodatabases: Map<string, Omit<FeaturePlace, 'format' | 'layer'>>,
): Promise<void> {
  const members = (await listZip(path, () => true, { file: name })).map((member) => member.name).sort();
  const before = places.length + geodatabases.size;
  for (const member of members) {
    const geodatabase = GEODATABASE.exec(member)?.[1];
    const file = `${name} › ${geodatabase ?? member}`;
    if (geodatabase !== undefined) geodatabases.set(file, { path, member: geodatabase, file });
    else await add({ path, member, file }, member, places);
  }
  if (places.length + geodatabases.size > before) return;
  throw new EtlError(
    'no_features',
    `${name}: the zip has no readable vector file such as .shp, .geojson or .gpkg (members: ${members.slice(0, 5).join(', ')}). Exclude it from the pattern.`,
    { details: { file: name } },
  );
}

/** Adds the layers of a file: a GeoPackage has one for each feature table. */
async function add(
  location: Omit<FeaturePlace, 'format' | 'layer'>,
  name: string,
  places: FeaturePlace[],
): Promise<void> {
  const format = formatOfName(name);
  if (format === null) return;
  if (format !== 'geopackage') {
    places.push({ ...location, format, layer: null });
    return;
  }
  const layers = await listGeoPackageLayers({ ...location, format, layer: null });
  for (const layer of layers)
    places.push({ ...location, format, layer, file: `${location.file} › ${layer}` });
}

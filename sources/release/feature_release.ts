import { basename } from 'node:path';
import { z } from 'zod';
import { EtlError } from '../../schema/errors.ts';
import type { DatasetConfig, Release } from '../adapter.ts';
import type { Family, FeatureField, FeaturePlace, FeatureSource, FormatHeader } from '../formats/feature.ts';
import { openFormat } from '../formats/vector/feature_file.ts';
import { locateFeatures, stemOf } from '../formats/vector/feature_places.ts';
import { settleCrs } from '../formats/vector/settle_crs.ts';
import { readShapefileFields } from '../formats/vector/shapefile_features.ts';
import { releaseLabel } from './release_label.ts';

/** A layer found in a release. `id` is its name without folder and extension, longer only if two share it. */
export interface FoundLayer {
  readonly id: string;
  readonly source: FeatureSource;
  readonly fields: readonly FeatureField[];
  /** Families in the header or in the first features; empty: unknown. */
  readonly families: ReadonlySet<Family>;
}

/** The layers of a release, with notes for the run report. */
interface FeatureRelease {
  /** In path order; never empty. */
  readonly found: readonly FoundLayer[];
  readonly crs: Release['crs'];
  readonly notes: string[];
  /** Label if the dataset states none: a date in a file name, else the latest date inside a file, else a hash. */
  readonly label: string;
}

/** Names of the layers to read (file or table names without folder and extension, any case); null: all. */
export type Layers = readonly string[] | null;

/** Option that names the layers to read, for a dataset whose files hold more than is wanted. */
export const layersOption = z
  .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
  .nullish()
  .transform((names): Layers => (names == null ? null : [names].flat()));

/**
 * Finds every layer of features among the files of a dataset, plain or zipped, in any supported format (.shp, .geojson, .ndjson, .gpkg,
 * .gdb, .fgb, .parquet …), and determines each CRS from its headers. EtlError: `missing_file` (no layer); `no_features` (all are empty);
 * `file_geodatabase` (only geodatabases, and the package that opens them is not installed); `missing_crs`; `unknown_crs`; and the errors of
 * openFeatureFile.
 */
export async function findFeatureFiles(
  dataset: DatasetConfig,
  layers: Layers,
  opensGeodatabases?: boolean,
): Promise<FeatureRelease> {
  const paths = dataset.files.map((file) => file.path);
  const { places, geodatabases } = await locateFeatures(paths, opensGeodatabases);
  const wantedLayers = wantedOf(dataset, places, layers, geodatabases);
  const notes = places
    .filter((each) => !wantedLayers.includes(each))
    .map((each) => `${each.file} is not one of the layers; skipped.`);
  for (const name of geodatabases)
    notes.push(`${name} is a file geodatabase; skipped. To read it, ${install(name)}`);
  const statedCrs = new Set<string>();
  const applied = new Set<string>();
  const assumed: string[] = [];
  const foundLayers: (FoundLayer & { changed: string | null })[] = [];
  for (const location of wantedLayers) {
    const header = await readHeader(location, notes, wantedLayers.length > 1);
    if (header === null) continue;
    if (isEmpty(location, header)) {
      notes.push(`${location.file} has no features; skipped.`);
      continue;
    }
    const crs = settleCrs(header.crs, dataset.crs, location.file, notes);
    if (crs.stated !== null) statedCrs.add(crs.stated);
    applied.add(crs.applied);
    if (crs.assumed) assumed.push(location.file);
    noteUnlisted(header.siblings, paths, location.file, notes);
    const source = { ...location, crs: crs.text, grid: dataset.datum_grid };
    const { fields, families, changed } = header;
    foundLayers.push({ id: partId(location, wantedLayers), source, fields, families, changed });
  }
  if (foundLayers.length === 0) throw noFeatures(dataset, wantedLayers);
  const join = (ids: Set<string>) => [...ids].sort().join(', ');
  return {
    found: foundLayers.map(({ changed: _changed, ...layer }) => layer),
    crs: {
      applied: join(applied),
      stated: statedCrs.size === 0 ? null : join(statedCrs),
      overridden: dataset.crs !== null && join(statedCrs) !== join(applied),
      ...(assumed.length === 0 ? {} : { datum_assumed: true }),
    },
    notes,
    label: releaseLabel(
      dataset,
      foundLayers.map(({ source, changed }) => ({ file: source.file, changed })),
    ),
  };
}

/** Returns whether a layer has no features; known only for GeoJSON, which has no columns without features. */
const isEmpty = ({ format }: FeaturePlace, { fields, families }: FormatHeader): boolean =>
  format === 'geojson' && fields.length === 0 && families.size === 0;

const noFeatures = (dataset: DatasetConfig, places: readonly FeaturePlace[]): EtlError =>
  new EtlError(
    'no_features',
    `dataset ${dataset.id}: ${places.map(({ file }) => file).join(', ')} has no features and no columns. Fetch it again, or exclude it from the pattern.`,
    { details: { dataset: dataset.id } },
  );

/** Returns the wanted layers; refuses a dataset without any. */
function wantedOf(
  dataset: DatasetConfig,
  places: readonly FeaturePlace[],
  layers: Layers,
  geodatabases: readonly string[],
): readonly FeaturePlace[] {
  const names = new Set(layers?.map((layer) => layer.toLowerCase()));
  const wantedLayers = places.filter((each) => layers === null || names.has(layerName(each).toLowerCase()));
  if (wantedLayers.length > 0) return wantedLayers;
  if (places.length > 0) {
    throw new EtlError(
      'missing_file',
      `dataset ${dataset.id}: none of its layers (${places.map((each) => each.file).join(', ')}) is ${layers?.join(', ')}. Check the option layers.`,
      { details: { dataset: dataset.id } },
    );
  }
  if (geodatabases.length > 0) {
    throw new EtlError(
      'file_geodatabase',
      `dataset ${dataset.id}: ${geodatabases.join(', ')}: opening a file geodatabase needs an optional package; ${install(geodatabases[0]!)}`,
      { details: { dataset: dataset.id, geodatabases } },
    );
  }
  throw new EtlError(
    'missing_file',
    `dataset ${dataset.id}: no vector file (.shp, .geojson, .ndjson, .gpkg, .gdb, .fgb, .parquet, or a .zip of them) among its ${dataset.files.length} files. Check the configured pattern.`,
    { details: { dataset: dataset.id, files: dataset.files.slice(0, 20).map((file) => file.path) } },
  );
}

/**
 * Returns the command that installs the package for geodatabases, and the one that converts this geodatabase; GDAL can open the zip
 * directly.
 */
function install(name: string): string {
  const geodatabase = basename(name.replace(/^.* › /, ''));
  const source = name.includes(' › ') ? `/vsizip/${name.replace(' › ', '/')}` : name;
  return `run npm install gdal3.js, or convert it with: ogr2ogr -f FlatGeobuf "${geodatabase.replace(/\.gdb$/i, '')}" "${source}" (a folder with one .fgb for each layer).`;
}

const layerName = (location: FeaturePlace): string =>
  location.layer ?? stemOf(location.member ?? location.path);

function partId(location: FeaturePlace, all: readonly FeaturePlace[]): string {
  const name = layerName(location);
  if (all.filter((each) => layerName(each) === name).length === 1) return name;
  return location.layer === null && location.format === 'shapefile'
    ? location.file.replace(/\.shp$/i, '')
    : location.file;
}

/**
 * Reads the header of a layer. If there are other files, a .json that is not GeoJSON or a .csv without coordinates is left out with a note
 * (null): it may describe the others.
 */
async function readHeader(
  location: FeaturePlace,
  notes: string[],
  oneOfSeveral: boolean,
): Promise<FormatHeader | null> {
  if (location.format === 'shapefile') return readShapefileFields(location);
  try {
    const file = await openFormat(location);
    await file.close();
    return file;
  } catch (error) {
    const isOther =
      error instanceof EtlError && error.code === 'bad_geojson' && /\.json(\.gz)?$/i.test(location.file);
    const isTable = error instanceof EtlError && error.code === 'missing_column' && location.format === 'csv';
    if (!(isOther || isTable) || !oneOfSeveral) throw error;
    notes.push(`${location.file} is not ${isTable ? 'a list of places' : 'GeoJSON'}; skipped.`);
    return null;
  }
}

/** Notes files that are read but not listed: they are not part of the fingerprint, so a change of them alone would go unnoticed. */
function noteUnlisted(
  siblings: readonly string[],
  paths: readonly string[],
  file: string,
  notes: string[],
): void {
  const unlisted = siblings.filter((path) => !paths.includes(path));
  if (unlisted.length === 0) return;
  const names = unlisted.map((path) => basename(path)).join(', ');
  notes.push(
    `${file}: ${names} is read but not listed in the path of the dataset; widen the pattern so that its changes are noticed.`,
  );
}

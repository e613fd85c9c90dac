import { localFile } from '../archive/local_copy.ts';
import type { FeatureField, FeaturePlace, FormatFile } from '../feature.ts';
import { missingColumns } from '../table/columns.ts';
import { readCsvRows } from '../table/csv_rows.ts';
import { bindHeader, type TableRow, tableRows } from '../table/csv_table.ts';
import { bindAliases, decimalNumber } from '../table/tabular.ts';
import { damagedFeature, type PlainFeature, PlainFeatures } from './plain_features.ts';

const BATCH_FEATURES = 2048;

/** Column names of the coordinates, east first; in degrees or metres, depending on the CRS of the dataset. */
const COORDINATES = {
  x: ['longitude', 'lon', 'long', 'lng', 'x', 'easting', 'x_coord', 'longitude_gda2020', 'longitude_gda94'],
  y: ['latitude', 'lat', 'y', 'northing', 'y_coord', 'latitude_gda2020', 'latitude_gda94'],
} as const;

/** Finds the coordinate columns; a header without them is an error that names its columns. */
function coordinateColumns(header: readonly string[], file: string): { x: number; y: number } {
  // Both come from one pair: another column may be in another unit.
  const { x, y } = bindAliases(header, COORDINATES);
  if (x.length > 0 && y.length > 0) return { x: x[0]!, y: y[0]! };
  const neededColumns = ['of coordinates, such as longitude and latitude or easting and northing'];
  throw missingColumns(
    file,
    neededColumns,
    header,
    'Check that it is a list of places, or exclude it from the pattern.',
  );
}

/**
 * Opens a CSV file of places as a layer of points. The file states no CRS, so the dataset must. A row without coordinates has no shape. A
 * row of another width than the header is a reject `short_row` or `long_row`; coordinates that are not numbers are `bad_coordinate`. A note
 * below the table is the drop `footnote`.
 * EtlErrors: `missing_column` and the errors of readCsvRows and localFile.
 */
export async function openCsvPoints(location: FeaturePlace, signal?: AbortSignal): Promise<FormatFile> {
  signal?.throwIfAborted();
  const local = await localFile(location);
  try {
    const bind = (header: readonly string[]) => ({ header, ...coordinateColumns(header, location.file) });
    const lines = () => readCsvRows(local.path, location.file, { signal });
    const { header } = await bindHeader(lines(), bind);
    const fields = header.map((name, key): FeatureField => ({ name, numeric: false, key }));
    return {
      fields,
      families: new Set(['point']),
      crs: null,
      changed: null,
      siblings: [],
      notes: () => [],
      close: () => local.remove(),
      async *features(toGda2020) {
        try {
          let first = 1;
          let features: PlainFeature[] = [];
          for await (const row of tableRows(lines(), bind)) {
            const feature = featureOf(row);
            const isPlaced = feature.geometry !== null && !('code' in feature.geometry);
            features.push(row.isLikeFootnote && !isPlaced ? NOTE : feature);
            if (features.length < BATCH_FEATURES) continue;
            yield new PlainFeatures(first, features, toGda2020);
            first += features.length;
            features = [];
          }
          if (features.length > 0) yield new PlainFeatures(first, features, toGda2020);
        } finally {
          await local.remove();
        }
      },
    };
  } catch (error) {
    await local.remove();
    throw error;
  }
}

/** A note below the table. */
const NOTE: PlainFeature = { problem: null, values: {}, geometry: null, drop: 'footnote' };

function featureOf({ cells, problem, columns: { x, y } }: TableRow<{ x: number; y: number }>): PlainFeature {
  if (problem !== null) return damagedFeature(problem.code, problem.message);
  const [lon, lat] = [decimalNumber(cells[x]!), decimalNumber(cells[y]!)];
  const base = { problem: null, values: cells as unknown as Record<number, unknown> };
  if (lon === null && lat === null) return { ...base, geometry: null };
  if (lon === null || lat === null || Number.isNaN(lon) || Number.isNaN(lat)) {
    const message = `its coordinates are ${JSON.stringify([cells[x], cells[y]]).slice(0, 80)}`;
    return { ...base, geometry: { code: 'bad_coordinate', message } };
  }
  return {
    ...base,
    geometry: { kind: 'point', coords: Float64Array.of(lon, lat), ends: [1], polygonEnds: null },
  };
}

import { EtlError } from '../../../schema/errors.ts';
import { recogniseCrs } from '../../../transforms/geo/crs.ts';
import type { RowTally } from '../../tally.ts';
import type {
  Family,
  FeatureField,
  FeatureFormat,
  FeaturePlace,
  FeatureSource,
  Features,
  FormatFile,
} from '../feature.ts';
import { openCsvPoints } from './csv_points.ts';
import { toGda2020ByGrid } from './datum_grid.ts';
import { openGeoJson } from './geojson.ts';
import { PieceBudget, withinBudget } from './piece_budget.ts';
import { openShapefileFeatures } from './shapefile_features.ts';

/** An open layer whose shapes are in GDA2020; a caller that does not read `batches` to the end must close it. */
export interface FeatureFile {
  readonly fields: readonly FeatureField[];
  /** Families in the header or in the first features; empty: unknown. */
  readonly families: ReadonlySet<Family>;
  /**
   * Reads all features in order, once; closes the file at the end, on an error, on abort and when the caller stops early. `wanted` are the
   * fields that will be read; absent: all. Columnar formats read no others.
   */
  batches(fields?: readonly (FeatureField | null)[]): AsyncIterable<Features>;
  /** Returns sentences for the run report, complete after all batches were read. */
  notes(): string[];
  /** Returns how the file states that it lacks features, once all batches were read; null: it does not. */
  incomplete(): string | null;
  close(): Promise<void>;
}

type Open = (location: FeaturePlace, signal?: AbortSignal) => Promise<FormatFile>;

/** Readers by format. Large libraries are loaded only when a file needs them, because each thread of a run pays for what it loads. */
const OPEN: Readonly<Record<FeatureFormat, Open>> = {
  shapefile: openShapefileFeatures,
  geojson: openGeoJson,
  ndjson: openGeoJson,
  geopackage: async (...place) => (await import('./geopackage.ts')).openGeoPackage(...place),
  flatgeobuf: async (...place) => (await import('./flatgeobuf.ts')).openFlatGeobuf(...place),
  geodatabase: async (...place) => (await import('./geodatabase.ts')).openGeodatabase(...place),
  parquet: async (...place) => (await import('./geoparquet.ts')).openGeoParquet(...place),
  csv: openCsvPoints,
};

/** Opens a layer in its own format and CRS. EtlErrors as the reader of the format. */
export const openFormat: Open = (place, signal) => OPEN[place.format](place, signal);

/**
 * Opens one layer of a release in any format. `families` are the families that the caller supports: a file with none of them is an EtlError
 * `wrong_shape_type`. Further EtlErrors: `unknown_crs` and the errors of the format's reader.
 */
export async function openFeatureFile(
  source: FeatureSource,
  signal?: AbortSignal,
  families: readonly Family[] = ['polygon', 'line', 'point'],
): Promise<FeatureFile> {
  signal?.throwIfAborted();
  const shift = toGda2020ByGrid(recogniseCrs(source.crs, source.file), source.grid);
  const file = await openFormat(source, signal);
  if (file.families.size > 0 && !families.some((family) => file.families.has(family))) {
    await file.close();
    throw wrongShapeType(source.file, file.families, families);
  }
  return {
    fields: file.fields,
    families: file.families,
    async *batches(wanted) {
      const budget = new PieceBudget();
      const fields = wanted?.filter((field) => field !== null) ?? file.fields;
      for await (const batch of file.features(shift, fields)) yield withinBudget(batch, budget);
    },
    notes: () => file.notes(),
    incomplete: () => file.incomplete?.() ?? null,
    close: () => file.close(),
  };
}

function wrongShapeType(file: string, has: ReadonlySet<Family>, wantedFamilies: readonly Family[]): EtlError {
  const list = (families: Iterable<Family>) => [...families].map((family) => `${family}s`).join(' or ');
  return new EtlError(
    'wrong_shape_type',
    `${file}: the file holds ${list(has)}, ${list(wantedFamilies)} are needed. Check that it is the right layer.`,
    { details: { file, has: [...has], wanted: wantedFamilies } },
  );
}

/** Yields the readable rows of a batch; the tally rejects damaged ones and drops deleted ones and notes below a table. */
export function* readableRows(batch: Features, tally: RowTally): Generator<number> {
  for (let row = 0; row < batch.count; row++) {
    tally.rows_in++;
    const problem = batch.problem(row);
    const drop = batch.dropOf(row);
    if (problem !== null) {
      const { code, message, extent } = problem;
      tally.reject(batch.first + row, code, message, { extent });
    } else if (drop !== null) tally.drop(drop);
    else yield row;
  }
}

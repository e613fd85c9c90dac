import { localFile } from '../../sources/formats/archive/local_copy.ts';
import type { FeatureField, FeaturePlace, FormatFile } from '../../sources/formats/feature.ts';
import { readCsvRows } from '../../sources/formats/table/csv_rows.ts';
import { openFormat } from '../../sources/formats/vector/feature_file.ts';
import { geodesicAreaSqm } from '../../transforms/geo/area.ts';
import { type Crs, recogniseCrs, toGda2020 } from '../../transforms/geo/crs.ts';
import { statesAt } from './states_at.ts';

export type LayerColumn = InspectedLayer['columns'][number];

/** Maximum features inspected in a layer. */
const LOOKED = 2000;
/** Maximum shapes located by state, and the interval between them, in features. */
const PLACED = 40;
const SPACED = 25;

/** A layer in its file, with facts about its first features. */
export interface InspectedLayer {
  readonly file: string;
  /** CRS as stated in the file; null: none stated. */
  readonly crs: string | null;
  /** Whether the CRS names an Australian datum; null: none stated, or unknown. */
  readonly names_datum: boolean | null;
  /** Geometry families; empty: a table without coordinates. */
  readonly families: readonly string[];
  readonly looked: number;
  /** Columns in file order, with the count of each value. */
  readonly columns: readonly { readonly name: string; readonly values: ReadonlyMap<string, number> }[];
  /** States that most sampled shapes are in; near a border also the neighbouring state. Empty: unknown. */
  readonly states: readonly string[];
  /** Median area of sampled polygons, square metres; null: none sampled. */
  readonly median_sqm: number | null;
}

type Values = Map<string, number>;

const count = (values: Values, text: string | null): void => {
  if (text !== null && text !== '') values.set(text, (values.get(text) ?? 0) + 1);
};

/** Reads the first features of a layer, or the first rows of a table without coordinates. */
export async function inspectLayer(location: FeaturePlace): Promise<InspectedLayer> {
  const file = await openFormat(location).catch((error: Error & { code?: string }) => {
    if (location.format === 'csv' && error.code === 'missing_column') return null;
    throw error;
  });
  if (file === null) return readTable(location);
  try {
    return await readFeatures(location, file);
  } finally {
    await file.close();
  }
}

async function readFeatures(location: FeaturePlace, file: FormatFile): Promise<InspectedLayer> {
  const valuesOf = new Map<FeatureField, Values>(file.fields.map((field) => [field, new Map()]));
  const crs = knownCrs(file.crs, location.file);
  const shift = crs !== null ? toGda2020(crs) : isDegrees(file.crs, location.file) ? () => undefined : null;
  const states = new Map<string, number>();
  const areas: number[] = [];
  let looked = 0;
  let placedRows = 0;
  for await (const batch of file.features(shift ?? (() => undefined), file.fields)) {
    for (let row = 0; row < batch.count && looked < LOOKED; row++) {
      if (batch.problem(row) !== null) continue;
      for (const [field, values] of valuesOf) count(values, batch.id(row, field));
      if (shift !== null && placedRows < PLACED && looked % (batch.count < 200 ? 1 : SPACED) === 0) {
        const shape = batch.shape(row);
        if ('geometry' in shape) {
          const [lon, lat] = shape.geometry.coords;
          for (const state of statesAt(lon!, lat!)) states.set(state, (states.get(state) ?? 0) + 1);
          if (shape.kind === 'polygon') areas.push(geodesicAreaSqm(shape.geometry));
          placedRows++;
        }
      }
      looked++;
    }
    if (looked >= LOOKED) break;
  }
  return {
    file: location.file,
    crs: file.crs,
    names_datum: crs && crs.datum !== 'WGS84',
    families: [...file.families].sort(),
    looked,
    columns: [...valuesOf].map(([{ name }, values]) => ({ name, values })),
    states: [...states]
      .filter(([, n]) => n * 2 > placedRows)
      .map(([state]) => state)
      .sort(),
    median_sqm: areas.sort((a, b) => a - b)[Math.floor(areas.length / 2)] ?? null,
  };
}

/** Returns whether coordinates are taken to be degrees: for a CSV file that states no CRS. */
const isDegrees = (crs: string | null, file: string): boolean => crs === null && /\.csv$/i.test(file);

/** Recognises the CRS of a file; null: none stated, or unknown. */
function knownCrs(crs: string | null, file: string): Crs | null {
  if (crs === null) return null;
  try {
    return recogniseCrs(crs, file);
  } catch {
    return null;
  }
}

async function readTable(location: FeaturePlace): Promise<InspectedLayer> {
  const local = await localFile(location);
  try {
    let columns: { name: string; values: Values }[] | null = null;
    let looked = 0;
    for await (const { cells } of readCsvRows(local.path, location.file, {})) {
      if (columns === null) {
        columns = cells.map((name) => ({ name, values: new Map() }));
        continue;
      }
      for (const [i, { values }] of columns.entries()) count(values, cells[i]?.trim() ?? null);
      if (++looked >= LOOKED) break;
    }
    return {
      file: location.file,
      crs: null,
      names_datum: null,
      families: [],
      looked,
      columns: columns ?? [],
      states: [],
      median_sqm: null,
    };
  } finally {
    await local.remove();
  }
}

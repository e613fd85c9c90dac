import type { Bbox } from '../../schema/grid.ts';
import type { MultiLine, MultiPoint, MultiPolygon } from '../../transforms/geo/geometry.ts';

/** What the header of a file states. */
export type FormatHeader = Pick<FormatFile, 'fields' | 'families' | 'crs' | 'changed' | 'siblings'>;

/** Formats of vector files that are read. */
const FEATURE_FORMATS = [
  'shapefile',
  'geojson',
  'ndjson',
  'geopackage',
  'flatgeobuf',
  'geodatabase',
  'parquet',
  'csv',
] as const;
export type FeatureFormat = (typeof FEATURE_FORMATS)[number];

/** Where the features of one layer are; survives structured cloning. */
export interface FeaturePlace {
  readonly format: FeatureFormat;
  /** Absolute path of the file (of a geodatabase: its folder), or of the zip that holds it. */
  readonly path: string;
  /** Path inside the zip; null: not in a zip. */
  readonly member: string | null;
  /** Table of a GeoPackage, layer of a geodatabase; null: the file holds one layer. */
  readonly layer: string | null;
  /** Name in messages, rejects and accounts: the path inside the release. */
  readonly file: string;
}

/** One layer of a release and how to read it; survives structured cloning. */
export interface FeatureSource extends FeaturePlace {
  /** CRS to apply: `EPSG:n` or well-known text. */
  readonly crs: string;
}

/** One attribute of a file. It is looked up once, by findField, and then handed to the batches. */
export interface FeatureField {
  readonly name: string;
  /** True for a column of numbers; of formats without a schema, where its first value is a number. */
  readonly numeric: boolean;
  /** Where the reader of the format finds it. */
  readonly key: string | number;
}

/** What a shape is: the families never mix in one feature. */
export type Family = 'polygon' | 'line' | 'point';

/** What is wrong with a feature: code and message of its reject. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  /** Box around its shape, GDA2020 degrees; absent: not known. */
  readonly extent?: Bbox | undefined;
}

/** Shape of a feature in GDA2020 degrees; `none`: the feature has no shape. */
export type Shape =
  | { readonly kind: 'polygon'; readonly geometry: MultiPolygon; readonly repaired: string | null }
  | { readonly kind: 'line'; readonly geometry: MultiLine }
  | { readonly kind: 'point'; readonly geometry: MultiPoint }
  | { readonly kind: 'none' }
  | { readonly kind: 'reject'; readonly reject: Problem };

/** A run of features. Rows count from 0 inside the batch; feature numbers count from 1 in the file. */
export interface Features {
  /** Feature number of row 0. */
  readonly first: number;
  readonly count: number;
  /** Why the row cannot be read at all (damaged JSON …), so that it has neither attributes nor shape; null: it can. */
  problem(row: number): Problem | null;
  /** True for a row that its file marks as deleted. */
  deleted(row: number): boolean;
  /** The attribute as text without trailing blanks, whatever its type; null: blank, or the file has none. */
  text(row: number, field: FeatureField): string | null;
  /** The attribute as a finite number; null: blank, or not a number. */
  number(row: number, field: FeatureField): number | null;
  /** The attribute as an identifier: trimmed, a number without zero decimals or exponent; null: blank or asterisks. */
  id(row: number, field: FeatureField): string | null;
  /** Computed at each call. Polygons are valid, lines have length, all vertices are in Australia. */
  shape(row: number): Shape;
}

/** An open layer as its format gives it: coordinates are not moved until `features` is told how. */
export interface FormatFile {
  readonly fields: readonly FeatureField[];
  /** Families that the header states or the first features have; empty: not known. */
  readonly families: ReadonlySet<Family>;
  /** CRS as the file states it, `EPSG:n` or well-known text; null: it states none. */
  readonly crs: string | null;
  /** Date that the file states for itself, `YYYY-MM-DD`. */
  readonly changed: string | null;
  /** Files that are read besides `path`. */
  readonly siblings: readonly string[];
  /**
   * All features in order, once; closes the file at the end, at an error, and when the caller stops early.
   * `toGda2020` moves flat coordinates in place; only attributes of `wanted` may be asked for.
   */
  features(
    toGda2020: (coords: Float64Array) => void,
    wanted: readonly FeatureField[],
  ): AsyncIterable<Features>;
  /** Sentences for the run report about what was read so far. */
  notes(): string[];
  /** Says how the file states that it lacks features, when all were read; null or absent: it states no such thing. */
  incomplete?(): string | null;
  /** Safe to call twice. */
  close(): Promise<void>;
}

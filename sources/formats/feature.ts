import type { NamedArea } from '../../schema/errors.ts';
import type { Bbox } from '../../schema/grid.ts';
import type { MultiLine, MultiPoint, MultiPolygon } from '../../transforms/geo/geometry.ts';
import type { DatumGrid } from './vector/datum_grid.ts';

export type FormatHeader = Pick<FormatFile, 'fields' | 'families' | 'crs' | 'changed' | 'siblings'>;

/** Vector file formats that are supported. */
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

/** Location of one layer's features; survives structured cloning. */
export interface FeaturePlace {
  readonly format: FeatureFormat;
  /** Absolute path of the file (for a geodatabase, its folder), or of the zip that holds it. */
  readonly path: string;
  /** Path inside the zip; null: not in a zip. */
  readonly member: string | null;
  /** Table of a GeoPackage, layer of a geodatabase; null: the file holds one layer. */
  readonly layer: string | null;
  /** Name in messages, rejects and row accounts: the path inside the release. */
  readonly file: string;
}

/** One layer of a release and how to read it; survives structured cloning. */
export interface FeatureSource extends FeaturePlace {
  /** CRS to apply: `EPSG:n` or well-known text. */
  readonly crs: string;
  /** Grid that moves GDA94 coordinates; absent: the national seven parameters do. */
  readonly grid?: DatumGrid | undefined;
}

/** One attribute of a file. Looked up once by findField, then passed to the batches. */
export interface FeatureField {
  readonly name: string;
  /** True for a column of numbers; in formats without a schema, if its first value is a number. */
  readonly numeric: boolean;
  /** Key of the attribute in the format's reader. */
  readonly key: string | number;
}

/** Kind of shape. One feature never mixes families. */
export type Family = 'polygon' | 'line' | 'point';

/** Code and message of a feature's reject. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  /** Box around its shape, GDA2020 degrees; absent: unknown. */
  readonly extent?: Bbox | undefined;
  /** Area that the row names; absent: none. */
  readonly area?: NamedArea | undefined;
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
  /** Returns why the row cannot be read at all (damaged JSON …), so that it has neither attributes nor shape; null: it can. */
  problem(row: number): Problem | null;
  /** Returns the name of the drop of a row that its file marks as deleted, or that is a note below a table; null: neither. */
  dropOf(row: number): string | null;
  /** Returns the attribute as text without trailing blanks, whatever its type; null: blank, or not in the file. */
  text(row: number, field: FeatureField): string | null;
  /** Returns the attribute as a finite number; null: blank, or not a number. */
  number(row: number, field: FeatureField): number | null;
  /** Returns the attribute as an identifier: trimmed, a number without zero decimals or exponent; null: blank or asterisks. */
  id(row: number, field: FeatureField): string | null;
  /** Returns the shape, computed at each call. Polygons are valid, lines have length, all vertices are in Australia. */
  shape(row: number): Shape;
}

/** An open layer in its own format and CRS: `features` gets the function that transforms coordinates. */
export interface FormatFile {
  readonly fields: readonly FeatureField[];
  /** Families in the header or in the first features; empty: unknown. */
  readonly families: ReadonlySet<Family>;
  /** CRS stated in the file, `EPSG:n` or well-known text; null: none. */
  readonly crs: string | null;
  /** Date that the file states for itself, `YYYY-MM-DD`; null: none. */
  readonly changed: string | null;
  /** Files that are read besides `path`. */
  readonly siblings: readonly string[];
  /**
   * Reads all features in order, once; closes the file at the end, on an error, and when the caller stops early. `toGda2020` transforms
   * flat coordinates in place; only attributes in `wanted` can be read.
   */
  features(
    toGda2020: (coords: Float64Array) => void,
    wanted: readonly FeatureField[],
  ): AsyncIterable<Features>;
  /** Returns sentences for the run report about what was read so far. */
  notes(): string[];
  /** Returns how the file states that it lacks features, once all were read; null or absent: it does not. */
  incomplete?(): string | null;
  /** Safe to call twice. */
  close(): Promise<void>;
}

import type { Reject } from '../schema/errors.ts';
import type { Row, Table } from '../schema/table.ts';

/** One file of a release. `path` is absolute; `bytes` and `sha256` identify its content. */
export interface ReleaseFile {
  path: string;
  bytes: number;
  sha256: string;
}

/** Configuration of one dataset. The adapter defines which `options` exist. */
export interface DatasetConfig {
  /** Name of the dataset in the configuration, for example `gnaf` or `cadastre_vic`. */
  id: string;
  /** Files of the release, sorted by path. For a shapefile: the .shp and its siblings, or the zip that holds them. */
  files: readonly ReleaseFile[];
  /** Release label, if the operator states it. Null: the adapter detects it from file names. */
  release: string | null;
  /** CRS that overrides what the files state, for example `EPSG:7844`. */
  crs: string | null;
  /** Grid that moves GDA94 coordinates to GDA2020; absent: the national seven parameters do. */
  datum_grid?: ReleaseFile;
  /** Adapter-specific settings. */
  options: Readonly<Record<string, unknown>>;
}

/** A dated, immutable delivery of a dataset, as an adapter found it on disk. */
export interface Release {
  dataset: DatasetConfig;
  /** Label such as `NOVEMBER 2025` or `2021`; never empty. */
  id: string;
  /** CRS of the coordinates in the files, as applied. */
  crs: {
    applied: string;
    stated: string | null;
    overridden: boolean;
    /** True: files that state only WGS 84, which names no Australian datum, are read as GDA2020. */
    datum_assumed?: boolean;
  };
  /** Sentences for the run report: an overridden CRS, a missing table, an assumed datum. */
  notes: string[];
}

/** The unit of loading: a state of G-NAF, one shapefile. Parts of a release can be read at the same time. */
export interface Part {
  /** Unique in the release and stable between releases, for example `VIC`. */
  id: string;
  /**
   * Paths of the files that decide what the part reads; absent: all files of the release. A part whose files and settings have not changed
   * since its load is not read again, so a folder that gains one file a night costs one file.
   */
  files?: readonly string[];
  /** What the adapter needs to read it; survives structured cloning (it crosses a worker boundary). */
  source: unknown;
}

/** Rows of one record table, read together. */
export interface RecordBatch<T extends Table = Table> {
  table: T;
  rows: Row<T>[];
}

/**
 * Account of one physical input (a member of a zip, a shapefile): every row read is a record, a reject or a named drop.
 * `rows_in = records + rejects + Σ drops` must hold when the part is finished.
 */
export interface InputAccount {
  file: string;
  /** Record table that its rows become; null for lookups that only enrich (a code list, a geocode table). */
  table: string | null;
  rows_in: number;
  /** Input rows that became (or were merged into) a record. */
  records: number;
  rejects: number;
  /** Rejects whose content was kept from another file of the dataset. Absent: none. */
  in_other_file?: number;
  /** Input rows left out on purpose, by name. */
  drops: Record<string, number>;
  /** Rows by value of a class, code or status that the field map does not know. They are also counted as records or drops. Absent: none. */
  unknown?: Record<string, number>;
  /** Records that are zones without a category, by code or name. Absent: none. */
  uncategorised?: Record<string, number>;
}

/** One step of reading a part. All fields are optional; `accounts` is sent once, with the last batch of the part. */
export interface SourceBatch {
  records?: RecordBatch[];
  rejects?: Reject[];
  accounts?: InputAccount[];
  notes?: string[];
  /** Files that state that they lack features: nothing is known of the area they claim to cover. */
  incomplete?: string[];
}

/** What ends the reading of a part early. */
export interface ReadContext {
  signal?: AbortSignal;
}

/**
 * Reads one publisher's format. Deterministic and streaming: memory is bounded by a batch. A bad row becomes a Reject, never an exception;
 * an unreadable file throws an EtlError that names it. Rows leave with `load_id` 0 (the store sets it), `cell` set, and coordinates in
 * GDA2020 (EPSG:7844).
 */
export interface SourceAdapter {
  /** Name that the configuration selects the adapter by, for example `gnaf`. */
  readonly name: string;
  /** Raised when the same files would give other records. Part of the fingerprint of a load. */
  readonly version: number;
  /** What rows are counted in: the word before the number in the location of a reject. */
  readonly placeUnit: 'line' | 'feature';
  readonly title: string;
  readonly publisher: string;
  readonly licence: string;
  readonly attribution: string;
  /** Record tables it fills. */
  readonly tables: readonly Table[];
  /** Checks the options of a dataset without opening its files. Throws EtlError `bad_option`. */
  checkOptions(dataset: DatasetConfig): void;
  /** Opens headers only: finds the release, its CRS and its parts. Throws an EtlError that names the file if it cannot. */
  discover(dataset: DatasetConfig): Promise<{ release: Release; parts: Part[] }>;
  readPart(release: Release, part: Part, context: ReadContext): AsyncIterable<SourceBatch>;
  /** How rows of several files with one key become one record; null or absent: they are not merged. */
  unite?(dataset: DatasetConfig, table: Table): Unite | null;
}

/** Merges stored rows with one key, the first file's first, into one record and its derived records. Null: they do not belong together. */
type Unite = (rows: readonly Readonly<Record<string, unknown>>[]) => RecordBatch[] | null;

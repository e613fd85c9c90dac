import type { Release } from '../../sources/adapter.ts';
import type { DatasetCandidate } from './dataset_candidate.ts';
import type { Extent } from './extent.ts';

/** A dataset recognised in files of a folder. */
export interface Recognised extends DatasetCandidate {
  /** Files and globs, relative to the folder. */
  readonly path: readonly string[];
  /** CRS that the configuration must state because the files do not; null: they do. */
  readonly crs: string | null;
  /** As stated by the files. */
  readonly release: Pick<Release, 'id' | 'crs'>;
  /** For example an assumed datum, or a coverage smaller than the state. */
  readonly notes: readonly string[];
  /** What else its files may be; null: nothing. */
  readonly second: DatasetCandidate | null;
  /** What the operator must say about its coverage, which is `none` until then. Null: nothing. */
  readonly coverage_question: string | null;
  /** Question to decide before it is read, such as another dataset with its role in the same area, or terms of use. Null: it is read. */
  readonly question: string | null;
}

/** A file not recognised as a dataset. */
export interface Unrecognised {
  /** Relative to the folder. */
  readonly file: string;
  readonly why: string;
  /** YAML of a dataset that reads it once each … is filled in; null: content not recognised. */
  readonly proposed: string | null;
}

export interface Recognition {
  readonly datasets: readonly Recognised[];
  readonly unrecognised: readonly Unrecognised[];
}

/** A dataset and the extent of its features; null: nothing depends on it. */
export interface DatasetWithExtent {
  readonly dataset: Recognised;
  readonly extent: Extent | null;
  /** State that it covers by its field map, or AU for several; null: none. */
  readonly claimed: string | null;
  /** The only kind of overlay in it; null: several, or no overlays. */
  readonly only_overlay: string | null;
}

import type { SampleCrs } from '../crs.ts';
import type { DbfField, DbfValue } from '../formats/dbf_writer.ts';
import type { StateCode } from '../geography/places.ts';
import type { Pattern } from './patterns.ts';

/** What a row is made of. */
export interface FeatureFacts {
  /** Number of the feature in its file, from 1. */
  readonly serial: number;
  /** Name of the local government area. */
  readonly lga: string;
}

/** One file of a state: which patterns it publishes, and what it says of each. */
export interface SampleLayer {
  readonly state: StateCode;
  /** Path below the sample's folder, with the extension .shp, .geojson, or .csv for the middles of the shapes. */
  readonly path: string;
  readonly crs: SampleCrs;
  readonly fields: readonly DbfField[];
  readonly rows: Readonly<Partial<Record<Pattern, (facts: FeatureFacts) => DbfValue[]>>>;
}

/** A dataset of the sample's configuration. */
export interface SampleDataset {
  readonly id: string;
  readonly adapter: 'hazards' | 'overlays';
  /** Files below the sample's folder; the first holds the features. */
  readonly path: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  /** CRS of a file that states none. */
  readonly crs?: string;
  /** Patterns that it takes from its file; the others are drops. */
  readonly takes: readonly Pattern[];
  /**
   * What is true of parcels in blocks of a pattern: theme (a hazard layer or overlay), layer, and value of an overlay or name
   * of a hazard.
   */
  readonly truth?: Readonly<
    Partial<Record<Pattern, (facts: FeatureFacts) => readonly [theme: string, layer: string, value: string]>>
  >;
}

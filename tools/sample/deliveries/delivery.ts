import type { SampleCrs } from '../crs.ts';
import type { DbfField, DbfValue } from '../formats/dbf_writer.ts';
import type { StateCode } from '../geography/places.ts';

/** What becomes of a row: a record, of which `is` says what, or a named drop or reject. */
export type Fate = { readonly is: string } | { readonly drop: string } | { readonly reject: string };

/** One row of a delivery. */
export interface DeliveredRow {
  readonly values: readonly DbfValue[];
  readonly fate: Fate;
  /** Plot of the grid on which it lies; left out: the next one. */
  readonly at?: number;
  /** Plots that it spans to the east; 0: a line without area. */
  readonly wide?: number;
}

/** One file of a delivery: a shapefile or GeoJSON. */
export interface DeliveredFile {
  readonly path: string;
  readonly crs: SampleCrs;
  readonly fields: readonly DbfField[];
  readonly rows: readonly DeliveredRow[];
}

/**
 * A delivery with the columns, words and oddities of its publisher, which the configuration of the sample country does not name: another
 * form of what it loads, or of what its states do not have. A conformance test loads each.
 */
export interface Delivery {
  /** Its folder below `deliveries/`. */
  readonly id: string;
  readonly state: StateCode;
  readonly adapter: 'zoning' | 'cadastre' | 'hazards';
  /** Named field map that it is of; null: one of the operator's own, in the options. */
  readonly map: string | null;
  readonly options: Readonly<Record<string, unknown>>;
  /** CRS to configure, where the files name no Australian datum. */
  readonly datum: string | null;
  readonly files: readonly DeliveredFile[];
}

export const record = (is: string, ...values: DbfValue[]): DeliveredRow => ({ values, fate: { is } });
export const dropped = (drop: string, ...values: DbfValue[]): DeliveredRow => ({ values, fate: { drop } });

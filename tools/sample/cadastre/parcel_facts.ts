import type { SampleCrs } from '../crs.ts';
import type { DbfField, DbfValue } from '../formats/dbf_writer.ts';

/** Why a row stands in the cadastre; all but `lot` must be dropped by name. */
export type ParcelRole = 'lot' | 'road' | 'easement' | 'proposed' | 'retired' | 'stacked_strata';

/** What a state's row is made of. */
export interface ParcelFacts {
  /** Number of the row's parcel, unique in the state. */
  readonly serial: number;
  readonly role: ParcelRole;
  readonly lot: number;
  readonly plan: number;
  /** True for the ground parcel of a strata plan and for its stacked lots. */
  readonly strata: boolean;
  /** Strata lot of a stacked row; 0: the ground. */
  readonly unit: number;
  readonly area_sqm: number;
  readonly suburb: string;
}

/** How one state publishes its cadastre. */
export interface StateCadastre {
  /** File below cadastre/, without extension. */
  readonly path: string;
  readonly crs: SampleCrs;
  readonly fields: readonly DbfField[];
  /** Roles besides `lot` that the product ships. */
  readonly roles: readonly ParcelRole[];
  /** Whether LEGAL_PARCEL_ID of a lot, and of a strata unit, leads to the ground parcel by key alone. */
  readonly joins: { readonly lot: boolean; readonly unit: boolean };
  /** Publisher's identifier of a parcel. */
  parcelId(facts: ParcelFacts): string;
  /** G-NAF's LEGAL_PARCEL_ID of an address on the parcel; `unit` 0 for the lot itself. */
  legalId(facts: ParcelFacts, unit: number): string;
  row(facts: ParcelFacts): DbfValue[];
}

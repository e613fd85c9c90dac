import type { Table } from '../table.ts';
import {
  addressAliasRecord,
  addressParentRecord,
  addressRecord,
  localityAliasRecord,
  localityNeighbourRecord,
  localityRecord,
  streetAliasRecord,
  streetRecord,
} from './address.ts';
import { parcelRecord, parcelSpillRecord } from './parcel.ts';
import { regionPieceRecord, regionRecord } from './region.ts';
import { zonePieceRecord } from './zone.ts';

/** Every record table of the canonical model. */
export const RECORD_TABLES: readonly Table[] = [
  addressRecord,
  addressAliasRecord,
  addressParentRecord,
  localityRecord,
  localityAliasRecord,
  localityNeighbourRecord,
  streetRecord,
  streetAliasRecord,
  regionRecord,
  regionPieceRecord,
  parcelRecord,
  parcelSpillRecord,
  zonePieceRecord,
];

/**
 * Record tables whose rows are derived from the rows of another one, and share its source_no: when a row of the other is
 * rejected as a duplicate, its derived rows go with it.
 */
export const DERIVED_FROM: Readonly<Record<string, string>> = {
  parcel_spill: 'parcel',
  region_piece: 'region',
};

/** The table of cells that features of a table touch beyond their home cell. */
export const SPILL_OF: Readonly<Record<string, string>> = { parcel: 'parcel_spill' };

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
import { meshBlockAllocationRecord } from './allocation.ts';
import { censusCountRecord, censusRegionRecord } from './census.ts';
import { COVERAGE_RECORDS } from './coverage.ts';
import { hazardPieceRecord } from './hazard.ts';
import { marketEventRecord } from './market_event.ts';
import { overlayPieceRecord } from './overlay.ts';
import { parcelRecord, parcelSpillRecord } from './parcel.ts';
import { placePieceRecord } from './place.ts';
import { regionPieceRecord, regionRecord } from './region.ts';
import { schoolMeasureRecord, schoolRecord } from './school.ts';
import { seifaRecord } from './seifa.ts';
import { stopRecord } from './stop.ts';
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
  meshBlockAllocationRecord,
  parcelRecord,
  parcelSpillRecord,
  zonePieceRecord,
  overlayPieceRecord,
  hazardPieceRecord,
  ...COVERAGE_RECORDS,
  schoolRecord,
  schoolMeasureRecord,
  censusRegionRecord,
  censusCountRecord,
  seifaRecord,
  stopRecord,
  placePieceRecord,
  marketEventRecord,
];

export const recordTable = (name: string): Table => RECORD_TABLES.find((table) => table.name === name)!;

/**
 * Record tables derived from another one, with the same source_no: if a row of the other is rejected as a duplicate, its derived
 * rows are removed too.
 */
export const DERIVED_FROM: Readonly<Record<string, string>> = {
  parcel_spill: 'parcel',
  region_piece: 'region',
  census_count: 'census_region',
};

/** Tables of the further cells that features of a table touch, outside their home cell. */
export const SPILL_OF: Readonly<Record<string, string>> = { parcel: 'parcel_spill' };

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

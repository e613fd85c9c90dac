import { addressParcelAsset } from '../../schema/assets.ts';
import { input } from '../engine/stage.ts';

/**
 * The addresses of a cell with region, position and parcel. One declaration for all stages that need some of it, so that a thread which
 * computes one after the other reads the rows once (pipelines/engine/shared_reads.ts).
 */
export const placedAddresses = input(addressParcelAsset, [
  'gnaf_pid',
  'state',
  'sa2',
  'sa3',
  'lon',
  'lat',
  'parcel_id',
]);

import { addressParcelAsset, parcelNeighbourAsset } from '../../schema/assets/property.ts';
import { NO_CELL } from '../../schema/grid.ts';
import { parcelRecord } from '../../schema/records/parcel.ts';
import { isCorner, parcelPairs } from '../../transforms/neighbours.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { ADJOINING_M, occupied, SHAPE_COLUMNS, shapesOf } from './adjoining.ts';

/** Addresses without coordinates, which are in the cell NO_CELL (schema/grid.ts). */
const WITHOUT_COORDINATES = { cell: NO_CELL };

export const parcelNeighbourStage = stage({
  name: 'parcel_neighbour',
  version: 2,
  doc: 'The parcels that adjoin each parcel that an address without coordinates is on: the partition of those addresses has no place to look around.',
  subject: 'address',
  inputs: {
    address: input(addressParcelAsset, ['parcel_id'], { kind: 'home' }, WITHOUT_COORDINATES),
    parcel: input(parcelRecord, SHAPE_COLUMNS, { kind: 'reach', halo_m: ADJOINING_M, around: parcelRecord }),
  },
  output: parcelNeighbourAsset,
  params: (config) => config.neighbours,
  compute({ address, parcel }, { cell, params, emit }) {
    const { isSubject } = occupied(address, parcel);
    const { starts, b, shared_m } = parcelPairs(shapesOf(parcel), isSubject, params);
    for (let a = 0; a < parcel.length; a++) {
      const { parcel_id } = parcel[a]!;
      for (let k = starts[a]!; k < starts[a + 1]!; k++) {
        emit({
          cell,
          parcel_id,
          neighbour_parcel_id: parcel[b[k]!]!.parcel_id,
          shared_m: shared_m[k]!,
          is_corner: isCorner(shared_m[k]!, params),
        });
      }
    }
    return { account: { in: address.length, out: address.length, drops: {} } };
  },
});

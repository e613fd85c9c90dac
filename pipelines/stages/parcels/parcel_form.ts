import { parcelFormAsset } from '../../../schema/assets/property.ts';
import { parcelRecord } from '../../../schema/records/parcel.ts';
import { parcelForm } from '../../../transforms/geo/parcel_form.ts';
import { CoincidentParcels } from '../../../transforms/property/coincident.ts';
import { type ParcelPairs, parcelPairs } from '../../../transforms/property/neighbours.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';
import { ADJOINING_M, occupied, SHAPE_COLUMNS, shapesOf } from './adjoining.ts';

/** Returns the metres of boundary that a parcel shares with others, summed in the order of their ids. */
function sharedBy({ starts, shared_m }: ParcelPairs, parcel: number): number {
  let sum = 0;
  for (let k = starts[parcel]!; k < starts[parcel + 1]!; k++) sum += shared_m[k]!;
  return sum;
}

export const parcelFormStage = stage({
  name: 'parcel_form',
  version: 4,
  doc: 'Compactness, width and open boundary of each parcel, and whether another parcel has the same boundary.',
  subject: 'parcel',
  inputs: {
    parcel: input(parcelRecord, ['parcel_id', 'area_sqm']),
    shape: input(parcelRecord, SHAPE_COLUMNS, {
      kind: 'near',
      halo_m: ADJOINING_M,
      around: parcelRecord,
    }),
  },
  output: parcelFormAsset,
  params: (config) => config.neighbours,
  compute({ parcel, shape }, { cell, params, emit }) {
    const shapes = shapesOf(shape);
    const { numberOf, isSubject } = occupied(parcel, shape);
    const coincident = new CoincidentParcels(shape, (i) => shapes[i]!);
    const pairs = parcelPairs(shapes, isSubject, params);
    let out = 0;
    for (let i = 0; i < parcel.length; i++) {
      const { parcel_id, area_sqm } = parcel[i]!;
      const number = numberOf[i]!;
      const form = parcelForm(shapes[number]!, area_sqm);
      if (!form) continue;
      const { compactness, width_m, perimeter_m } = form;
      // Overlapping parcels can share more than the whole perimeter.
      const open = Math.max(0, perimeter_m - sharedBy(pairs, number));
      out++;
      const frontage_m = Math.round(10 * open) / 10;
      emit({ cell, parcel_id, compactness, width_m, frontage_m, coincides: coincident.has(number) });
    }
    const none = parcel.length - out;
    const drops: Record<string, number> = none > 0 ? { no_extent: none } : {};
    return { account: { in: parcel.length, out, drops } };
  },
});

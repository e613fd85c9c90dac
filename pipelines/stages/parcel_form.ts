import { parcelFormAsset, parcelNeighbourAsset } from '../../schema/assets.ts';
import { parcelRecord } from '../../schema/records/parcel.ts';
import { parcelForm } from '../../transforms/geo/parcel_form.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';
import { input, stage } from '../engine/stage.ts';

/** Lengths of the shared boundaries of each parcel, metres. The pairs of a parcel follow one another. */
function sharedBy(pairs: readonly { parcel_id: string; shared_m: number }[]): Map<string, number> {
  const shared = new Map<string, number>();
  for (let i = 0; i < pairs.length; ) {
    const { parcel_id } = pairs[i]!;
    let sum = 0;
    for (; i < pairs.length && pairs[i]!.parcel_id === parcel_id; i++) sum += pairs[i]!.shared_m;
    shared.set(parcel_id, sum);
  }
  return shared;
}

export const parcelFormStage = stage({
  name: 'parcel_form',
  version: 1,
  doc: 'Compactness, width and open boundary of each parcel.',
  subject: 'parcel',
  inputs: {
    parcel: input(parcelRecord, ['parcel_id', 'area_sqm', 'geom']),
    pair: input(parcelNeighbourAsset, ['parcel_id', 'shared_m']),
  },
  output: parcelFormAsset,
  compute({ parcel, pair }, { cell, emit }) {
    const shared = sharedBy(pair);
    let out = 0;
    for (const { parcel_id, area_sqm, geom } of parcel) {
      const form = parcelForm(decodeWkb(geom), area_sqm);
      if (!form) continue;
      const { compactness, width_m, perimeter_m } = form;
      // Parcels that lie on one another share more than there is.
      const open = Math.max(0, perimeter_m - (shared.get(parcel_id) ?? 0));
      out++;
      emit({ cell, parcel_id, compactness, width_m, frontage_m: Math.round(10 * open) / 10 });
    }
    const none = parcel.length - out;
    const drops: Record<string, number> = none > 0 ? { no_extent: none } : {};
    return { account: { in: parcel.length, out, drops } };
  },
});

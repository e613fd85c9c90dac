import { parcelFormAsset, parcelNeighbourAsset } from '../../schema/assets.ts';
import { parcelRecord } from '../../schema/records/parcel.ts';
import type { Row } from '../../schema/table.ts';
import { parcelForm } from '../../transforms/geo/parcel_form.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';
import { input, stage } from '../engine/stage.ts';

/** Lengths of the shared boundaries of each parcel, metres. */
function sharedBy(pairs: readonly { parcel_id: string; shared_m: number }[]): Map<string, number> {
  const shared = new Map<string, number>();
  for (const { parcel_id, shared_m } of pairs) shared.set(parcel_id, (shared.get(parcel_id) ?? 0) + shared_m);
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
  compute({ parcel, pair }, { cell }) {
    const shared = sharedBy(pair);
    const rows = parcel.flatMap(({ parcel_id, area_sqm, geom }): Row<typeof parcelFormAsset>[] => {
      const form = parcelForm(decodeWkb(geom), area_sqm);
      if (!form) return [];
      const { compactness, width_m, perimeter_m } = form;
      // Parcels that lie on one another share more than there is.
      const open = Math.max(0, perimeter_m - (shared.get(parcel_id) ?? 0));
      return [{ cell, parcel_id, compactness, width_m, frontage_m: Math.round(10 * open) / 10 }];
    });
    const none = parcel.length - rows.length;
    const drops: Record<string, number> = none > 0 ? { no_extent: none } : {};
    return { rows, account: { in: parcel.length, out: rows.length, drops } };
  },
});

import { addressParcelAsset, parcelPlanningAsset } from '../../schema/assets.ts';
import { overlayPieceRecord } from '../../schema/records/overlay.ts';
import { propertyOverlayTable } from '../../schema/serving/property_overlay.ts';
import { buildPointLookup, type PointLookup } from '../../transforms/point_lookup.ts';
import { input, stage } from '../engine/stage.ts';
import { groupBy } from './by_key.ts';

const NONE: never[] = [];

export const servePropertyOverlayStage = stage({
  name: 'serve_property_overlay',
  version: 1,
  doc: 'Rows of serving.property_overlay: the overlays on the parcel of each property, or at its point where no parcel is known.',
  subject: 'parcel',
  inputs: {
    parcel: input(addressParcelAsset, ['gnaf_pid', 'state', 'sa2', 'sa3', 'lon', 'lat', 'parcel_id']),
    on_parcel: input(
      parcelPlanningAsset,
      ['parcel_id', 'feature_id', 'layer', 'code', 'value', 'overlap_sqm', 'share'],
      {
        kind: 'refs',
        stage: 'address_parcel',
        within: { table: addressParcelAsset, column: 'parcel_id', cellColumn: 'parcel_cell' },
      },
      "theme = 'overlay'",
    ),
    piece: input(overlayPieceRecord, ['cell', 'overlay_id', 'layer', 'code', 'value', 'geom']),
  },
  output: propertyOverlayTable,
  compute({ parcel, on_parcel, piece }, { cell, emit }) {
    const onParcel = groupBy(on_parcel, (row) => row.parcel_id);
    // Addresses without a parcel are few, and most cells have none.
    let lookup: PointLookup | null = null;
    const drops: Record<string, number> = {};
    let out = 0;
    for (const { gnaf_pid, state, sa2, sa3, lon, lat, parcel_id } of parcel) {
      const overlays = parcel_id === null ? NONE : (onParcel.get(parcel_id) ?? NONE);
      const isByPoint = parcel_id === null && lon !== null;
      if (isByPoint) lookup ??= buildPointLookup(piece.map((row) => row.geom));
      const atPoint = isByPoint ? lookup!.all(lon, lat!) : NONE;
      if (overlays.length + atPoint.length === 0) {
        drops.no_overlay = (drops.no_overlay ?? 0) + 1;
        continue;
      }
      out++;
      for (const { feature_id, layer, code, value, overlap_sqm, share } of overlays) {
        emit({
          gnaf_pid,
          cell,
          state,
          sa2,
          sa3,
          overlay_id: feature_id,
          layer: layer!,
          code,
          value: value!,
          overlap_sqm,
          share,
        });
      }
      for (const i of atPoint) {
        const { overlay_id, layer, code, value } = piece[i]!;
        emit({
          gnaf_pid,
          cell,
          state,
          sa2,
          sa3,
          overlay_id,
          layer,
          code,
          value,
          overlap_sqm: null,
          share: null,
        });
      }
    }
    return { account: { in: parcel.length, out, drops } };
  },
});

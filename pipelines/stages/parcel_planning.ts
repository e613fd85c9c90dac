import { addressParcelAsset, parcelPlanningAsset } from '../../schema/assets/property.ts';
import { overlayPieceRecord } from '../../schema/records/overlay.ts';
import { parcelRecord } from '../../schema/records/parcel.ts';
import { zonePieceRecord } from '../../schema/records/zone.ts';
import type { Row } from '../../schema/table.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { ofNowhere, PARCEL_COLUMNS } from './placed_addresses.ts';
import { ParcelOverlaps, type PlanningTheme, planningTheme } from './planning_overlaps.ts';

type PlanningRow = Row<typeof parcelPlanningAsset>;

/** What a row tells of a feature. */
type Described = Pick<
  PlanningRow,
  'theme' | 'feature_id' | 'layer' | 'code' | 'value' | 'category' | 'prevails'
>;

export const parcelPlanningStage = stage({
  name: 'parcel_planning',
  version: 3,
  doc: 'The zones and overlays on each parcel that an address without coordinates is on: what the partition of that address, which lies nowhere, cannot see.',
  subject: 'parcel',
  inputs: {
    parcel: input(parcelRecord, PARCEL_COLUMNS),
    elsewhere: input(addressParcelAsset, ['cell', 'parcel_id'], { kind: 'home' }),
    zone: input(zonePieceRecord, ['cell', 'zone_id', 'code', 'name', 'category', 'prevails', 'geom'], {
      kind: 'around',
      halo_m: 0,
      of: 'extent',
    }),
    overlay: input(
      overlayPieceRecord,
      ['cell', 'overlay_id', 'layer', 'code', 'value', 'min_lon', 'min_lat', 'max_lon', 'max_lat', 'geom'],
      { kind: 'reach', halo_m: 0 },
    ),
  },
  output: parcelPlanningAsset,
  params: (config) => config.overlays,
  compute({ parcel: here, elsewhere, zone, overlay }, { cell, params, emit }) {
    const parcel = ofNowhere(here, elsewhere);
    function tell<P>({ features, search }: PlanningTheme<P>, describe: (feature: P) => Described): void {
      const overlaps = new ParcelOverlaps(parcel, search, params);
      for (const { parcel_id } of parcel) {
        const count = overlaps.find(parcel_id);
        for (let k = overlaps.from, end = k + count; k < end; k++) {
          emit({
            cell,
            parcel_id,
            ...describe(features[overlaps.feature[k]!]!),
            overlap_sqm: overlaps.overlap_sqm[k]!,
            share: overlaps.share[k]!,
          });
        }
      }
    }
    if (parcel.length > 0) {
      tell(
        planningTheme(zone, (piece) => piece.zone_id),
        ({ zone_id, code, name, category, prevails }) => ({
          theme: 'zone',
          feature_id: zone_id,
          layer: null,
          code,
          value: name,
          category,
          prevails,
        }),
      );
      tell(
        planningTheme(overlay, (piece) => piece.overlay_id),
        ({ overlay_id, layer, code, value }) => ({
          theme: 'overlay',
          feature_id: overlay_id,
          layer,
          code,
          value,
          category: null,
          prevails: false,
        }),
      );
    }
    return { account: { in: parcel.length, out: parcel.length, drops: {} } };
  },
});

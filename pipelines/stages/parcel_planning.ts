import { parcelPlanningAsset } from '../../schema/assets.ts';
import { overlayPieceRecord } from '../../schema/records/overlay.ts';
import { parcelRecord } from '../../schema/records/parcel.ts';
import { zonePieceRecord } from '../../schema/records/zone.ts';
import type { Row } from '../../schema/table.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';
import { overlapShares } from '../../transforms/hazards/overlap.ts';
import { input, stage } from '../engine/stage.ts';
import { numberFeatures } from './features.ts';

type PlanningRow = Row<typeof parcelPlanningAsset>;

/** A piece of a zone or overlay. */
interface Piece {
  cell: number;
  geom: Uint8Array;
}

/** Rows of one theme: every feature that covers a part of a parcel. */
function* overlaps<P extends Piece>(
  parcels: readonly { cell: number; parcel_id: string; geom: Uint8Array }[],
  pieces: readonly P[],
  idOf: (piece: P) => string,
  describe: (
    piece: P,
  ) => Pick<PlanningRow, 'theme' | 'feature_id' | 'layer' | 'code' | 'value' | 'category' | 'prevails'>,
): Iterable<PlanningRow> {
  if (pieces.length === 0) return;
  const { features, numberOf } = numberFeatures(pieces, idOf);
  const shapes = pieces.map((piece, i) => ({
    feature: numberOf[i]!,
    cell: piece.cell,
    geometry: decodeWkb(piece.geom),
  }));
  const found = overlapShares(
    shapes,
    parcels.map((parcel) => decodeWkb(parcel.geom)),
  );
  for (const { parcel, feature, overlap_sqm, share } of found) {
    const { cell, parcel_id } = parcels[parcel]!;
    yield { cell, parcel_id, ...describe(features[feature]!), overlap_sqm, share };
  }
}

export const parcelPlanningStage = stage({
  name: 'parcel_planning',
  version: 2,
  doc: 'The zones and overlays on each parcel, with the area and share of the parcel that each covers.',
  subject: 'parcel',
  inputs: {
    parcel: input(parcelRecord, ['cell', 'parcel_id', 'geom']),
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
  compute({ parcel, zone, overlay }, { params, emit }) {
    const isSliver = (row: PlanningRow): boolean =>
      row.overlap_sqm < params.min_sqm || row.share < params.min_share;
    const zones = overlaps(
      parcel,
      zone,
      (piece) => piece.zone_id,
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
    const overlays = overlaps(
      parcel,
      overlay,
      (piece) => piece.overlay_id,
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
    for (const rows of [zones, overlays]) for (const row of rows) if (!isSliver(row)) emit(row);
    return { account: { in: parcel.length, out: parcel.length, drops: {} } };
  },
});

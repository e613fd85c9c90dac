import { addressParcelAsset, parcelPlanningAsset } from '../../schema/assets.ts';
import { overlayPieceRecord } from '../../schema/records/overlay.ts';
import { propertyOverlayTable } from '../../schema/serving/property_overlay.ts';
import type { Row } from '../../schema/table.ts';
import { buildPointLookup, type PointLookup } from '../../transforms/point_lookup.ts';
import { input, stage } from '../engine/stage.ts';
import { groupBy } from './by_key.ts';

const NONE: never[] = [];

type OnParcel = Pick<
  Row<typeof parcelPlanningAsset>,
  'parcel_id' | 'feature_id' | 'layer' | 'code' | 'value' | 'overlap_sqm' | 'share'
>;
type Piece = Pick<Row<typeof overlayPieceRecord>, 'overlay_id' | 'layer' | 'code' | 'value' | 'geom'>;
type Parcel = Pick<
  Row<typeof addressParcelAsset>,
  'gnaf_pid' | 'state' | 'sa2' | 'sa3' | 'lon' | 'lat' | 'parcel_id'
>;

const parcelOf = (overlay: OnParcel): string => overlay.parcel_id;

/** Makes the rows of a cell, one call for each address. */
class OverlayRows {
  out = 0;
  readonly drops: Record<string, number> = {};
  readonly #onParcel: ReadonlyMap<string, readonly OnParcel[]>;
  readonly #pieces: readonly Piece[];
  readonly #cell: number;
  readonly #emit: (row: Row<typeof propertyOverlayTable>) => void;
  /** Addresses without a parcel are few, and most cells have none. */
  #lookup: PointLookup | null = null;

  constructor(
    onParcel: readonly OnParcel[],
    pieces: readonly Piece[],
    cell: number,
    emit: (row: Row<typeof propertyOverlayTable>) => void,
  ) {
    this.#onParcel = groupBy(onParcel, parcelOf);
    this.#pieces = pieces;
    this.#cell = cell;
    this.#emit = emit;
  }

  add({ gnaf_pid, state, sa2, sa3, lon, lat, parcel_id }: Parcel): void {
    const overlays = parcel_id === null ? NONE : (this.#onParcel.get(parcel_id) ?? NONE);
    const atPoint = parcel_id === null && lon !== null ? this.#at(lon, lat!) : NONE;
    if (overlays.length + atPoint.length === 0) {
      this.drops.no_overlay = (this.drops.no_overlay ?? 0) + 1;
      return;
    }
    this.out++;
    const emit = this.#emit;
    const cell = this.#cell;
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
      const { overlay_id, layer, code, value } = this.#pieces[i]!;
      const covers = { overlap_sqm: null, share: null };
      emit({ gnaf_pid, cell, state, sa2, sa3, overlay_id, layer, code, value, ...covers });
    }
  }

  #at(lon: number, lat: number): number[] {
    this.#lookup ??= buildPointLookup(this.#pieces.map((row) => row.geom));
    return this.#lookup.all(lon, lat);
  }
}

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
    const rows = new OverlayRows(on_parcel, piece, cell, emit);
    parcel.forEach(rows.add, rows);
    return { account: { in: parcel.length, out: rows.out, drops: rows.drops } };
  },
});

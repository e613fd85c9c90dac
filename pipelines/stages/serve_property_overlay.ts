import { addressParcelAsset, parcelPlanningAsset } from '../../schema/assets/property.ts';
import { NO_CELL } from '../../schema/grid.ts';
import { overlayPieceRecord } from '../../schema/records/overlay.ts';
import { propertyOverlayTable } from '../../schema/serving/property_overlay.ts';
import type { Row } from '../../schema/table.ts';
import { buildPointLookup, type PointLookup } from '../../transforms/point_lookup.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { ON_PARCEL_ELSEWHERE, parcelsElsewhere, parcelsHere, placedAddresses } from './placed_addresses.ts';
import { type OnParcel, ParcelOverlaps, planningTheme, RecordedOverlaps } from './planning_overlaps.ts';

const NONE: never[] = [];

type Overlay = Pick<Row<typeof overlayPieceRecord>, 'overlay_id' | 'layer' | 'code' | 'value'>;
type Piece = Overlay & Pick<Row<typeof overlayPieceRecord>, 'cell' | 'geom'>;
type Parcel = Pick<
  Row<typeof addressParcelAsset>,
  'gnaf_pid' | 'state' | 'sa2' | 'sa3' | 'lon' | 'lat' | 'parcel_id'
>;

/** Makes the rows of a cell, one call for each address. */
class OverlayRows {
  out = 0;
  readonly drops: Record<string, number> = {};
  readonly #onParcel: OnParcel;
  readonly #overlays: readonly Overlay[];
  readonly #pieces: readonly Piece[];
  readonly #cell: number;
  readonly #emit: (row: Row<typeof propertyOverlayTable>) => void;
  /** Addresses without a parcel are few, and most cells have none. */
  #lookup: { points: PointLookup; pieces: readonly Piece[] } | null = null;

  constructor(
    onParcel: OnParcel,
    overlays: readonly Overlay[],
    pieces: readonly Piece[],
    cell: number,
    emit: (row: Row<typeof propertyOverlayTable>) => void,
  ) {
    this.#onParcel = onParcel;
    this.#overlays = overlays;
    this.#pieces = pieces;
    this.#cell = cell;
    this.#emit = emit;
  }

  add(parcel: Parcel): void {
    const { lon, lat, parcel_id } = parcel;
    const count = parcel_id === null ? 0 : this.#tell(parcel, this.#onParcel.find(parcel_id));
    const atPoint = parcel_id === null && lon !== null ? this.#at(lon, lat!) : NONE;
    if (count + atPoint.length === 0) {
      this.drops.no_overlay = (this.drops.no_overlay ?? 0) + 1;
      return;
    }
    this.out++;
    for (const overlay of atPoint) this.#one(parcel, overlay, null, null);
  }

  /** Emits the overlays on the parcel that was looked up last. */
  #tell(parcel: Parcel, count: number): number {
    const { from, feature, overlap_sqm, share } = this.#onParcel;
    for (let k = from; k < from + count; k++)
      this.#one(parcel, this.#overlays[feature[k]!]!, overlap_sqm[k]!, share[k]!);
    return count;
  }

  #one(
    { gnaf_pid, state, sa2, sa3 }: Parcel,
    { overlay_id, layer, code, value }: Overlay,
    overlap_sqm: number | null,
    share: number | null,
  ): void {
    const emit = this.#emit;
    const cell = this.#cell;
    emit({ gnaf_pid, cell, state, sa2, sa3, overlay_id, layer, code, value, overlap_sqm, share });
  }

  #at(lon: number, lat: number): Piece[] {
    if (this.#lookup === null) {
      const pieces = this.#pieces.filter(({ cell }) => cell === this.#cell);
      this.#lookup = { points: buildPointLookup(pieces.map(({ geom }) => geom)), pieces };
    }
    const { points, pieces } = this.#lookup;
    return points.all(lon, lat).map((i) => pieces[i]!);
  }
}

export const servePropertyOverlayStage = stage({
  name: 'serve_property_overlay',
  version: 2,
  doc: 'Rows of serving.property_overlay: the overlays on the parcel of each property, or at its point where no parcel is known.',
  subject: 'parcel',
  inputs: {
    parcel: placedAddresses,
    shape: parcelsHere,
    shape_elsewhere: parcelsElsewhere,
    piece: input(
      overlayPieceRecord,
      ['cell', 'overlay_id', 'layer', 'code', 'value', 'min_lon', 'min_lat', 'max_lon', 'max_lat', 'geom'],
      { kind: 'reach', halo_m: 0, around: addressParcelAsset },
    ),
    on_parcel: input(
      parcelPlanningAsset,
      ['parcel_id', 'feature_id', 'layer', 'code', 'value', 'overlap_sqm', 'share'],
      ON_PARCEL_ELSEWHERE,
      { theme: 'overlay' },
    ),
  },
  output: propertyOverlayTable,
  params: (config) => config.overlays,
  compute({ parcel, shape, shape_elsewhere, piece, on_parcel }, { cell, params, emit }) {
    const { features, search } = planningTheme(piece, ({ overlay_id }) => overlay_id);
    const recorded = (): Overlay[] =>
      on_parcel.map(({ feature_id, layer, code, value }) => ({
        overlay_id: feature_id,
        layer: layer!,
        code,
        value: value!,
      }));
    const rows =
      cell === NO_CELL
        ? new OverlayRows(new RecordedOverlaps(on_parcel), recorded(), piece, cell, emit)
        : new OverlayRows(
            new ParcelOverlaps([...shape, ...shape_elsewhere], search, params),
            features,
            piece,
            cell,
            emit,
          );
    parcel.forEach(rows.add, rows);
    return { account: { in: parcel.length, out: rows.out, drops: rows.drops } };
  },
});

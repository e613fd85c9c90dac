import { addressHomeAsset } from '../../../schema/assets/property.ts';
import { overlayPieceRecord } from '../../../schema/records/overlay.ts';
import { propertyOverlayTable } from '../../../schema/serving/property_overlay.ts';
import type { Row } from '../../../schema/table.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';
import { type HomeAddress, homeAddresses, lonOnProperty, parcelsHere } from '../addresses/home_addresses.ts';
import { PiecesAtPoints } from './pieces_at_points.ts';
import { ParcelOverlaps, planningTheme } from './planning_overlaps.ts';

const NONE: never[] = [];

type Overlay = Pick<Row<typeof overlayPieceRecord>, 'overlay_id' | 'layer' | 'code' | 'value'>;
type OverlayPiece = Overlay & Pick<Row<typeof overlayPieceRecord>, 'cell' | 'geom'>;

/** Builds the rows of a cell, one call for each address. */
class PropertyOverlayBuilder {
  out = 0;
  readonly drops: Record<string, number> = {};
  readonly #onParcel: ParcelOverlaps;
  readonly #overlays: readonly Overlay[];
  readonly #pieces: readonly OverlayPiece[];
  readonly #atPoints: PiecesAtPoints;
  readonly #cell: number;
  readonly #emit: (row: Row<typeof propertyOverlayTable>) => void;

  constructor(
    onParcel: ParcelOverlaps,
    overlays: readonly Overlay[],
    pieces: readonly OverlayPiece[],
    cell: number,
    emit: (row: Row<typeof propertyOverlayTable>) => void,
  ) {
    this.#onParcel = onParcel;
    this.#overlays = overlays;
    this.#pieces = pieces;
    this.#atPoints = new PiecesAtPoints(pieces);
    this.#cell = cell;
    this.#emit = emit;
  }

  add(parcel: HomeAddress): void {
    const { lat, parcel_id } = parcel;
    const lon = lonOnProperty(parcel);
    const count = parcel_id === null ? 0 : this.#emitOverlays(parcel, this.#onParcel.find(parcel_id));
    const atPoint = parcel_id === null && lon !== null ? this.#atPoints.at(lon, lat!) : NONE;
    if (count + atPoint.length === 0) {
      this.drops.no_overlay = (this.drops.no_overlay ?? 0) + 1;
      return;
    }
    this.out++;
    for (const i of atPoint) this.#one(parcel, this.#pieces[i]!, null, null);
  }

  /** Emits the overlays of the parcel looked up last. */
  #emitOverlays(parcel: HomeAddress, count: number): number {
    const { from, feature, overlap_sqm, share } = this.#onParcel;
    for (let k = from; k < from + count; k++)
      this.#one(parcel, this.#overlays[feature[k]!]!, overlap_sqm[k]!, share[k]!);
    return count;
  }

  #one(
    { gnaf_pid, state, sa2, sa3 }: HomeAddress,
    { overlay_id, layer, code, value }: Overlay,
    overlap_sqm: number | null,
    share: number | null,
  ): void {
    const emit = this.#emit;
    const cell = this.#cell;
    emit({ gnaf_pid, cell, state, sa2, sa3, overlay_id, layer, code, value, overlap_sqm, share });
  }
}

export const servePropertyOverlayStage = stage({
  name: 'serve_property_overlay',
  version: 3,
  doc: 'Rows of serving.property_overlay: the overlays on the parcel of each property, or at its point without a known parcel.',
  subject: 'parcel',
  inputs: {
    parcel: homeAddresses,
    shape: parcelsHere,
    piece: input(
      overlayPieceRecord,
      ['cell', 'overlay_id', 'layer', 'code', 'value', 'min_lon', 'min_lat', 'max_lon', 'max_lat', 'geom'],
      { kind: 'near', halo_m: 0, around: addressHomeAsset },
    ),
  },
  output: propertyOverlayTable,
  params: (config) => config.overlays,
  compute({ parcel, shape, piece }, { cell, params, emit }) {
    const { features, search } = planningTheme(piece, ({ overlay_id }) => overlay_id);
    const rows = new PropertyOverlayBuilder(
      new ParcelOverlaps(shape, search, params),
      features,
      piece,
      cell,
      emit,
    );
    parcel.forEach(rows.add, rows);
    return { account: { in: parcel.length, out: rows.out, drops: rows.drops } };
  },
});

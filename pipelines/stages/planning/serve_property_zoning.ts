import { addressHomeAsset } from '../../../schema/assets/property.ts';
import { zonePieceRecord } from '../../../schema/records/zone.ts';
import { propertyZoningTable } from '../../../schema/serving/property_zoning.ts';
import type { Row } from '../../../schema/table.ts';
import { type ParcelZone, primaryZone } from '../../../transforms/property/primary_zone.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';
import { type HomeAddress, homeAddresses, lonOnProperty, parcelsHere } from '../addresses/home_addresses.ts';
import { PiecesAtPoints } from './pieces_at_points.ts';
import { ParcelOverlaps, planningTheme } from './planning_overlaps.ts';

type Zone = Pick<Row<typeof zonePieceRecord>, 'zone_id' | 'code' | 'name' | 'category' | 'prevails'>;

/** Zones at points and on parcels; both refer to `zones` by number. */
interface Zones {
  readonly zones: readonly Zone[];
  readonly onParcel: ParcelOverlaps;
  readonly pieces: PiecesAtPoints;
  /** Zone number of each piece. */
  readonly zoneOf: Int32Array;
}

/** Builds the rows of a cell, one call for each address. */
class ZoningRows {
  out = 0;
  readonly drops: Record<string, number> = {};
  readonly #zones: readonly Zone[];
  readonly #onParcel: ParcelOverlaps;
  readonly #pieces: PiecesAtPoints;
  readonly #zoneOf: Int32Array;
  readonly #cell: number;
  readonly #emit: (row: Row<typeof propertyZoningTable>) => void;

  constructor(
    { zones, onParcel, pieces, zoneOf }: Zones,
    cell: number,
    emit: (row: Row<typeof propertyZoningTable>) => void,
  ) {
    this.#zones = zones;
    this.#onParcel = onParcel;
    this.#pieces = pieces;
    this.#zoneOf = zoneOf;
    this.#cell = cell;
    this.#emit = emit;
  }

  add(parcel: HomeAddress): void {
    const { lat, parcel_id } = parcel;
    const lon = lonOnProperty(parcel);
    const covering = parcel_id === null ? 0 : this.#onParcel.find(parcel_id);
    if (lon === null) {
      this.#settle(parcel, null, covering);
      return;
    }
    const { lookup, numbers } = this.#pieces.around(lon, lat!);
    const count = lookup.find(lon, lat!);
    const zoneAt = (k: number): number => this.#zoneOf[numbers[lookup.found[k]!]!]!;
    // A single zone at the point is the primary one, whatever covers the parcel; this is the usual case.
    if (count === 1) this.#account(parcel, zoneAt(0), 'point', covering);
    else
      this.#settle(
        parcel,
        Array.from({ length: count }, (_, k) => zoneAt(k)),
        covering,
      );
  }

  /** Emits the primary zone, chosen among several at the point or the zones on the parcel. `atPoint` null: no point. */
  #settle(parcel: HomeAddress, atPoint: readonly number[] | null, covering: number): void {
    const zones = this.#zones;
    const { from, feature, share } = this.#onParcel;
    const zonesAtPoint = atPoint ?? [];
    const on = feature.slice(from, from + covering);
    const primary = primaryZone(
      atPoint && zonesAtPoint.map((zone) => zones[zone]!),
      on.map((zone, k): ParcelZone => {
        const { zone_id, prevails } = zones[zone]!;
        return { zone_id, prevails, share: share[from + k]! };
      }),
    );
    if (primary === null) {
      this.drops.no_zone_here = (this.drops.no_zone_here ?? 0) + 1;
      return;
    }
    const zone = [...zonesAtPoint, ...on].find((each) => zones[each]!.zone_id === primary.zone_id)!;
    this.#account(parcel, zone, primary.method, covering);
  }

  #account(
    { gnaf_pid, state, sa2, sa3 }: HomeAddress,
    zone: number,
    method: 'point' | 'largest_share',
    covering: number,
  ): void {
    const { zone_id, code, name, category } = this.#zones[zone]!;
    const { from, feature, share: shares } = this.#onParcel;
    let share: number | null = null;
    for (let k = from; k < from + covering; k++) {
      if (feature[k] !== zone) continue;
      share = shares[k]!;
      break;
    }
    this.out++;
    const emit = this.#emit;
    const cell = this.#cell;
    emit({ gnaf_pid, cell, state, sa2, sa3, zone_id, code, name, category, method, share });
  }
}

export const servePropertyZoningStage = stage({
  name: 'serve_property_zoning',
  version: 6,
  doc: 'Rows of serving.property_zoning: the zone at the point of each property; the parcel resolves ties and gaps.',
  subject: 'parcel',
  inputs: {
    parcel: homeAddresses,
    shape: parcelsHere,
    zone: input(zonePieceRecord, ['cell', 'zone_id', 'code', 'name', 'category', 'prevails', 'geom'], {
      kind: 'near',
      halo_m: 0,
      around: addressHomeAsset,
    }),
  },
  output: propertyZoningTable,
  params: (config) => config.overlays,
  compute({ parcel, shape, zone }, { cell, params, emit }) {
    const { features, numberOf, search } = planningTheme(zone, ({ zone_id }) => zone_id);
    const zones: Zones = {
      zones: features,
      onParcel: new ParcelOverlaps(shape, search, params),
      pieces: new PiecesAtPoints(zone),
      zoneOf: numberOf,
    };
    const rows = new ZoningRows(zones, cell, emit);
    parcel.forEach(rows.add, rows);
    return { account: { in: parcel.length, out: rows.out, drops: rows.drops } };
  },
});

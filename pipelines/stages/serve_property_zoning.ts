import { type addressParcelAsset, parcelPlanningAsset } from '../../schema/assets/property.ts';
import { NO_CELL } from '../../schema/grid.ts';
import { zonePieceRecord } from '../../schema/records/zone.ts';
import { propertyZoningTable } from '../../schema/serving/property_zoning.ts';
import type { Row } from '../../schema/table.ts';
import { buildPointLookup, type PointLookup } from '../../transforms/point_lookup.ts';
import { type ParcelZone, primaryZone } from '../../transforms/primary_zone.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { ON_PARCEL_ELSEWHERE, parcelsElsewhere, parcelsHere, placedAddresses } from './placed_addresses.ts';
import { type OnParcel, ParcelOverlaps, planningTheme, RecordedOverlaps } from './planning_overlaps.ts';

type Parcel = Pick<
  Row<typeof addressParcelAsset>,
  'gnaf_pid' | 'state' | 'sa2' | 'sa3' | 'lon' | 'lat' | 'parcel_id'
>;
type Zone = Pick<Row<typeof zonePieceRecord>, 'zone_id' | 'code' | 'name' | 'category' | 'prevails'>;

/** The zones at points, and those on parcels: the numbers of both count in `zones`. */
interface Zones {
  readonly zones: readonly Zone[];
  readonly onParcel: OnParcel;
  readonly lookup: PointLookup;
  /** Number of the zone of each piece of the lookup. */
  readonly zoneOf: Int32Array;
}

/** Makes the rows of a cell, one call for each address. */
class ZoningRows {
  out = 0;
  readonly drops: Record<string, number> = {};
  readonly #zones: readonly Zone[];
  readonly #onParcel: OnParcel;
  readonly #lookup: PointLookup;
  readonly #zoneOf: Int32Array;
  readonly #cell: number;
  readonly #emit: (row: Row<typeof propertyZoningTable>) => void;

  constructor(
    { zones, onParcel, lookup, zoneOf }: Zones,
    cell: number,
    emit: (row: Row<typeof propertyZoningTable>) => void,
  ) {
    this.#zones = zones;
    this.#onParcel = onParcel;
    this.#lookup = lookup;
    this.#zoneOf = zoneOf;
    this.#cell = cell;
    this.#emit = emit;
  }

  add(parcel: Parcel): void {
    const { lon, lat, parcel_id } = parcel;
    const atPoint = lon === null ? -1 : this.#lookup.find(lon, lat!);
    const covering = parcel_id === null ? 0 : this.#onParcel.find(parcel_id);
    // One zone at the point is the primary one whatever covers the parcel, and most points have one.
    if (atPoint === 1) this.#tell(parcel, this.#zoneOf[this.#lookup.found[0]!]!, 'point', covering);
    else this.#settle(parcel, atPoint, covering);
  }

  /** Tells the primary zone of several at the point, or of those on the parcel. */
  #settle(parcel: Parcel, atPoint: number, covering: number): void {
    const zones = this.#zones;
    const { from, feature, share } = this.#onParcel;
    const there = [...this.#lookup.found.subarray(0, Math.max(0, atPoint))].map((i) => this.#zoneOf[i]!);
    const on = feature.slice(from, from + covering);
    const primary = primaryZone(
      atPoint < 0 ? null : there.map((zone) => zones[zone]!),
      on.map((zone, k): ParcelZone => {
        const { zone_id, prevails } = zones[zone]!;
        return { zone_id, prevails, share: share[from + k]! };
      }),
    );
    if (primary === null) {
      const name = atPoint < 0 ? 'no_parcel_position' : 'no_zone_at_point';
      this.drops[name] = (this.drops[name] ?? 0) + 1;
      return;
    }
    const zone = [...there, ...on].find((each) => zones[each]!.zone_id === primary.zone_id)!;
    this.#tell(parcel, zone, primary.method, covering);
  }

  #tell(
    { gnaf_pid, state, sa2, sa3 }: Parcel,
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
  version: 4,
  doc: 'Rows of serving.property_zoning: the zone at the point of each property, ties and gaps settled by the parcel.',
  subject: 'parcel',
  inputs: {
    parcel: placedAddresses,
    shape: parcelsHere,
    shape_elsewhere: parcelsElsewhere,
    zone: input(zonePieceRecord, ['cell', 'zone_id', 'code', 'name', 'category', 'prevails', 'geom'], {
      kind: 'around',
      halo_m: 0,
      of: 'extent',
    }),
    on_parcel: input(
      parcelPlanningAsset,
      ['parcel_id', 'feature_id', 'code', 'value', 'category', 'prevails', 'overlap_sqm', 'share'],
      ON_PARCEL_ELSEWHERE,
      { theme: 'zone' },
    ),
  },
  output: propertyZoningTable,
  params: (config) => config.overlays,
  compute({ parcel, shape, shape_elsewhere, zone, on_parcel }, { cell, params, emit }) {
    /** Points lie in pieces of their own cell. */
    const own: number[] = [];
    for (let i = 0; i < zone.length; i++) if (zone[i]!.cell === cell) own.push(i);
    const lookup = buildPointLookup(own.map((i) => zone[i]!.geom));
    const { features, numberOf, search } = planningTheme(zone, ({ zone_id }) => zone_id);
    const recorded = (): Zone[] =>
      on_parcel.map(({ feature_id, value, ...zone }) => ({ ...zone, zone_id: feature_id, name: value }));
    const zones: Zones = {
      lookup,
      zoneOf: Int32Array.from(own, (i) => numberOf[i]!),
      ...(cell === NO_CELL
        ? { zones: recorded(), onParcel: new RecordedOverlaps(on_parcel) }
        : { zones: features, onParcel: new ParcelOverlaps([...shape, ...shape_elsewhere], search, params) }),
    };
    const rows = new ZoningRows(zones, cell, emit);
    parcel.forEach(rows.add, rows);
    return { account: { in: parcel.length, out: rows.out, drops: rows.drops } };
  },
});

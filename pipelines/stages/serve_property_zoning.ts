import { addressParcelAsset, parcelPlanningAsset } from '../../schema/assets.ts';
import { zonePieceRecord } from '../../schema/records/zone.ts';
import { propertyZoningTable } from '../../schema/serving/property_zoning.ts';
import type { Row } from '../../schema/table.ts';
import { buildPointLookup, type PointLookup } from '../../transforms/point_lookup.ts';
import { type PointZone, type PrimaryZone, primaryZone } from '../../transforms/primary_zone.ts';
import { input, stage } from '../engine/stage.ts';
import { groupBy } from './by_key.ts';

const ON_PARCEL = {
  kind: 'refs',
  stage: 'address_parcel',
  within: { table: addressParcelAsset, column: 'parcel_id', cellColumn: 'parcel_cell' },
} as const;

type Parcel = Pick<
  Row<typeof addressParcelAsset>,
  'gnaf_pid' | 'state' | 'sa2' | 'sa3' | 'lon' | 'lat' | 'parcel_id'
>;
type Zone = Pick<Row<typeof zonePieceRecord>, 'zone_id' | 'code' | 'name' | 'category' | 'prevails'>;

type CoveringZone = Pick<
  Row<typeof parcelPlanningAsset>,
  'parcel_id' | 'feature_id' | 'code' | 'value' | 'category' | 'prevails' | 'share'
>;

/** What the rows of a cell are made with, and how many there are. */
interface ZoningRows {
  readonly cell: number;
  readonly emit: (row: Row<typeof propertyZoningTable>) => void;
  readonly zones: readonly Zone[];
  readonly lookup: PointLookup;
  readonly onParcel: ReadonlyMap<string, readonly CoveringZone[]>;
  out: number;
  readonly drops: Record<string, number>;
}

const parcelOf = (zone: CoveringZone): string => zone.parcel_id;

const NONE: never[] = [];

/** The zone that counts, of those at a point, by their numbers, and those that cover the parcel. */
function primaryOf(
  zones: readonly PointZone[],
  atPoint: readonly number[] | null,
  covering: readonly CoveringZone[],
): PrimaryZone | null {
  // One zone at the point is the primary one whatever covers the parcel, and most points have one.
  if (atPoint?.length === 1) return primaryZone([zones[atPoint[0]!]!], NONE);
  return primaryZone(
    atPoint === null ? null : atPoint.map((i) => zones[i]!),
    covering.map(({ feature_id, share, prevails }) => ({ zone_id: feature_id, share, prevails })),
  );
}

function add(this: ZoningRows, { gnaf_pid, state, sa2, sa3, lon, lat, parcel_id }: Parcel): void {
  const atPoint = lon === null ? null : this.lookup.all(lon, lat!);
  const covering = parcel_id === null ? NONE : (this.onParcel.get(parcel_id) ?? NONE);
  const primary = primaryOf(this.zones, atPoint, covering);
  if (primary === null) {
    const name = atPoint ? 'no_zone_at_point' : 'no_parcel_position';
    this.drops[name] = (this.drops[name] ?? 0) + 1;
    return;
  }
  const { zone_id, method } = primary;
  const at = atPoint?.find((i) => this.zones[i]!.zone_id === zone_id);
  const there = at === undefined ? undefined : this.zones[at]!;
  const covers = covering.find((each) => each.feature_id === zone_id);
  this.out++;
  this.emit({
    gnaf_pid,
    cell: this.cell,
    state,
    sa2,
    sa3,
    zone_id,
    code: there ? there.code : covers!.code,
    name: there ? there.name : covers!.value,
    category: there ? there.category : covers!.category,
    method,
    share: covers?.share ?? null,
  });
}

export const servePropertyZoningStage = stage({
  name: 'serve_property_zoning',
  version: 3,
  doc: 'Rows of serving.property_zoning: the zone at the point of each property, ties and gaps settled by the parcel.',
  subject: 'parcel',
  inputs: {
    parcel: input(addressParcelAsset, ['gnaf_pid', 'state', 'sa2', 'sa3', 'lon', 'lat', 'parcel_id']),
    zone: input(zonePieceRecord, ['cell', 'zone_id', 'code', 'name', 'category', 'prevails', 'geom']),
    on_parcel: input(
      parcelPlanningAsset,
      ['parcel_id', 'feature_id', 'code', 'value', 'category', 'prevails', 'share'],
      ON_PARCEL,
      "theme = 'zone'",
    ),
  },
  output: propertyZoningTable,
  compute({ parcel, zone, on_parcel }, { cell, emit }) {
    const lookup = buildPointLookup(zone.map((row) => row.geom));
    const onParcel = groupBy(on_parcel, parcelOf);
    const rows: ZoningRows = { cell, emit, zones: zone, lookup, onParcel, out: 0, drops: {} };
    parcel.forEach(add, rows);
    return { account: { in: parcel.length, out: rows.out, drops: rows.drops } };
  },
});

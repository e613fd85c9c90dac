import type pg from 'pg';
import type { Config } from '../../../schema/config.ts';
import { TRANSPORT_MODES } from '../../../schema/records/stop.ts';
import {
  turfArea,
  turfCovered,
  turfCrossing,
  turfShared,
} from '../../../transforms/independent/turf_cover.ts';
import { turfDistance, turfNearest } from '../../../transforms/independent/turf_distance.ts';
import { boxGap } from '../../../transforms/independent/turf_shape.ts';
import { groupBy } from '../../stages/addresses/by_key.ts';
import type { Facts } from './facts.ts';
import { type NearRow, readNear, rowsNear } from './rows_near.ts';
import type { PlacedShape, SampledHome } from './sampled_homes.ts';
import { rereadParcels } from './source_parcels.ts';

/** Recomputes the facts of a table for homes. */
type Recompute = (
  client: pg.ClientBase,
  config: Config,
  homes: readonly SampledHome[],
  facts: Facts,
) => Promise<void>;

async function readRows<R extends { gnaf_pid: string }>(
  client: pg.ClientBase,
  table: string,
  homes: readonly SampledHome[],
): Promise<Map<string, R[]>> {
  const { rows } = await client.query<R>(`SELECT * FROM serving.${table} WHERE gnaf_pid = ANY ($1)`, [
    homes.map(({ gnaf_pid }) => gnaf_pid),
  ]);
  return groupBy(rows, ({ gnaf_pid }) => gnaf_pid);
}

/** Allowed difference of areas, a share. */
const AREA = 1e-5;

const land: Recompute = async (_client, _config, homes, facts) => {
  for (const { gnaf_pid, parcel_id, parcel, area_sqm, land_area_sqm } of homes) {
    if (parcel_id === null) continue;
    facts.flag(`${gnaf_pid} has a record of parcel ${parcel_id}`, true, parcel !== null);
    if (parcel === null) continue;
    const found = turfArea(parcel.shape, parcel.scale);
    facts.value(`${gnaf_pid} area_sqm of ${parcel_id}`, area_sqm, found, AREA * found);
    if (land_area_sqm !== null)
      facts.value(`${gnaf_pid} land_area_sqm`, land_area_sqm, found, AREA * found, true);
  }
};

/** Metres from a limit within which either answer is right: of distances, and of lengths along boundaries. */
const CLEAR_M = 0.01;
const SHARED_M = 0.1;
/** Allowed difference of lengths, a share of the length besides SHARED_M. */
const SHARED_SHARE = 0.001;
/** Shared metres below which the angle of the sides also decides if parcels only meet at a corner. */
const CORNER_M = 5;

interface NeighbourRow {
  gnaf_pid: string;
  neighbour_parcel_id: string;
  shared_m: number;
  is_corner: boolean;
}

const neighbours: Recompute = async (client, config, homes, facts) => {
  const { tolerance_m, min_shared_m } = config.neighbours;
  const published = await readRows<NeighbourRow>(client, 'property_neighbour', homes);
  const parcels = [
    ...new Map((await readNear(client, 'parcel', homes, 1)).map((row) => [row.id, row])).values(),
  ];
  for (const home of homes) {
    const { gnaf_pid, parcel } = home;
    const rows = new Map((published.get(gnaf_pid) ?? []).map((row) => [row.neighbour_parcel_id, row]));
    const near =
      parcel === null ? [] : rowsNear(parcels, home.box, 1).filter(({ id }) => id !== home.parcel_id);
    for (const id of rows.keys())
      facts.flag(
        `${gnaf_pid} neighbour ${id}`,
        true,
        near.some((other) => other.id === id),
      );
    for (const { id, shape } of near) {
      const row = rows.get(id);
      const key = `${gnaf_pid} neighbour ${id}`;
      const apart = turfDistance(parcel!.shape, shape, parcel!.scale);
      facts.flag(key, row !== undefined, apart <= tolerance_m, Math.abs(apart - tolerance_m) > CLEAR_M);
      if (row === undefined) continue;
      const shared = turfShared(parcel!.shape, shape, tolerance_m, parcel!.scale);
      facts.flag(
        `${key} is_corner`,
        row.is_corner,
        shared <= min_shared_m,
        Math.abs(shared - min_shared_m) > SHARED_M && (shared >= CORNER_M || shared < min_shared_m),
      );
      facts.value(`${key} shared_m`, row.shared_m, shared, SHARED_M + SHARED_SHARE * shared);
    }
  }
};

interface ComparedRisk {
  gnaf_pid: string;
  layer: string;
  hazard_class: string;
  measured_from: string;
  on_property: boolean;
  nearest_distance_m: number;
  parcel_on: boolean | null;
  parcel_distance_m: number | null;
  point_on: boolean | null;
  point_distance_m: number | null;
}

/** Metres of a line in a parcel, and square metres of a polygon, near which a flag may be either. */
const LINE_M = 0.1;
const LINE_CLEAR_M = 0.06;
const COVER_CLEAR_SQM = 0.02;

/** Computes a covered area; NaN: Turf cannot intersect the polygons, as happens to it with some valid ones. */
function coveredOrUnknown(...args: Parameters<typeof turfCovered>): number {
  try {
    return turfCovered(...args);
  } catch {
    return Number.NaN;
  }
}

/** Recomputes if a hazard is on a parcel. */
function onParcel(
  { shape: parcel, scale }: PlacedShape,
  hazards: readonly NearRow[],
  on_min_sqm: number,
): { found: boolean; isClear: boolean } {
  const meeting = hazards.filter(({ shape }) => turfDistance(parcel, shape, scale) === 0);
  let isClear = true;
  for (const parts of groupBy(meeting, ({ id }) => id).values()) {
    const some = parts.map(({ shape }) => shape);
    if (some.some(({ kind }) => kind === 'point')) return { found: true, isClear: true };
    const metres = some.reduce(
      (sum, shape) => sum + (shape.kind === 'line' ? turfCrossing(shape, parcel, scale) : 0),
      0,
    );
    const sqm = coveredOrUnknown(parcel, some, scale);
    if (metres > LINE_M + LINE_CLEAR_M || sqm > on_min_sqm + COVER_CLEAR_SQM)
      return { found: true, isClear: true };
    if (metres > LINE_M - LINE_CLEAR_M || !(sqm <= on_min_sqm - COVER_CLEAR_SQM)) isClear = false;
  }
  return { found: false, isClear };
}

/** Compares what is published of a class of hazards from the parcel or the point of a home. */
function compareFrom(
  facts: Facts,
  key: string,
  told: { metres: number | null; on: boolean },
  from: PlacedShape,
  near: readonly NearRow[],
  { radius_m, on_min_sqm }: Config['hazards'],
): void {
  const metres = turfNearest(from.shape, near, radius_m, from.scale);
  facts.distance(`${key} distance_m`, told.metres, metres, radius_m);
  const touching = metres > CLEAR_M ? [] : near.filter(({ box }) => boxGap(box, from.shape.box) === 0);
  const { found, isClear } =
    from.shape.kind === 'point'
      ? { found: metres === 0, isClear: metres === 0 || metres > CLEAR_M }
      : onParcel(from, touching, on_min_sqm);
  facts.flag(`${key} on`, told.on, found, isClear);
}

const risks: Recompute = async (client, { hazards: limits }, homes, facts) => {
  const { radius_m } = limits;
  const published = await readRows<ComparedRisk>(client, 'property_risk', homes);
  const hazards = await readNear(client, 'hazard', homes, radius_m);
  for (const { gnaf_pid, parcel, point, isPointOnProperty, box } of homes) {
    const rows = groupBy(published.get(gnaf_pid) ?? [], (row) => `${row.layer}|${row.hazard_class}`);
    const from = { parcel, point: isPointOnProperty ? point : null };
    const first =
      from[limits.measured_from] !== null ? limits.measured_from : parcel === null ? 'point' : 'parcel';
    const classes = groupBy(rowsNear(hazards, box, radius_m), ({ kind }) => kind);
    for (const name of ['parcel', 'point'] as const) {
      const placed = from[name];
      if (placed === null) continue;
      for (const kind of new Set([...classes.keys(), ...rows.keys()])) {
        const row = rows.get(kind)?.[0];
        // Only classes within the radius of what is measured first have a row.
        if (row === undefined && name !== first) continue;
        const told = { metres: row?.[`${name}_distance_m`] ?? null, on: row?.[`${name}_on`] ?? false };
        const key = `${gnaf_pid} ${kind} ${name}`;
        compareFrom(facts, key, told, placed, classes.get(kind) ?? [], limits);
        if (row === undefined || name !== first) continue;
        facts.flag(`${gnaf_pid} ${kind} on_property`, row.on_property, told.on);
        const metres = told.on ? 0 : Math.max(1, told.metres ?? Infinity);
        facts.value(`${gnaf_pid} ${kind} nearest_distance_m`, row.nearest_distance_m, metres, CLEAR_M, true);
      }
    }
  }
};

/** Columns of the nearest places: their source and kinds, and the search radius in metres. */
const PROXIMITY = [
  ['school_m', 'school', 'school', 5000],
  ['railway_m', 'stop', 'train', 20_000],
  ...TRANSPORT_MODES.map((mode) => [`${mode}_m`, 'stop', mode, 5000] as const),
  ['supermarket_m', 'place', 'supermarket', 5000],
  ['park_m', 'place', 'green_space', 5000],
  ['restaurant_m', 'place', 'restaurant', 5000],
  ['beach_m', 'place', 'beach', 20_000],
] as const;

const proximity: Recompute = async (client, _config, homes, facts) => {
  type Row = { gnaf_pid: string } & Record<string, number | null>;
  const published = await readRows<Row>(client, 'property_proximity', homes);
  for (const [column, source, kind, within_m] of PROXIMITY) {
    const rows = await readNear(client, source, homes, within_m, [kind]);
    for (const { gnaf_pid, point, box } of homes) {
      const told = published.get(gnaf_pid)?.[0]?.[column] ?? null;
      const found =
        point === null
          ? Infinity
          : turfNearest(point.shape, rowsNear(rows, box, within_m), within_m, point.scale);
      facts.distance(`${gnaf_pid} ${column}`, told, found, within_m, true);
    }
  }
};

/** Recomputes each table whose facts are compared; `parcel`: its records are compared with the delivered files. */
export const RECOMPUTE: Readonly<Record<string, Recompute>> = {
  parcel: rereadParcels,
  property: land,
  property_neighbour: neighbours,
  property_risk: risks,
  property_proximity: proximity,
};

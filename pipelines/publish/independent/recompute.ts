import type pg from 'pg';
import type { Config } from '../../../schema/config.ts';
import { groupBy } from '../../../schema/group_by.ts';
import { TRANSPORT_MODES } from '../../../schema/records/stop.ts';
import { propertyNeighbourTable } from '../../../schema/serving/property_neighbour.ts';
import { propertyProximityTable } from '../../../schema/serving/property_proximity.ts';
import { propertyRiskTable } from '../../../schema/serving/property_risk.ts';
import type { Row, Table } from '../../../schema/table.ts';
import * as cover from '../../../transforms/independent/turf_cover.ts';
import * as distance from '../../../transforms/independent/turf_distance.ts';
import { boxGap } from '../../../transforms/independent/turf_shape.ts';
import { AREA_SHARE, type Facts } from './facts.ts';
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

/** Reads the published rows of homes. */
async function readRows<T extends Table>(
  client: pg.ClientBase,
  { name }: T,
  homes: readonly SampledHome[],
): Promise<Map<string, Row<T>[]>> {
  const { rows } = await client.query<Row<T> & { gnaf_pid: string }>(
    `SELECT * FROM serving.${name} WHERE gnaf_pid = ANY ($1)`,
    [homes.map(({ gnaf_pid }) => gnaf_pid)],
  );
  return groupBy(rows, ({ gnaf_pid }) => gnaf_pid);
}

/** Returns a computation that gives NaN if Turf throws, as it does for some valid polygons. */
const orNaN =
  <A extends unknown[]>(compute: (...args: A) => number) =>
  (...args: A): number => {
    try {
      return compute(...args);
    } catch {
      return Number.NaN;
    }
  };
const turfArea = orNaN(cover.turfArea);
const turfCovered = orNaN(cover.turfCovered);
const turfCrossing = orNaN(cover.turfCrossing);
const turfShared = orNaN(cover.turfShared);
const turfDistance = orNaN(distance.turfDistance);
const turfNearest = orNaN(distance.turfNearest);

/** Returns whether a value is above a limit; null: it is NaN, or so near the limit that either answer is right. */
const isAbove = (value: number, limit: number, clear: number): boolean | null =>
  Math.abs(value - limit) > clear ? value > limit : null;

const land: Recompute = async (_client, _config, homes, facts) => {
  for (const { gnaf_pid, parcel_id, parcel, area_sqm, land_area_sqm } of homes) {
    if (parcel_id === null) continue;
    facts.flag(`${gnaf_pid} has a record of parcel ${parcel_id}`, true, parcel !== null);
    if (parcel === null) continue;
    const recomputed = turfArea(parcel.shape, parcel.scale);
    facts.value(`${gnaf_pid} area_sqm of ${parcel_id}`, area_sqm, recomputed, AREA_SHARE * recomputed);
    if (land_area_sqm !== null)
      facts.value(`${gnaf_pid} land_area_sqm`, land_area_sqm, recomputed, AREA_SHARE * recomputed, true);
  }
};

/** Metres from a limit within which either answer is right: of distances, and of lengths along boundaries. */
const CLEAR_M = 0.01;
const SHARED_M = 0.1;
/** Allowed difference of lengths, a share of the length besides SHARED_M. */
const SHARED_SHARE = 0.001;
/** Shared metres below which the angle of the sides also decides if parcels only meet at a corner. */
const CORNER_M = 5;

const neighbours: Recompute = async (client, config, homes, facts) => {
  const { tolerance_m, min_shared_m } = config.neighbours;
  const published = await readRows(client, propertyNeighbourTable, homes);
  const parcels = await readNear(client, 'parcel', homes, 1);
  for (const { gnaf_pid, parcel_id, parcel, box } of homes) {
    const rows = new Map((published.get(gnaf_pid) ?? []).map((row) => [row.neighbour_parcel_id, row]));
    const near = new Map(parcel && rowsNear(parcels, box, 1).map(({ id, shape }) => [id, shape]));
    for (const id of new Set([...near.keys(), ...rows.keys()])) {
      if (id === parcel_id) continue;
      const [row, shape] = [rows.get(id), near.get(id)];
      const key = `${gnaf_pid} neighbour ${id}`;
      const apart = shape === undefined ? Infinity : turfDistance(parcel!.shape, shape, parcel!.scale);
      facts.flag(key, row !== undefined, isAbove(-apart, -tolerance_m, CLEAR_M));
      if (row === undefined || shape === undefined) continue;
      const shared = turfShared(parcel!.shape, shape, tolerance_m, parcel!.scale);
      const isLong = isAbove(shared, min_shared_m, SHARED_M);
      const isCorner = isLong === null || (isLong && shared < CORNER_M) ? null : !isLong;
      facts.flag(`${key} is_corner`, row.is_corner, isCorner);
      facts.value(`${key} shared_m`, row.shared_m, shared, SHARED_M + SHARED_SHARE * shared);
    }
  }
};

/** Metres of a line in a parcel, and square metres of a polygon, near which a flag may be either. */
const LINE_M = 0.1;
const LINE_CLEAR_M = 0.06;
const COVER_CLEAR_SQM = 0.02;

/** Recomputes if a hazard is on a parcel; null: a limit is too near. */
function isOnParcel(
  { shape: parcel, scale }: PlacedShape,
  hazards: readonly NearRow[],
  on_min_sqm: number,
): boolean | null {
  const meeting = hazards.filter(({ shape }) => !(turfDistance(parcel, shape, scale) > 0));
  let isOn: boolean | null = false;
  for (const parts of groupBy(meeting, ({ id }) => id).values()) {
    const shapes = parts.map(({ shape }) => shape);
    if (shapes.some(({ kind }) => kind === 'point')) return true;
    const lines = shapes.filter(({ kind }) => kind === 'line');
    const metres = lines.reduce((sum, line) => sum + turfCrossing(line, parcel, scale), 0);
    const cover = [
      isAbove(metres, LINE_M, LINE_CLEAR_M),
      isAbove(turfCovered(parcel, shapes, scale), on_min_sqm, COVER_CLEAR_SQM),
    ];
    if (cover.includes(true)) return true;
    if (cover.includes(null)) isOn = null;
  }
  return isOn;
}

const risks: Recompute = async (client, { hazards: limits }, homes, facts) => {
  const { radius_m, measured_from, on_min_sqm } = limits;
  const published = await readRows(client, propertyRiskTable, homes);
  const hazards = await readNear(client, 'hazard', homes, radius_m);
  for (const { gnaf_pid, parcel, point, is_parcel_position, box } of homes) {
    const rows = groupBy(published.get(gnaf_pid) ?? [], (row) => `${row.layer}|${row.hazard_class}`);
    const from = { parcel, point: is_parcel_position ? point : null };
    const first = from[measured_from] !== null ? measured_from : parcel === null ? 'point' : 'parcel';
    const classes = groupBy(rowsNear(hazards, box, radius_m), ({ kind }) => kind);
    for (const name of ['parcel', 'point'] as const) {
      const origin = from[name];
      if (origin === null) continue;
      for (const kind of new Set([...classes.keys(), ...rows.keys()])) {
        const row = rows.get(kind)?.[0];
        // Only classes within the radius of what is measured first have a row.
        if (row === undefined && name !== first) continue;
        const told_m = row?.[`${name}_distance_m`] ?? null;
        const isOn = row?.[`${name}_on`] ?? false;
        const near = classes.get(kind) ?? [];
        const found_m = turfNearest(origin.shape, near, radius_m, origin.scale);
        const touching = near.filter(
          (each) => !(found_m > CLEAR_M) && boxGap(each.box, origin.shape.box) === 0,
        );
        facts.distance(`${gnaf_pid} ${kind} ${name} distance_m`, told_m, found_m, radius_m);
        facts.flag(
          `${gnaf_pid} ${kind} ${name} on`,
          isOn,
          name === 'parcel'
            ? isOnParcel(origin, touching, on_min_sqm)
            : found_m === 0 || (found_m > CLEAR_M ? false : null),
        );
        if (row === undefined || name !== first) continue;
        facts.flag(`${gnaf_pid} ${kind} on_property`, row.on_property, isOn);
        const metres = isOn ? 0 : Math.max(1, told_m ?? Infinity);
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

const HOUSING_M = 5000;

/** Recomputes the distance to public housing, measured from where hazards are; without a parcel and a point on it, from the address's point. */
const housing: Recompute = async (client, { hazards: { measured_from, on_min_sqm } }, homes, facts) => {
  const published = await readRows(client, propertyProximityTable, homes);
  const rows = await readNear(client, 'housing', homes, HOUSING_M);
  for (const { gnaf_pid, parcel, point, is_parcel_position, box } of homes) {
    const isParcel = parcel !== null && (measured_from === 'parcel' || !is_parcel_position);
    const subject = isParcel ? parcel : point;
    const near = subject === null ? [] : rowsNear(rows, box, HOUSING_M);
    const found_m = subject === null ? Infinity : turfNearest(subject.shape, near, HOUSING_M, subject.scale);
    const isOn = isParcel && found_m <= CLEAR_M ? isOnParcel(subject!, near, on_min_sqm) : found_m === 0;
    const publishedM = published.get(gnaf_pid)?.[0]?.public_housing_m ?? null;
    const metres = isOn === null ? NaN : isOn ? 0 : Math.max(1, found_m);
    facts.distance(`${gnaf_pid} public_housing_m`, publishedM, metres, HOUSING_M, true);
  }
};

const proximity: Recompute = async (client, config, homes, facts) => {
  const published = await readRows(client, propertyProximityTable, homes);
  for (const [column, source, kind, within_m] of PROXIMITY) {
    const rows = await readNear(client, source, homes, within_m, [kind]);
    for (const { gnaf_pid, point, box } of homes) {
      const publishedM = published.get(gnaf_pid)?.[0]?.[column] ?? null;
      const near = point === null ? [] : rowsNear(rows, box, within_m);
      const nearestM = point === null ? Infinity : turfNearest(point.shape, near, within_m, point.scale);
      facts.distance(`${gnaf_pid} ${column}`, publishedM, nearestM, within_m, true);
    }
  }
  await housing(client, config, homes, facts);
};

/** Recomputes each table whose facts are compared; `parcel`: its records are compared with the delivered files. */
export const RECOMPUTE: Readonly<Record<string, Recompute>> = {
  parcel: rereadParcels,
  property: land,
  property_neighbour: neighbours,
  property_risk: risks,
  property_proximity: proximity,
};

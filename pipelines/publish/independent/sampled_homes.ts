import type pg from 'pg';
import { ident } from '../../../schema/ddl.ts';
import type { Bbox } from '../../../schema/grid.ts';
import { propertyTable } from '../../../schema/serving/property.ts';
import { propertyNeighbourTable } from '../../../schema/serving/property_neighbour.ts';
import { propertyProximityTable } from '../../../schema/serving/property_proximity.ts';
import { propertyRiskTable } from '../../../schema/serving/property_risk.ts';
import { type Delta, deltaOf } from '../../../store/journal/differences.ts';
import { localDegrees, type Scale } from '../../../transforms/independent/local_degrees.ts';
import { readShape, type TurfShape, turfPointShape } from '../../../transforms/independent/turf_shape.ts';

/** Tables whose values are recomputed. */
const RECOMPUTED = [propertyTable, propertyNeighbourTable, propertyRiskTable, propertyProximityTable];

/** Homes recomputed when only a few changed. */
const NIGHT_HOMES = 25;
/** Maximum share of the homes that is a few. */
const FEW = 0.1;

/** A shape, and the local degrees about its middle. */
export interface PlacedShape {
  readonly shape: TurfShape;
  readonly scale: Scale;
}

/** A home with its point and its parcel. */
export interface SampledHome {
  readonly gnaf_pid: string;
  readonly parcel_id: string | null;
  readonly land_area_sqm: number | null;
  /** Recorded area of the parcel. Null: no parcel. */
  readonly area_sqm: number | null;
  readonly is_parcel_position: boolean;
  readonly point: PlacedShape | null;
  readonly parcel: PlacedShape | null;
  /** Box around parcel and point, GDA2020 degrees. */
  readonly box: Bbox;
}

/** Homes to recompute. */
export interface Sample {
  readonly ids: readonly string[];
  /** Describes the sample in the message of a gate: its size, of how many homes, and the seed. */
  readonly of: string;
}

/** Selects served homes in an order that the seed decides. `from`: query of the `gnaf_pid` to choose from; null: all. */
async function select(
  client: pg.ClientBase,
  from: string | null,
  seed: number,
  size: number,
): Promise<string[]> {
  const chosen = from === null ? '' : `WHERE gnaf_pid IN (${from})`;
  const { rows } = await client.query<{ gnaf_pid: string }>(
    `SELECT gnaf_pid FROM serving.property ${chosen} ORDER BY md5(gnaf_pid || $1), gnaf_pid LIMIT $2`,
    [`:${seed}`, size],
  );
  return rows.map(({ gnaf_pid }) => gnaf_pid);
}

/** Selects from all served homes. */
export async function sampleAll(client: pg.ClientBase, seed: number, size: number): Promise<Sample> {
  const ids = await select(client, null, seed, size);
  return { ids, of: `${ids.length} homes (seed ${seed})` };
}

/** Selects from the homes that this publication changes: `size` after many changes, else a few. */
export async function sampleChanged(
  client: pg.ClientBase,
  deltas: ReadonlyMap<string, Delta>,
  seed: number,
  size: number,
): Promise<Sample> {
  // The first rows of the homes are all new: the other tables have no further homes to choose from.
  if (deltas.get(propertyTable.name)?.base) {
    const all = deltas.get(propertyTable.name)!.rows_after;
    const { ids } = await sampleAll(client, seed, size);
    return { ids, of: `${ids.length} of ${all} changed homes (seed ${seed})` };
  }
  const changed = RECOMPUTED.flatMap((table) => {
    const delta = deltas.get(table.name);
    if (delta?.base) return [`SELECT gnaf_pid FROM serving.${ident(table.name)}`];
    return delta?.isListed ? [`SELECT gnaf_pid FROM ${deltaOf(table)}`] : [];
  }).join(' UNION ');
  if (changed === '') return { ids: [], of: 'no changed homes' };
  const { rows } = await client.query<{ n: number }>(`SELECT count(*)::int AS n FROM (${changed}) c`);
  const n = rows[0]!.n;
  const isFew = n <= FEW * (deltas.get(propertyTable.name)?.rows_after ?? 0);
  const ids = await select(client, changed, seed, isFew ? Math.min(size, NIGHT_HOMES) : size);
  return { ids, of: `${ids.length} of ${n} changed homes (seed ${seed})` };
}

/** Returns a shape with the local degrees about the middle of its box. */
export function placeShape(shape: TurfShape): PlacedShape {
  const [west, south, east, north] = shape.box;
  return { shape, scale: localDegrees([(west + east) / 2, (south + north) / 2]) };
}

type HomeRow = Omit<SampledHome, 'point' | 'parcel'> & {
  lon: number | null;
  lat: number | null;
  geom: Uint8Array | null;
};

/** Reads the published rows of homes and the records of their parcels; homes without a location have nothing to recompute. */
export async function readSampledHomes(
  client: pg.ClientBase,
  ids: readonly string[],
): Promise<SampledHome[]> {
  const { rows } = await client.query<HomeRow>(
    `SELECT * FROM (
       SELECT p.gnaf_pid, p.lon, p.lat, p.is_parcel_position, p.parcel_id, p.land_area_sqm, q.area_sqm, q.geom,
         ARRAY[LEAST(q.min_lon, p.lon), LEAST(q.min_lat, p.lat), GREATEST(q.max_lon, p.lon), GREATEST(q.max_lat, p.lat)] AS box
       FROM serving.property p LEFT JOIN record.parcel q USING (parcel_id) WHERE p.gnaf_pid = ANY ($1)) h
     WHERE box[1] IS NOT NULL ORDER BY gnaf_pid`,
    [ids],
  );
  return rows.map(({ lon, lat, geom, ...row }) => ({
    ...row,
    point: lon === null ? null : placeShape(turfPointShape([lon, lat!])),
    parcel: geom === null ? null : placeShape(readShape(geom)),
  }));
}

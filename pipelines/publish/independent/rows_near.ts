import type pg from 'pg';
import { type Bbox, cellsOfBbox, expandBbox } from '../../../schema/grid.ts';
import { hazardClass } from '../../../transforms/hazards/hazard_class.ts';
import { readShape, type TurfShape, turfPointShape } from '../../../transforms/independent/turf_shape.ts';
import type { SampledHome } from './sampled_homes.ts';

/** A row with a location near a sampled home. */
export interface NearRow {
  readonly id: string;
  /** Mode, category, or layer and class. */
  readonly kind: string;
  readonly box: Bbox;
  /** Read when it is first measured. */
  readonly shape: TurfShape;
}

type RawRow = Omit<NearRow, 'shape'> & { flood: string | null; geom: Uint8Array | null };

const AT_POINT = 'lon AS w, lat AS s, lon AS e, lat AS n';
const EXTENT = 'min_lon AS w, min_lat AS s, max_lon AS e, max_lat AS n';

/** Queries of rows by cell. `flood`: name of the recorded flood that the row is a part of. */
const SOURCES = {
  parcel: `SELECT cell, parcel_id AS id, 'parcel' AS kind, NULL AS flood, geom, ${EXTENT} FROM record.parcel
    UNION ALL SELECT k.cell, parcel_id, 'parcel', NULL, geom, min_lon, min_lat, max_lon, max_lat
    FROM record.parcel_spill k JOIN record.parcel USING (parcel_id)`,
  hazard: `SELECT cell, COALESCE(f.feature_id, z.feature_id) AS id, layer || '|' || hazard_class AS kind, f.name AS flood, geom, ${EXTENT}
    FROM record.hazard_piece z LEFT JOIN asset.recorded_flood f
      ON layer = 'historical_flood' AND f.event_date = z.event_date AND f.state = split_part(z.feature_id, ':', 1)
    WHERE is_assessed
    UNION ALL SELECT cell, sa1, 'public_housing|SA1:' || sa1, NULL, geom, min_lon, min_lat, max_lon, max_lat FROM asset.public_housing_piece`,
  housing: `SELECT cell, sa1 AS id, 'public_housing' AS kind, NULL AS flood, geom, ${EXTENT} FROM asset.public_housing_piece`,
  school: `SELECT cell, school_id::text AS id, 'school' AS kind, NULL AS flood, NULL::bytea AS geom, ${AT_POINT}
    FROM record.school WHERE NOT is_special AND lon IS NOT NULL`,
  stop: `SELECT cell, stop_id AS id, mode AS kind, NULL AS flood, NULL::bytea AS geom, ${AT_POINT} FROM serving.stop`,
  place: `SELECT cell, place_id AS id, category AS kind, NULL AS flood, geom, ${EXTENT} FROM record.place_piece`,
} as const;

/** Reads the rows of a source within a distance of the homes, each once for each cell. `kinds`: null for all. */
export async function readNear(
  client: pg.ClientBase,
  source: keyof typeof SOURCES,
  homes: readonly SampledHome[],
  within_m: number,
  kinds: readonly string[] | null = null,
): Promise<NearRow[]> {
  // A piece is in the cell of its home's box, widened by the margin of pieces.
  const boxes = homes.flatMap(({ box }) => {
    const around = expandBbox(box, within_m * 1.001 + 1);
    return cellsOfBbox(around).map((cell) => [cell, ...around]);
  });
  const { rows } = await client.query<RawRow>(
    `SELECT id, kind, flood, geom, ARRAY[w, s, e, n] AS box FROM (${SOURCES[source]}) z
     WHERE cell = ANY ($1) AND ($6::text[] IS NULL OR kind = ANY ($6)) AND EXISTS (
       SELECT FROM unnest($1::int[], $2::float8[], $3::float8[], $4::float8[], $5::float8[]) AS h(at, hw, hs, he, hn)
       WHERE at = cell AND w <= he AND e >= hw AND s <= hn AND n >= hs)`,
    [...[0, 1, 2, 3, 4].map((i) => boxes.map((box) => box[i])), kinds],
  );
  return rows.map(({ flood, kind, geom, ...row }) => {
    let shape: TurfShape | undefined;
    return {
      ...row,
      kind: flood === null ? kind : `historical_flood|${hazardClass(flood)}`,
      get shape() {
        shape ??= geom === null ? turfPointShape([row.box[0], row.box[1]]) : readShape(geom);
        return shape;
      },
    };
  });
}

/** Returns the rows within a distance of a home. */
export function rowsNear(rows: readonly NearRow[], box: Bbox, within_m: number): NearRow[] {
  const [west, south, east, north] = expandBbox(box, within_m * 1.001 + 1);
  return rows.filter(({ box: [w, s, e, n] }) => w <= east && e >= west && s <= north && n >= south);
}

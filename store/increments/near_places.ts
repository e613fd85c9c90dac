import type pg from 'pg';

/** SQL for the four sides of a row's box, in degrees: west, south, east, north. */
export type Sides = readonly [west: string, south: string, east: string, north: string];

/** Returns SQL for a box around the sides, widened by degrees of longitude and latitude. */
export const boxSql = (
  [west, south, east, north]: readonly string[],
  [dx, dy]: readonly [number, number] = [0, 0],
): string => `box(point(${west} - ${dx}, ${south} - ${dy}), point(${east} + ${dx}, ${north} + ${dy}))`;

/** Side of a tile, degrees: about the size of a large parcel. */
const TILE = 0.001;
/** Maximum tiles in the list; beyond it only the index is used. */
const MOST_TILES = 20_000;
/** Returns SQL for the number of a tile: columns first. */
const numberSql = (lon: string, lat: string): string =>
  `(floor(${lon} / ${TILE}) * 1000000 + floor(${lat} / ${TILE}))::bigint`;

/**
 * SQL condition: the box of a row meets one of the boxes `place` of a temporary table, which has a GiST index on them. `widened`: margin in
 * degrees of longitude and latitude. A row no larger than a tile is compared only if the tile of its corner is near a box. Few rows of a
 * city are, and finding a number in a list takes a tenth of the time of the index.
 */
export async function meetsPlaces(
  client: pg.ClientBase,
  places: string,
  row: Sides,
  widened: readonly [number, number] = [0, 0],
): Promise<string> {
  const meets = `EXISTS (SELECT FROM ${places} b WHERE b.place && ${boxSql(row, widened)})`;
  const [dx, dy] = widened;
  // A hundredth more than a tile, for the rounding of sides.
  const { rows } = await client.query<{ tiles: string[] | null }>(
    `WITH span AS (
       SELECT floor(((place[1])[0] - $1) / ${TILE} - 1.01)::int AS west, floor(((place[0])[0] + $1) / ${TILE} + 0.01)::int AS east,
         floor(((place[1])[1] - $2) / ${TILE} - 1.01)::int AS south, floor(((place[0])[1] + $2) / ${TILE} + 0.01)::int AS north FROM ${places}
     )
     SELECT CASE WHEN (SELECT sum((east - west + 1)::float8 * (north - south + 1)) FROM span) <= $3
       THEN ARRAY(SELECT DISTINCT x * 1000000::bigint + y FROM span, generate_series(west, east) x, generate_series(south, north) y) END AS tiles`,
    [dx, dy, MOST_TILES],
  );
  const tiles = rows[0]!.tiles;
  if (tiles === null) return meets;
  const [west, south, east, north] = row;
  const isLarge = `${east} - ${west} > ${TILE} OR ${north} - ${south} > ${TILE}`;
  return `(${isLarge} OR ${numberSql(west, south)} = ANY ('{${tiles.join(',')}}'::bigint[])) AND ${meets}`;
}

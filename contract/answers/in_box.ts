import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Bbox } from '../../schema/grid.ts';

/** Condition that the box of a row meets a box, edges included. For queries of one table with min_lon, min_lat, max_lon, max_lat. */
export const meetsBox = ([west, south, east, north]: Bbox): RawBuilder<SqlBool> =>
  sql`(min_lon <= ${east} AND max_lon >= ${west} AND min_lat <= ${north} AND max_lat >= ${south})`;

/** Condition that the point of a row is in a box, edges included. For queries of one table with columns lon and lat. */
export const inBox = ([west, south, east, north]: Bbox): RawBuilder<SqlBool> =>
  sql`(lon BETWEEN ${west} AND ${east} AND lat BETWEEN ${south} AND ${north})`;

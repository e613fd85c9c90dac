import { z } from 'zod';
import { cellsOfBbox, expandBbox } from '../../schema/grid.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { localPlane } from '../../transforms/geo/plane.ts';
import { countParam } from '../answers/parameters.ts';

/** Specification, section 4.4: radius_m of amenities and transport. */
export const radiusParams = z.strictObject({
  radius_m: countParam('Search radius, metres.', 100, 5000, 1000),
});
export type RadiusParams = z.infer<typeof radiusParams>;

export interface SearchCentre {
  lon: number;
  lat: number;
  /** State abbreviation of the property. */
  state: string;
}

/** Reads the position of a property. Null: it has no coordinates. Undefined: no such property. */
export async function centreOf(db: Serving, gnafId: string): Promise<SearchCentre | null | undefined> {
  const row = await db
    .selectFrom('serving.property')
    .select(['lon', 'lat', 'state'])
    .where('gnaf_pid', '=', gnafId)
    .executeTakeFirst();
  if (!row) return undefined;
  return row.lon === null || row.lat === null ? null : { lon: row.lon, lat: row.lat, state: row.state };
}

/** Grid cells within a radius of a point. */
export function cellsWithin({ lon, lat }: SearchCentre, radius_m: number): number[] {
  return cellsOfBbox(expandBbox([lon, lat, lon, lat], radius_m));
}

/** Measures metres from a centre, geodesic to 2 mm within 5 km. */
export function metresFrom({ lon, lat }: SearchCentre): (lon: number, lat: number) => number {
  const plane = localPlane(lon, lat);
  return (x, y) => Math.hypot(plane.x(x, y), plane.y(x, y));
}

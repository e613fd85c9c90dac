import { z } from 'zod';
import { expandBbox } from '../../schema/grid.ts';
import { distanceToArea } from '../../transforms/geo/area_distance.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';
import { isCovered, whyNoneNear } from '../answers/coverage.ts';
import { meetsBox } from '../answers/in_box.ts';
import { degrees } from '../answers/numbers.ts';
import { ofProperty } from '../answers/operation.ts';
import { cellsWithin, centreOf, metresFrom, type RadiusParams, radiusParams } from '../regions/centre.ts';

/** Category in the payload and key of its count, by category of the place. */
const CATEGORIES = {
  supermarket: { category: 'Supermarket', count: 'supermarket' },
  green_space: { category: 'Green Spaces', count: 'green_spaces' },
  restaurant: { category: 'restaurants/cafes', count: 'restaurant' },
} as const;
type Category = keyof typeof CATEGORIES;

/** Maximum places in an answer. The counts cover all places. */
const RESULTS_MAX = 80;

/** Specification, section 2.2: AmenitiesNearby, and `covered`: false means that a count of 0 is unknown. For an area `lat` and `lng` are a point inside it. */
const amenitiesNearbyPayload = z.strictObject({
  gnaf_id: z.string(),
  center_lat: degrees,
  center_lng: degrees,
  radius_m: z.int(),
  covered: z.boolean().describe('False: no source covers amenities here, so a count of 0 is unknown.'),
  counts: z.strictObject({ supermarket: z.int(), green_spaces: z.int(), restaurant: z.int() }),
  results: z.array(
    z.strictObject({
      category: z.string(),
      distance_m: z.int().min(0),
      lat: degrees,
      lng: degrees,
      name: z.string().optional(),
    }),
  ),
});
type AmenitiesNearbyPayload = z.infer<typeof amenitiesNearbyPayload>;

/**
 * amenities/nearby: the places within the radius, nearest first, then by id, at most 80; all of them are counted. The distance to an area is to its edge, 0 inside;
 * an area cut into several grid cells counts once.
 */
export const amenitiesNearby = ofProperty<AmenitiesNearbyPayload, RadiusParams>({
  subpath: 'amenities/nearby',
  price_cents: 10,
  tool: { title: 'Amenities nearby', use: 'Use properties_transport_nearby instead for stops and stations.' },
  doc: 'The places within the radius, nearest first, at most 80; counts include all. Distances to areas are measured to their edge; 0 inside.',
  noun: 'amenities',
  payload: amenitiesNearbyPayload,
  params: radiusParams,
  async query(db, gnafId, { radius_m }) {
    const centre = await centreOf(db, gnafId);
    if (centre === undefined) return { no_data: 'unknown_property' };
    if (centre === null) return { no_data: 'not_matched' };
    const box = expandBbox([centre.lon, centre.lat, centre.lon, centre.lat], radius_m);
    const pieces = await db
      .selectFrom('serving.place')
      .select(['place_id', 'category', 'name', 'lon', 'lat', 'geom'])
      .where('cell', 'in', cellsWithin(centre, radius_m))
      .where('category', 'in', Object.keys(CATEGORIES))
      .where(meetsBox(box))
      .execute();
    const metres = metresFrom(centre);
    const nearest = new Map<string, { exact: number; piece: (typeof pieces)[number] }>();
    for (const piece of pieces) {
      const exact =
        piece.geom === null
          ? metres(piece.lon, piece.lat)
          : distanceToArea(decodeWkb(piece.geom), centre.lon, centre.lat);
      if (exact > radius_m) continue;
      const key = `${piece.place_id}|${piece.category}`;
      if (exact < (nearest.get(key)?.exact ?? Infinity)) nearest.set(key, { exact, piece });
    }
    if (nearest.size === 0) return { no_data: await whyNoneNear(db, gnafId, 'amenity') };
    const counts: AmenitiesNearbyPayload['counts'] = { supermarket: 0, green_spaces: 0, restaurant: 0 };
    const all = [...nearest.entries()]
      .sort(([a, x], [b, y]) => x.exact - y.exact || (a < b ? -1 : 1))
      .map(([, { exact, piece }]) => {
        const { category, count } = CATEGORIES[piece.category as Category];
        counts[count]++;
        return {
          category,
          distance_m: Math.round(exact),
          lat: piece.lat,
          lng: piece.lon,
          ...(piece.name === null ? {} : { name: piece.name }),
        };
      });
    return {
      data: {
        gnaf_id: gnafId,
        center_lat: centre.lat,
        center_lng: centre.lon,
        radius_m,
        covered: await isCovered(db, gnafId, 'amenity'),
        counts,
        results: all.slice(0, RESULTS_MAX),
      },
    };
  },
});

import { z } from 'zod';
import { TRANSPORT_MODES, type TransportMode } from '../../schema/records/stop.ts';
import { isCovered, whyNoneNear } from '../answers/coverage.ts';
import { degrees } from '../answers/numbers.ts';
import { ofProperty } from '../answers/operation.ts';
import { cellsWithin, centreOf, metresFrom, type RadiusParams, radiusParams } from '../regions/centre.ts';

const nearest = z.strictObject({
  distance_m: z.int().min(0),
  label: z.string(),
  lat: degrees,
  lng: degrees,
});

/**
 * Specification, section 2.2: TransportNearby, and `covered`: false means that 0 and null are unknown, because no source covers transport
 * here. A mode without a stop in the radius has `nearest` null.
 */
export const transportNearbyPayload = z.strictObject({
  gnaf_id: z.string(),
  center_lat: degrees,
  center_lng: degrees,
  radius_m: z.int(),
  covered: z
    .boolean()
    .describe('False: no source covers transport here, so a count of 0 and a nearest of null are unknown.'),
  counts: z.strictObject({ train: z.int(), tram: z.int(), bus: z.int(), ferry: z.int() }),
  nearest: z.strictObject({
    train: nearest.nullable(),
    tram: nearest.nullable(),
    bus: nearest.nullable(),
    ferry: nearest.nullable(),
  }),
});
type TransportNearbyPayload = z.infer<typeof transportNearbyPayload>;
type Stop = z.infer<typeof nearest>;

/**
 * transport/nearby: exact counts and the nearest stop of each mode within the radius. A station is measured to its nearest point. Ties: the
 * lowest stop id.
 */
export const transportNearby = ofProperty<TransportNearbyPayload, RadiusParams>({
  subpath: 'transport/nearby',
  price_cents: 5,
  tool: {
    title: 'Public transport nearby',
    use: 'Use properties_amenities_nearby instead for shops, parks and restaurants.',
  },
  doc: 'Exact counts and the nearest stop of each mode within the radius; a station counts from its nearest point; ties go to the lowest stop id.',
  noun: 'transport',
  payload: transportNearbyPayload,
  params: radiusParams,
  async query(db, gnafId, { radius_m }) {
    const centre = await centreOf(db, gnafId);
    if (centre === undefined) return { no_data: 'unknown_property' };
    if (centre === null) return { no_data: 'not_matched' };
    const stops = await db
      .selectFrom('serving.stop')
      .select(['one_stop_id', 'mode', 'label', 'lon', 'lat'])
      .where('cell', 'in', cellsWithin(centre, radius_m))
      .orderBy('stop_id')
      .execute();
    const metres = metresFrom(centre);
    const counts: TransportNearbyPayload['counts'] = { train: 0, tram: 0, bus: 0, ferry: 0 };
    const countedStations = new Set<string>();
    const best: Partial<Record<TransportMode, Stop & { exact: number }>> = {};
    for (const { one_stop_id, mode, label, lon, lat } of stops) {
      const exact = metres(lon, lat);
      if (exact > radius_m) continue;
      const knownMode = mode as TransportMode;
      const key = `${mode}|${one_stop_id}`;
      if (!countedStations.has(key)) counts[knownMode]++;
      countedStations.add(key);
      if (exact < (best[knownMode]?.exact ?? Infinity))
        best[knownMode] = { exact, distance_m: Math.round(exact), label, lat, lng: lon };
    }
    if (Object.keys(best).length === 0) return { no_data: await whyNoneNear(db, gnafId, 'transport') };
    const nearestOf = (mode: TransportMode): Stop | null => {
      const stop = best[mode];
      return stop ? { distance_m: stop.distance_m, label: stop.label, lat: stop.lat, lng: stop.lng } : null;
    };
    return {
      data: {
        gnaf_id: gnafId,
        center_lat: centre.lat,
        center_lng: centre.lon,
        radius_m,
        covered: await isCovered(db, gnafId, 'transport'),
        counts,
        nearest: Object.fromEntries(
          TRANSPORT_MODES.map((mode) => [mode, nearestOf(mode)]),
        ) as TransportNearbyPayload['nearest'],
      },
    };
  },
});

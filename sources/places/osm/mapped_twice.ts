import { expandBbox } from '../../../schema/grid.ts';
import { append } from '../../../schema/group_by.ts';
import { distanceToArea } from '../../../transforms/geo/area_distance.ts';
import { bboxOf, type MultiPolygon } from '../../../transforms/geo/geometry.ts';
import { comparable } from '../../fields/comparable_text.ts';
import { areaOf, type Place } from '../place_rows.ts';

/**
 * Maximum distance between a point and a building of one name that are one shop, metres: two shops of a chain in a mall are further apart.
 */
const TWICE_WITHIN_M = 60;

interface ShopArea {
  readonly area: MultiPolygon;
  readonly box: readonly [number, number, number, number];
}

/**
 * Splits places of one category into those to keep and points that repeat an area. A repeat has the same name (without case and dash
 * variants) and is within 60 m of the area, or inside it. The area is kept, because distances are measured to its edge. A place without a
 * name is never a repeat.
 */
export function withoutRepeats(places: readonly Place[]): { kept: Place[]; repeats: Place[] } {
  const byName = new Map<string, ShopArea[]>();
  for (const record of places) {
    const area = areaOf(record);
    if (area === null || record.name === null) continue;
    const key = comparable(record.name);
    const box = expandBbox(bboxOf(area.coords), TWICE_WITHIN_M);
    append(byName, key, { area, box });
  }
  const single: Place[] = [];
  const repeats: Place[] = [];
  for (const mapped of places) (isRepeat(mapped, byName) ? repeats : single).push(mapped);
  return { kept: single, repeats };
}

function isRepeat(record: Place, byName: ReadonlyMap<string, readonly ShopArea[]>): boolean {
  if ('coords' in record.at || record.name === null) return false;
  const [lon, lat] = record.at;
  return (byName.get(comparable(record.name)) ?? []).some(
    ({ area, box: [west, south, east, north] }) =>
      lon >= west &&
      lon <= east &&
      lat >= south &&
      lat <= north &&
      distanceToArea(area, lon, lat) <= TWICE_WITHIN_M,
  );
}

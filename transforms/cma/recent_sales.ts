import { knownBy } from '../property/home_table.ts';
import { pointsWithin } from './point_grid.ts';
import type { SalesIndex, Subject } from './sales_index.ts';

/** Settings of the sales around a property. */
export interface RecentSalesParams {
  radius_m: number;
  max_age_days: number;
  /** Most sales that come back, the newest. */
  limit: number;
}

/** Parameters of the served list. */
export const RECENT_SALES: RecentSalesParams = { radius_m: 500, max_age_days: 365, limit: 50 };

/** A sale near a property. */
export interface RecentSale {
  /** Number of the sale in `index.sales`. */
  sale: number;
  id: string;
  property: string;
  /** Whole metres from the subject. */
  distance_m: number;
  day: number;
  price: number;
}

/**
 * Sales of any type within radius_m of a subject, dated at most `as_of` and not older than max_age_days, of other
 * properties: the newest first, then the nearest, then the lower id. Empty without coordinates.
 */
export function recentSalesNearby(
  index: SalesIndex,
  subject: Pick<Subject, 'lon' | 'lat' | 'property'>,
  as_of: number,
  params: RecentSalesParams = RECENT_SALES,
): RecentSale[] {
  const { found, sales } = index;
  if (!Number.isFinite(subject.lon) || !Number.isFinite(subject.lat)) return [];
  const to = knownBy(sales.day, as_of);
  const from = knownBy(sales.day, as_of - params.max_age_days - 1);
  pointsWithin(index.everything, subject.lon, subject.lat, params.radius_m, from, to, found);
  const own = index.property_codes.get(subject.property) ?? -1;
  const near = Array.from({ length: found.n }, (_, i) => i).filter(
    (i) => own < 0 || index.property[found.items[i]!] !== own,
  );
  near.sort((a, b) => {
    const [x, y] = [found.items[a]!, found.items[b]!];
    return sales.day[y]! - sales.day[x]! || found.distance2[a]! - found.distance2[b]! || x - y;
  });
  return near.slice(0, params.limit).map((i) => {
    const sale = found.items[i]!;
    return {
      sale,
      id: sales.id[sale]!,
      property: sales.property[sale]!,
      distance_m: Math.round(Math.sqrt(found.distance2[i]!)),
      day: sales.day[sale]!,
      price: sales.price[sale]!,
    };
  });
}

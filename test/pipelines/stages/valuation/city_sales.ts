import { HOME_EXTRA } from '../../../../schema/assets/valuation.ts';
import { isoOfDay } from '../../../../transforms/stats/calendar.ts';
import { FIRST_DAY, syntheticCity } from '../../../transforms/avm/synthetic_city.ts';

export const DAYS = 900;
export const DAY = [{ as_of: isoOfDay(FIRST_DAY + DAYS) }];
const known = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** The first `n` sales of a made-up city as rows of asset.valuation_sale. */
export function salesOf(state: string, n: number, kind = 'sale'): Record<string, unknown>[] {
  const city = syntheticCity(1000, 3, DAYS);
  // By date, so that of any number of sales the last ones come after most others.
  const order = city.id.map((_, i) => i).sort((a, b) => city.day[a]! - city.day[b]! || a - b);
  return order.slice(0, n).map((i) => ({
    kind,
    state,
    gnaf_pid: `${state}${i}`,
    event_id: city.id[i]!,
    date: isoOfDay(city.day[i]!),
    price: kind === 'sale' ? city.price[i]! : Math.round(city.price[i]! / 1000),
    area: city.area[i]!,
    dwelling_type: city.dwelling_type[i]!,
    lon: city.lon[i]!,
    lat: city.lat[i]!,
    bedrooms: known(city.bedrooms[i]!),
    bathrooms: known(city.bathrooms[i]!),
    parking: known(city.parking[i]!),
    land_area_sqm: known(city.land_area_sqm[i]!),
    floor_area_sqm: known(city.floor_area_sqm[i]!),
    year_built: known(city.year_built[i]!),
    ...Object.fromEntries(Object.values(HOME_EXTRA).map((name) => [name, null])),
  }));
}

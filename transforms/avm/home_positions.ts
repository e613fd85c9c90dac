import type { HomeTable } from '../property/home_table.ts';

/** Extra feature: standard distance in metres of a property from its street's or suburb's centre, if located by that. 0: own point. */
export const PLACE_SPREAD = 'place.spread_m';

/** Sums of coordinates and of their squares over the properties of one street or suburb. */
export interface PositionSums {
  n: number;
  lon: number;
  lat: number;
  lon2: number;
  lat2: number;
}

/** Positions of the properties of each street and suburb. Built by placesOf. */
export interface HomePositions {
  readonly streets: ReadonlyMap<string, PositionSums>;
  readonly areas: ReadonlyMap<string, PositionSums>;
}

const METRES_PER_DEGREE = 111_195;
/** Prior spread of a street and a suburb, metres, and the prior's weight in properties. */
const STREET_PRIOR_M = 200;
const AREA_PRIOR_M = 1000;
const PRIOR_HOMES = 1;

/** Returns whether a property has its own point, not its street's or suburb's. */
const hasPoint = ({ lon, lat, extra }: HomeTable, row: number): boolean =>
  Number.isFinite(lon[row]!) && Number.isFinite(lat[row]!) && !((extra[PLACE_SPREAD]?.[row] ?? 0) > 0);

const streetKey = (homes: HomeTable, row: number): string =>
  homes.street[row] === '' || homes.area[row] === '' ? '' : `${homes.area[row]}\n${homes.street[row]}`;

function gather(into: Map<string, PositionSums>, key: string, lon: number, lat: number): void {
  if (key === '') return;
  let group = into.get(key);
  if (!group) {
    group = { n: 0, lon: 0, lat: 0, lon2: 0, lat2: 0 };
    into.set(key, group);
  }
  group.n++;
  group.lon += lon;
  group.lat += lat;
  group.lon2 += lon * lon;
  group.lat2 += lat * lat;
}

/** Sums the positions of streets and suburbs over properties with coordinates, each property once. Prices are not used. */
export function placesOf(homes: HomeTable): HomePositions {
  const streets = new Map<string, PositionSums>();
  const areas = new Map<string, PositionSums>();
  const keys = new Set<string>();
  for (let row = 0; row < homes.length; row++) {
    const property = homes.property[row]!;
    if (!hasPoint(homes, row) || (property !== '' && keys.has(property))) continue;
    keys.add(property);
    gather(streets, streetKey(homes, row), homes.lon[row]!, homes.lat[row]!);
    gather(areas, homes.area[row]!, homes.lon[row]!, homes.lat[row]!);
  }
  return { streets, areas };
}

/** Returns the centre without one point, and the spread around it. Null: no other point. */
function middle(
  gathered: PositionSums | undefined,
  prior_m: number,
  without: { lon: number; lat: number } | null,
): { lon: number; lat: number; spread_m: number } | null {
  if (!gathered) return null;
  const out = without ? 1 : 0;
  const { lon: x, lat: y } = without ?? { lon: 0, lat: 0 };
  const n = gathered.n - out;
  if (n < 1) return null;
  const lon = (gathered.lon - x) / n;
  const lat = (gathered.lat - y) / n;
  const east = Math.max(0, (gathered.lon2 - x * x) / n - lon * lon) * Math.cos((lat * Math.PI) / 180) ** 2;
  const north = Math.max(0, (gathered.lat2 - y * y) / n - lat * lat);
  const spread2 = (east + north) * METRES_PER_DEGREE ** 2;
  const spread_m = Math.sqrt((n * spread2 + PRIOR_HOMES * prior_m ** 2) / (n + PRIOR_HOMES));
  return { lon, lat, spread_m };
}

/**
 * Locates properties without coordinates at the centre of their street in their suburb, else of their suburb, if one is known.
 * Repeating it changes nothing. Adds PLACE_SPREAD to their extra features. Rows in `hidden` are located as if their own point were
 * unknown.
 */
export function placeHomes<T extends HomeTable>(
  homes: T,
  { streets, areas }: HomePositions,
  hidden: (row: number) => boolean = () => false,
): T {
  const [lon, lat] = [homes.lon.slice(), homes.lat.slice()];
  const spread = new Float64Array(homes.length);
  for (let row = 0; row < homes.length; row++) {
    const isPlaced = hasPoint(homes, row);
    if (isPlaced && !hidden(row)) continue;
    const position = isPlaced ? { lon: lon[row]!, lat: lat[row]! } : null;
    const centre =
      middle(streets.get(streetKey(homes, row)), STREET_PRIOR_M, position) ??
      middle(areas.get(homes.area[row]!), AREA_PRIOR_M, position);
    if (!centre && isPlaced) continue;
    lon[row] = centre?.lon ?? Number.NaN;
    lat[row] = centre?.lat ?? Number.NaN;
    spread[row] = centre?.spread_m ?? Number.NaN;
  }
  return { ...homes, lon, lat, extra: { ...homes.extra, [PLACE_SPREAD]: spread } };
}

/** Returns whether a property of placeHomes has its own point. */
export const hasOwnPoint = ({ extra }: HomeTable, row: number): boolean => extra[PLACE_SPREAD]![row] === 0;

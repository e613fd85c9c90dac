import { metresPerDegreeLat, metresPerDegreeLon } from '../geo/plane.ts';

export interface SourceStop {
  /** Scope in which the publisher's identifiers are unique. */
  readonly source: string;
  /** The source, a colon, and the publisher's identifier. */
  readonly stop_id: string;
  readonly mode: string;
  readonly label: string;
  /** GDA2020 degrees. */
  readonly lon: number;
  readonly lat: number;
}

/** Maximum distance between two sources' points of one station, metres: a point may be an entrance, a platform or the centre. */
const STATION_M = 300;
/** Maximum distance between two sources' points of one stop identifier, metres: a relocated stop keeps its number. */
const SAME_ID_M = 150;
/** Maximum distance of stops of two sources that are one whatever their names, metres. */
const SAME_PLACE_M = 1;

/** Modes with stations, which have names of their own and may have a point in each source. Other stops are named after streets, on both sides. */
export const AT_STATIONS: ReadonlySet<string> = new Set(['train', 'ferry']);

/** Returns a station's name without the word for it and without its suburb: `Richmond Railway Station (Richmond)` is `richmond`. */
function stationName(label: string): string {
  const plain = label
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\([^()]*\)\s*$/, '');
  const words = plain
    .replace(/\b(railway|train|ferry|station|wharf)\b/g, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ');
  return words.trim() || plain.trim();
}

const publishedId = ({ source, stop_id }: SourceStop): string => stop_id.slice(source.length + 1);

function metresBetween(a: SourceStop, b: SourceStop): number {
  const lat = (a.lat + b.lat) / 2;
  return Math.hypot((a.lon - b.lon) * metresPerDegreeLon(lat), (a.lat - b.lat) * metresPerDegreeLat(lat));
}

function isSame(a: SourceStop, b: SourceStop): boolean {
  if (a.source === b.source || a.mode !== b.mode) return false;
  const metres = metresBetween(a, b);
  if (metres > STATION_M) return false;
  if (metres <= SAME_PLACE_M) return true;
  if (metres <= SAME_ID_M && publishedId(a) === publishedId(b)) return true;
  return AT_STATIONS.has(a.mode) && stationName(a.label) === stationName(b.label);
}

/** Maximum distance of the stop that replaces another, metres: a station of three sources may be linked through the second. */
export const STANDS_WITHIN_M = 2 * STATION_M;

/**
 * Returns the stops that another source has too, each with the stop that replaces it: the row with the lowest stop_id by code unit.
 * Stops of two sources with one mode are the same within 1 m, or within 150 m if they have one identifier. Trains and ferries are
 * also the same within 300 m if they have one name. Stops of one source are never the same.
 * `around` must contain every stop within STANDS_WITHIN_M of `stops`, and may contain `stops` themselves.
 */
export function repeatedStops<S extends SourceStop, A extends SourceStop>(
  stops: readonly S[],
  around: readonly A[],
): Map<S, A> {
  const byLat = [...around].sort((a, b) => a.lat - b.lat);
  const repeated = new Map<S, A>();
  for (const stop of stops) {
    let first = lowestSame(stop, byLat);
    for (let next = first; next !== null; next = lowestSame(next, byLat)) first = next;
    if (first !== null) repeated.set(stop, first);
  }
  return repeated;
}

/** Returns the same stop with the lowest identifier below its own. Null: none. */
function lowestSame<A extends SourceStop>(stop: SourceStop, byLat: readonly A[]): A | null {
  const reach = STATION_M / metresPerDegreeLat(-25) + 1e-5;
  let lowest: A | null = null;
  for (let i = firstFrom(byLat, stop.lat - reach); i < byLat.length; i++) {
    const other = byLat[i]!;
    if (other.lat > stop.lat + reach) break;
    if (other.stop_id < (lowest ?? stop).stop_id && isSame(stop, other)) lowest = other;
  }
  return lowest;
}

/** Returns the index of the first stop at or north of a latitude. */
function firstFrom(stops: readonly SourceStop[], lat: number): number {
  let [low, high] = [0, stops.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (stops[middle]!.lat < lat) low = middle + 1;
    else high = middle;
  }
  return low;
}

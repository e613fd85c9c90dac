/** Scales of the distance: a difference of one scale adds 1 to the squared distance. */
export interface DistanceScales {
  km: number;
  days: number;
  bedrooms: number;
  bathrooms: number;
  parking: number;
  ln_land: number;
  ln_floor: number;
  year_built: number;
}

/** Additions to the squared distance if the suburbs differ, or if a number is unknown on either side. */
export interface DistanceCosts {
  other_area: number;
  bedrooms: number;
  bathrooms: number;
  parking: number;
  ln_land: number;
  ln_floor: number;
  year_built: number;
}

/** Scales fitted to the errors of comparables' estimates in several cities. */
export const DISTANCE_SCALES: DistanceScales = {
  km: 1.2,
  days: 500,
  bedrooms: 1.1,
  bathrooms: 1,
  parking: 3,
  ln_land: 0.4,
  ln_floor: 0.22,
  year_built: 45,
};

/** Costs fitted together with the scales. */
export const DISTANCE_COSTS: DistanceCosts = {
  other_area: 0.4,
  bedrooms: 0.5,
  bathrooms: 0.6,
  parking: 0.1,
  ln_land: 0.8,
  ln_floor: 0.6,
  year_built: 0.3,
};

/** Decay of the score with distance: dist_score = exp(-0.25 · distance). */
const SCORE_DECAY = 0.25;

/** Returns the dist_score of a distance (not squared). */
export const scoreOf = (distance: number): number => Math.exp(-SCORE_DECAY * distance);

/** Minimum score of a comparable sale. Lower: a property eight kilometres away, for example, or one with a sixth of the land and other rooms. */
export const LEAST_SCORE = 0.2;

/** Returns the metres beyond which a sale scores less, however alike it is. */
export const reachOf = (score: number, { km }: DistanceScales): number =>
  Math.ceil((-Math.log(score) / SCORE_DECAY) * km * 1000);

/** Types whose recorded land is the whole lot's, and thus not a fact of the property. */
export const TYPES_WITHOUT_LAND: ReadonlySet<string> = new Set(['unit', 'retirement']);

/** Numbers compared between a property and a sale, in the order of the packed columns. */
export const LIKENESS_KEYS = [
  'bedrooms',
  'bathrooms',
  'parking',
  'ln_land',
  'ln_floor',
  'year_built',
] as const;

const logOf = (value: number): number => (value > 0 ? Math.log(value) : NaN);

/** Recorded numbers of a property; NaN: unknown. */
export interface HomeAttributes {
  dwelling_type: string;
  bedrooms: number;
  bathrooms: number;
  parking: number;
  land_area_sqm: number;
  floor_area_sqm: number;
  year_built: number;
}

/**
 * Writes the compared numbers of a property to out[at …], in the order of LIKENESS_KEYS. Areas of 0 or less, and land of a type
 * without land of its own, count as unknown.
 */
export function writeLikeness(home: HomeAttributes, out: Float64Array, at: number): void {
  out[at] = home.bedrooms;
  out[at + 1] = home.bathrooms;
  out[at + 2] = home.parking;
  out[at + 3] = TYPES_WITHOUT_LAND.has(home.dwelling_type) ? NaN : logOf(home.land_area_sqm);
  out[at + 4] = logOf(home.floor_area_sqm);
  out[at + 5] = home.year_built;
}

/** Returns the squared difference of two numbers in scales, or the cost if one is unknown. */
export function part(a: number, b: number, scale: number, cost: number): number {
  const difference = (a - b) / scale;
  return Number.isNaN(difference) ? cost : difference * difference;
}

/** Defaults of the finder (specification, section 8). They leave out what is known to lie outside; a bound that is asked for leaves out the unknown too. */
export const FINDER_DEFAULTS = {
  min_price: 10_000,
  max_distance_to_school: 2000,
  min_distance_to_public_housing: 0,
  max_distance_to_public_housing: 5000,
} as const;

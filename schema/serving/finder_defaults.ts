/** Maximum distances known to the finder, metres; `far_m` for beaches and stations. */
export const FINDER_REACH = { near_m: 5000, far_m: 20_000 } as const;

/**
 * Defaults of the finder (specification, section 8), whether or not given. A default or a wider bound only excludes properties
 * known to be outside; a narrower bound also excludes unknown ones.
 */
export const FINDER_DEFAULTS = {
  min_price: 10_000,
  max_distance_to_school: 2000,
  min_distance_to_public_housing: 0,
  max_distance_to_public_housing: 5000,
} as const;

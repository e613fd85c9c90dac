/** How far distances of the finder are known, metres: beaches and stations further than the others. */
export const FINDER_REACH = { near_m: 5000, far_m: 20_000 } as const;

/**
 * Defaults of the finder (specification, section 8), given or not. They, and wider bounds, leave out what is known to lie outside;
 * any narrower bound leaves out the unknown too.
 */
export const FINDER_DEFAULTS = {
  min_price: 10_000,
  max_distance_to_school: 2000,
  min_distance_to_public_housing: 0,
  max_distance_to_public_housing: 5000,
} as const;

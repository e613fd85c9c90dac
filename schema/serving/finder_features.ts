import { col } from '../table.ts';

const stated = (what: string) =>
  col('bool', `The latest listing text that mentions ${what} affirms it; false: denied, or never mentioned.`);

/** The seven finder features from listing texts (specification, section 4.7). */
export const finderFeatureColumns = {
  level_access: stated('access without steps'),
  good_view_outlook: stated('a good view or outlook'),
  presence_of_ensuite: stated('an ensuite'),
  big_kitchen: stated('a big kitchen'),
  presence_of_pool: stated('a pool'),
  entertaining_area: stated('an entertaining area'),
  natural_light: stated('natural light'),
} as const;

export const FINDER_FEATURES = Object.keys(finderFeatureColumns) as (keyof typeof finderFeatureColumns)[];

import { col } from '../table.ts';

const statedColumn = (what: string) =>
  col('bool', `The latest listing text that mentions ${what} affirms it; false: denied, or never mentioned.`);

/** The seven finder features from listing texts (specification, section 4.7). */
export const finderFeatureColumns = {
  level_access: statedColumn('access without steps'),
  good_view_outlook: statedColumn('a good view or outlook'),
  presence_of_ensuite: statedColumn('an ensuite'),
  big_kitchen: statedColumn('a big kitchen'),
  presence_of_pool: statedColumn('a pool'),
  entertaining_area: statedColumn('an entertaining area'),
  natural_light: statedColumn('natural light'),
} as const;

export const FINDER_FEATURES = Object.keys(finderFeatureColumns) as (keyof typeof finderFeatureColumns)[];

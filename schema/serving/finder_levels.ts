/** Levels of the areas that a search of the finder may name, in the order in which a region's name is looked up, and the column of property_finder that each is. */
export const FINDER_AREA_COLUMN = {
  SAL: 'sal',
  SA3: 'sa3',
  SA4: 'sa4',
  LGA: 'lga',
  GCCSA: 'gccsa',
  STE: 'state',
} as const;
export type FinderLevel = keyof typeof FINDER_AREA_COLUMN;
export const FINDER_LEVELS = Object.keys(FINDER_AREA_COLUMN) as FinderLevel[];

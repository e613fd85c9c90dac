/** Area levels of a finder search, in lookup order of a region's name, with their columns in property_finder. */
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

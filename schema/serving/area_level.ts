import { col, nullable, type TableIndex } from '../table.ts';

/** Levels of the suburb endpoints: a suburb, and the regions selected with `level`. */
export const AREA_LEVELS = ['SAL', 'SA2', 'SA3', 'LGA', 'POA'] as const;
export type AreaLevel = (typeof AREA_LEVELS)[number];

/** Columns that identify an area of one of these levels. */
export const areaColumns = {
  level: col('text', 'SAL SA2 SA3 LGA POA.'),
  area: col('text', 'SAL name, or ABS code of the other levels.'),
} as const;

/** Returns the check that a level is one of these. */
export const areaLevelCheck = (): string =>
  `level IN (${AREA_LEVELS.map((level) => `'${level}'`).join(', ')})`;

/** Regions of a located address or place, by their column names. */
export interface AreaCodes {
  sal: string | null;
  sa2: string | null;
  sa3: string | null;
  lga: string | null;
  poa: string | null;
}

/** Column with the area of each level, in tables of located things. */
export const AREA_COLUMN = { SAL: 'sal', SA2: 'sa2', SA3: 'sa3', LGA: 'lga', POA: 'poa' } as const;

/** Further area columns of a row that already has SA2 and SA3. */
export const areaCodes = {
  sal: nullable('text', 'Suburb: canonical ABS SAL name; null: not located.'),
  lga: nullable('text', 'LGA code; null: not located.'),
  poa: nullable('text', 'ABS postal area; null: not located.'),
} as const;

/** Returns an index per level, by the area and then by these columns. */
export const indexesByArea = (...columns: string[]): TableIndex[] =>
  AREA_LEVELS.map((level) => ({ columns: [AREA_COLUMN[level], ...columns] }));

import { col, nullable, type TableIndex } from '../table.ts';

/** Levels at which the suburb endpoints answer: a suburb, and the regions that are asked for with `level`. */
export const AREA_LEVELS = ['SAL', 'SA2', 'SA3', 'LGA', 'POA'] as const;
export type AreaLevel = (typeof AREA_LEVELS)[number];

/** Columns that name an area of one of these levels. */
export const areaColumns = {
  level: col('text', 'SAL SA2 SA3 LGA POA.'),
  area: col('text', 'SAL name, or ABS code of the other levels.'),
} as const;

/** Condition that a level is one of these. */
export const areaLevelCheck = (): string =>
  `level IN (${AREA_LEVELS.map((level) => `'${level}'`).join(', ')})`;

/** Regions of a located address or place, by the column names that they have everywhere. */
export interface AreaCodes {
  sal: string | null;
  sa2: string | null;
  sa3: string | null;
  lga: string | null;
  poa: string | null;
}

/** Column with the area of each level, in tables of things that lie in areas. */
export const AREA_COLUMN = { SAL: 'sal', SA2: 'sa2', SA3: 'sa3', LGA: 'lga', POA: 'poa' } as const;

/** Areas of a row that carries SA2 and SA3 already. */
export const areaCodes = {
  sal: nullable('text', 'Suburb: canonical ABS SAL name; null: not located.'),
  lga: nullable('text', 'LGA code; null: not located.'),
  poa: nullable('text', 'ABS postal area; null: not located.'),
} as const;

/** An index for each level, by the area and then by these columns. */
export const indexesByArea = (...columns: string[]): TableIndex[] =>
  AREA_LEVELS.map((level) => ({ columns: [AREA_COLUMN[level], ...columns] }));

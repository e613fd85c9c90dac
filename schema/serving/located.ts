import { col, nullable } from '../table.ts';

/** Columns of every serving row of a property. */
export const located = {
  cell: col(
    'int4',
    'Home of the property: the grid cell of its parcel, or of its point, or of its locality; -1: unknown.',
  ),
  state: col('text', 'State or territory abbreviation.'),
  sa2: nullable('text', 'SA2 code; null: not located.'),
  sa3: nullable('text', 'SA3 code; null: not located.'),
} as const;

/** Columns of every serving row of a place; the regions are those at its point. */
export const locatedPlace = {
  cell: col('int4', 'Grid cell of the place, or of the part of it.'),
  state: nullable('text', 'State or territory abbreviation; null: outside the boundaries.'),
  sa2: nullable('text', 'SA2 code; null: outside the boundaries.'),
  sa3: nullable('text', 'SA3 code; null: outside the boundaries.'),
} as const;

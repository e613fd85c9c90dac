import { butNot, type ColumnFilter, only } from '../fields/column_filter.ts';

/** Values that mean that a record may be shown; with any other value it may not. */
const UNRESTRICTED = [
  '',
  'No',
  'N',
  'None',
  'Nil',
  'Unrestricted',
  'Not restricted',
  'No restriction*',
  'Public',
  'Open',
  'False',
  '0',
];

/**
 * Filters of records that must not be shown, with any field map. These are Aboriginal objects of the planning instruments of NSW, and
 * places that their publisher restricts (heritage register of the ACT, Aboriginal heritage of Western Australia). Their drop is
 * `sensitive`.
 */
export const NOT_SENSITIVE: readonly ColumnFilter[] = [
  butNot(['LAY_CLASS'], ['Aboriginal Object*'], 'sensitive'),
  ...['DATARESTRICTIONS', 'DATA_RESTRICTIONS', 'RESTRICTED', 'BOUNDARY_RESTRICTED'].map((column) =>
    only([column], UNRESTRICTED, 'sensitive'),
  ),
];

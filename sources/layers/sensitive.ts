import { butNot, type ColumnFilter, only } from '../fields/column_filter.ts';

/** Words that say that a record may be shown; whatever else stands there, it is not. */
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
 * Records that must not be shown, whatever map they are read by: Aboriginal objects of the planning instruments of NSW, places whose
 * publisher restricts them (heritage register of the ACT, Aboriginal heritage of Western Australia). Their drop is `sensitive`.
 */
export const NOT_SENSITIVE: readonly ColumnFilter[] = [
  butNot(['LAY_CLASS'], ['Aboriginal Object*'], 'sensitive'),
  ...['DATARESTRICTIONS', 'DATA_RESTRICTIONS', 'RESTRICTED', 'BOUNDARY_RESTRICTED'].map((column) =>
    only([column], UNRESTRICTED, 'sensitive'),
  ),
];

/** Describes what each kind of check compares. The name of a check begins with its kind. */
const COMPARES: Readonly<Record<string, string>> = {
  rows: 'rows of the table with those of the publication before (gates.rows_change_max), or with a fewest number (rows_min)',
  changed: 'rows inserted, updated and deleted with the rows of the table (gates.rows_touched_max)',
  nulls:
    'the share of nulls of a column with that of the publication before (gates.null_share_rise_max), or with a largest share',
  median: 'the median of a column with that of the publication before (gates.median_shift_max)',
  coverage:
    'the rows of a state with those of the publication before (gates.coverage_drop_max), or with a fewest number',
  loaded: 'the records of a new load with a fewest number (gates.datasets.<dataset>.records_min)',
  unknown:
    'the share of rows whose class, code or status the field map does not know with gates.unknown_share_max',
  rejects: 'the share of rejected rows in each file and table of a new load with gates.rejects_share_max',
  keys: 'the keys of the table with each other: none is there twice or empty',
  references: 'each reference with the keys of the table that it names: none leads nowhere',
  independent:
    'published values of a sample of properties with values that Turf recomputes from the records, and their parcels with the delivered shapefiles (audit.sample)',
  rollback: 'what is computed with what an operator went back to',
};

/** Name of the kind of a check: `rows` of `rows:property`. */
export const gateKind = (check: string): string => check.split(':')[0]!;

/** Describes what a check compares. Empty for an unknown kind. */
export const compares = (check: string): string => COMPARES[gateKind(check)] ?? '';

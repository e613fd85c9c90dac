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

/** Says in plain words what is wrong if a check fails. `of`: its table, column or dataset. */
const FAILURES: Readonly<Record<string, (of: string) => string>> = {
  rows: (of) => `the number of rows of ${of} is outside its limits`,
  changed: (of) => `too many rows of ${of} would change at once`,
  nulls: (of) => `too many values of ${of} would be empty`,
  median: (of) => `typical values of ${of} would move too far`,
  coverage: (of) => `${of} would lose too many rows of a state`,
  loaded: (of) => `dataset ${of} gave too few records`,
  unknown: (of) => `dataset ${of} has too many rows whose class, code or status is not known`,
  rejects: (of) => `dataset ${of} has too many rows that cannot be read`,
  keys: (of) => `rows of ${of} share a key or have none`,
  references: (of) => `rows of ${of} refer to rows that do not exist`,
  independent: (of) => `${of} differs from what is computed independently`,
  rollback: () => 'what is computed was rolled back by an operator',
};

/** Says in plain words what is wrong if a check fails. */
export const gateFailureText = (check: string): string => {
  const of = check.slice(gateKind(check).length + 1);
  return FAILURES[gateKind(check)]?.(of) ?? `the check ${check} failed`;
};

import { fieldCoveragePartAsset } from '../../schema/assets/api.ts';
import { NO_CELL } from '../../schema/grid.ts';
import { fieldCoverageTable } from '../../schema/serving/field_coverage.ts';
import { propertyTable } from '../../schema/serving/property.ts';
import { propertyAvmTable } from '../../schema/serving/property_avm.ts';
import { propertyBasicsTable } from '../../schema/serving/property_basics.ts';
import { propertyProfileTable } from '../../schema/serving/property_profile.ts';
import { propertyProximityTable } from '../../schema/serving/property_proximity.ts';
import { propertyZoningTable } from '../../schema/serving/property_zoning.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { groupBy } from './by_key.ts';

/** Columns that are counted, by serving table. A property without a row there has no value. */
const FIELDS = {
  property: ['lon', 'parcel_id', 'land_area_sqm', 'dwelling_type', 'postcode'],
  property_profile: ['mesh_block', 'sa2', 'lga', 'poa'],
  property_zoning: ['code', 'category'],
  property_proximity: [
    'school_m',
    'supermarket_m',
    'park_m',
    'restaurant_m',
    'beach_m',
    'railway_m',
    'train_m',
    'tram_m',
    'bus_m',
    'ferry_m',
    'public_housing_m',
  ],
  property_basics: [
    'bedrooms',
    'bathrooms',
    'parking',
    'floor_area_sqm',
    'year_built',
    'features_date',
    'listing_date',
    'sale_price',
    'rent_pw',
  ],
  property_avm: ['predicted_price', 'rent_aud_pw'],
} as const;
type Counted = keyof typeof FIELDS;

/** Every counted field in a fixed order. */
const FIELD_NAMES = Object.entries(FIELDS).flatMap(([table, columns]) =>
  columns.map((column) => [table as Counted, column] as const),
);

type AnyRow = Readonly<Record<string, unknown>>;

export const fieldCoveragePartStage = stage({
  name: 'field_coverage_part',
  version: 1,
  doc: 'Values per field and suburb of one cell.',
  subject: 'property',
  inputs: {
    property: input(propertyTable, ['gnaf_pid', 'state', 'sal', ...FIELDS.property]),
    property_profile: input(propertyProfileTable, ['gnaf_pid', ...FIELDS.property_profile]),
    property_zoning: input(propertyZoningTable, ['gnaf_pid', ...FIELDS.property_zoning]),
    property_proximity: input(propertyProximityTable, ['gnaf_pid', ...FIELDS.property_proximity]),
    property_basics: input(propertyBasicsTable, ['gnaf_pid', ...FIELDS.property_basics]),
    property_avm: input(propertyAvmTable, ['gnaf_pid', ...FIELDS.property_avm]),
  },
  output: fieldCoveragePartAsset,
  compute(rows, { cell, emit }) {
    const { property } = rows;
    const inSuburb = property.filter((row) => row.sal !== null);
    const suburbs = [...groupBy(inSuburb, ({ sal, state }) => `${sal}|${state}`).values()];
    const suburbOf = new Map(suburbs.flatMap((of, k) => of.map(({ gnaf_pid }) => [gnaf_pid, k] as const)));
    const filled = suburbs.map(() => new Array<number>(FIELD_NAMES.length).fill(0));
    let first = 0;
    for (const [table, columns] of Object.entries(FIELDS) as [Counted, readonly string[]][]) {
      for (const row of rows[table] as readonly (AnyRow & { gnaf_pid: string })[]) {
        const suburb = suburbOf.get(row.gnaf_pid);
        if (suburb === undefined) continue;
        columns.forEach((column, k) => {
          if (row[column] !== null) filled[suburb]![first + k]!++;
        });
      }
      first += columns.length;
    }
    suburbs.forEach((of, k) => {
      const { sal, state } = of[0]!;
      emit({ cell, sal: sal!, state, properties: of.length, filled: filled[k]! });
    });
    const without = property.length - inSuburb.length;
    const drops: Record<string, number> = without > 0 ? { no_suburb: without } : {};
    return { account: { in: property.length, out: inSuburb.length, drops } };
  },
});

/** State of most properties, ties to the first by name. */
function mainState(parts: readonly { state: string; properties: number }[]): string {
  const sums = new Map<string, number>();
  for (const { state, properties } of parts) sums.set(state, (sums.get(state) ?? 0) + properties);
  return [...sums].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]![0];
}

export const serveFieldCoverageStage = stage({
  name: 'serve_field_coverage',
  version: 1,
  doc: 'Rows of serving.field_coverage.',
  subject: 'part',
  by: 'whole',
  inputs: {
    part: input(fieldCoveragePartAsset, ['cell', 'sal', 'state', 'properties', 'filled'], { kind: 'all' }),
  },
  output: fieldCoverageTable,
  compute({ part }, { emit }) {
    for (const [sal, parts] of groupBy(part, (row) => row.sal)) {
      const properties = parts.reduce((sum, row) => sum + row.properties, 0);
      const state = mainState(parts);
      for (const [i, [table, column]] of FIELD_NAMES.entries()) {
        const filled = parts.reduce((sum, row) => sum + row.filled[i]!, 0);
        const field = `${table}.${column}`;
        emit({
          sal,
          field,
          cell: NO_CELL,
          state,
          properties,
          filled,
          share_filled: filled / properties,
        });
      }
    }
    return { account: { in: part.length, out: part.length, drops: {} } };
  },
});

import { fieldCoverageTable } from '../../schema/serving/field_coverage.ts';
import { propertyTable } from '../../schema/serving/property.ts';
import { propertyAvmTable } from '../../schema/serving/property_avm.ts';
import { propertyBasicsTable } from '../../schema/serving/property_basics.ts';
import { propertyProfileTable } from '../../schema/serving/property_profile.ts';
import { propertyProximityTable } from '../../schema/serving/property_proximity.ts';
import { propertyZoningTable } from '../../schema/serving/property_zoning.ts';
import { col } from '../../schema/table.ts';
import { input } from '../engine/input.ts';
import { groupBy } from './by_key.ts';
import { most, properties, sums } from './measures.ts';
import { rollup } from './rollup.ts';

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

export const {
  asset: fieldCoveragePartAsset,
  part: fieldCoveragePartStage,
  whole: serveFieldCoverageStage,
} = rollup({
  parts: {
    name: 'field_coverage_part',
    doc: 'Properties of a suburb in one grid cell, and how many of them have a value of each field.',
    by: { sal: col('text', 'Suburb.'), state: col('text', 'State abbreviation.') },
    measures: [
      properties,
      sums({ filled: col('int4[]', 'Properties with a value, in the order of the fields of the stage.') }),
    ],
  },
  part: {
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
    dropped: 'no_suburb',
    gather(rows, add) {
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
        add({ sal: sal!, state, properties: of.length, filled: filled[k]! });
      });
      return property.length - inSuburb.length;
    },
  },
  whole: {
    name: 'serve_field_coverage',
    version: 1,
    output: fieldCoverageTable,
    by: ['sal'],
    rows({ sal, properties, filled }, parts) {
      const state = most(parts, 'state');
      return FIELD_NAMES.map(([table, column], i) => ({
        sal,
        field: `${table}.${column}`,
        state,
        properties,
        filled: filled[i]!,
        share_filled: filled[i]! / properties,
      }));
    },
  },
});

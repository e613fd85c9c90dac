import { parse } from 'yaml';
import { z } from 'zod';
import { EtlError } from '../../schema/errors.ts';
import { DWELLING_TYPES } from '../../schema/serving/property.ts';
import { HOME_NUMBERS } from '../../transforms/property/home_table.ts';

/** Units that an area may be given in, square metres each. */
export const AREA_UNITS = { sqm: 1, sqft: 0.09290304, acre: 4046.8564224, ha: 10_000 } as const;

const column = z.string().min(1);
const unit = z.enum(Object.keys(AREA_UNITS) as (keyof typeof AREA_UNITS)[]);
const numbers = Object.fromEntries(HOME_NUMBERS.map((name) => [name, column.optional()])) as Record<
  (typeof HOME_NUMBERS)[number],
  z.ZodOptional<z.ZodString>
>;

/** How the columns of a delimited file map to sales or rents. */
const salesMapSchema = z.strictObject({
  kind: z.enum(['sale', 'rent']).default('sale'),
  delimiter: z.string().length(1).default(','),
  columns: z.strictObject({
    /** Unique key of the row; without it the row's own text is. */
    id: column.optional(),
    /** Columns that together name the property. */
    property: z.union([column, z.array(column).min(1)]).optional(),
    price: column,
    date: column,
    dwelling_type: column.optional(),
    /** Columns that together name the suburb, for example suburb and postcode. */
    area: z.union([column, z.array(column).min(1)]).optional(),
    /** Columns with the street address, or the street alone; without it that of `property` which begins with a number is read. */
    street: z.union([column, z.array(column).min(1)]).optional(),
    /** Transaction, of which properties may share one price. */
    transaction: column.optional(),
    interest_pct: column.optional(),
    ...numbers,
  }),
  /** d day, m month (number or name), Y year of four digits, y of two; other characters stand for themselves. */
  date_format: z
    .string()
    .regex(/^(?=.*m)(?=.*[Yy])/, 'must hold m and Y or y, for example d/m/Y')
    .default('Y-m-d'),
  /** Words of the file for dwelling types, in any case; words of the vocabulary stand for themselves. */
  dwelling_types: z.record(z.string(), z.enum(DWELLING_TYPES)).default({}),
  /** Type of rows whose word is empty, and of all where there is no column. */
  default_type: z.enum(DWELLING_TYPES).nullable().default(null),
  /** Rows that are sales: those with one of the values in the column. Without it all are. */
  sales: z.strictObject({ column, values: z.array(z.coerce.string()).min(1) }).optional(),
  /** Unit of the areas, and period of rents. */
  units: z
    .strictObject({ land_area_sqm: unit.default('sqm'), floor_area_sqm: unit.default('sqm') })
    .default({ land_area_sqm: 'sqm', floor_area_sqm: 'sqm' }),
  rent_period: z.enum(['week', 'fortnight', 'month', 'year']).default('week'),
  /** Further numeric features: name to column. What stands before the first dot of a name is its group. */
  extra: z.record(z.string().regex(/^[a-z][a-z0-9_.]*$/), column).default({}),
  /** Texts that stand for an unknown value, besides an empty one. */
  unknown: z.array(z.coerce.string()).default(['NA', 'N/A', 'NaN', 'null', 'NULL', 'None', '-']),
});
export type EvaluationSalesMap = z.infer<typeof salesMapSchema>;

/** Reads a map. Throws EtlError `evaluate_map` naming the file and every error. */
export function parseSalesMap(text: string, file: string): EvaluationSalesMap {
  let tree: unknown;
  try {
    tree = parse(text);
  } catch (error) {
    throw new EtlError('evaluate_map', `${file} is not YAML: ${(error as Error).message.split('\n')[0]}`);
  }
  const result = salesMapSchema.safeParse(tree);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => `${issue.path.join('.') || '(map)'}: ${issue.message}`);
  throw new EtlError('evaluate_map', `${file}: ${faults.join('; ')}. config/maps/ has an example.`);
}

/** Columns of the file that a map needs. */
export function mappedColumns(map: EvaluationSalesMap): string[] {
  const own = Object.values(map.columns).flatMap((value) => value ?? []);
  return [...new Set([...own, ...(map.sales ? [map.sales.column] : []), ...Object.values(map.extra)])];
}

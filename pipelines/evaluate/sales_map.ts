import { parse } from 'yaml';
import { z } from 'zod';
import { EtlError } from '../../schema/errors.ts';
import { DWELLING_TYPES } from '../../schema/serving/property.ts';
import { HOME_NUMBERS } from '../../transforms/property/home_table.ts';

/** Units for areas, in square metres. */
export const AREA_UNITS = { sqm: 1, sqft: 0.09290304, acre: 4046.8564224, ha: 10_000 } as const;

const column = z.string().min(1);
const unit = z.enum(Object.keys(AREA_UNITS) as (keyof typeof AREA_UNITS)[]);
const numbers = Object.fromEntries(HOME_NUMBERS.map((name) => [name, column.optional()])) as Record<
  (typeof HOME_NUMBERS)[number],
  z.ZodOptional<z.ZodString>
>;

/** Maps columns of a delimited file to sales or rents. */
const salesMapSchema = z.strictObject({
  kind: z.enum(['sale', 'rent']).default('sale'),
  delimiter: z.string().length(1).default(','),
  columns: z.strictObject({
    /** Unique key of the row; if missing, the row's own text. */
    id: column.optional(),
    /** Columns that together identify the property. */
    property: z.union([column, z.array(column).min(1)]).optional(),
    price: column,
    date: column,
    dwelling_type: column.optional(),
    /** Columns that together identify the suburb, for example suburb and postcode. */
    area: z.union([column, z.array(column).min(1)]).optional(),
    /** Columns with the street address or only the street. If missing, values of `property` that begin with a number are used. */
    street: z.union([column, z.array(column).min(1)]).optional(),
    /** Id of a transaction, which may cover several properties at one price. */
    transaction: column.optional(),
    interest_pct: column.optional(),
    ...numbers,
  }),
  /** d: day; m: month (number or name); Y: year of four digits; y: year of two. Other characters are literal. */
  date_format: z
    .string()
    .regex(/^(?=.*m)(?=.*[Yy])/, 'must hold m and Y or y, for example d/m/Y')
    .default('Y-m-d'),
  /** Dwelling types by the file's words, ignoring case. Our own dwelling types need no entry. */
  dwelling_types: z.record(z.string(), z.enum(DWELLING_TYPES)).default({}),
  /** Type of rows without a word, or of all rows if there is no such column. */
  default_type: z.enum(DWELLING_TYPES).nullable().default(null),
  /** Selects the rows that are sales, by values of a column. If missing, all are. */
  sales: z.strictObject({ column, values: z.array(z.coerce.string()).min(1) }).optional(),
  /** Units of the areas, and period of rents. */
  units: z
    .strictObject({ land_area_sqm: unit.default('sqm'), floor_area_sqm: unit.default('sqm') })
    .default({ land_area_sqm: 'sqm', floor_area_sqm: 'sqm' }),
  rent_period: z.enum(['week', 'fortnight', 'month', 'year']).default('week'),
  /** Further numeric features: name to column. The part before the first dot of a name is its group. */
  extra: z.record(z.string().regex(/^[a-z][a-z0-9_.]*$/), column).default({}),
  /** Texts that mean an unknown value, like the empty text. */
  unknown: z.array(z.coerce.string()).default(['NA', 'N/A', 'NaN', 'null', 'NULL', 'None', '-']),
});
export type EvaluationSalesMap = z.infer<typeof salesMapSchema>;

/** Parses a map. @throws EtlError `evaluate_map` with the file and every error */
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

/** Returns the file columns that a map needs. */
export function mappedColumns(map: EvaluationSalesMap): string[] {
  const ownColumns = Object.values(map.columns).flatMap((value) => value ?? []);
  return [...new Set([...ownColumns, ...(map.sales ? [map.sales.column] : []), ...Object.values(map.extra)])];
}

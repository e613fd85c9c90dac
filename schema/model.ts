import { z } from 'zod';
import { SERVING_TABLES, SERVING_VIEWS } from './serving/index.ts';
import { type Column, type ColumnType, type Table, table } from './table.ts';

const NAME = /^[a-z][a-z0-9_]{0,47}$/;
/** Types that a column of a model can have. */
export const MODEL_COLUMN_TYPES = [
  'text',
  'int2',
  'int4',
  'float8',
  'bool',
  'date',
  'bytea',
  'text[]',
  'int4[]',
  'float8[]',
  'jsonb',
] as const satisfies readonly ColumnType[];
const RESERVED: ReadonlySet<string> = new Set<string>([
  ...SERVING_TABLES.map(({ name }) => name),
  ...SERVING_VIEWS.map(({ name }) => name),
  'publication',
  'change',
]);

const name = z.string().regex(NAME, 'must be lower case letters, digits and underscores');
const doc = z.string().regex(/\S/, 'is empty');
const timeout = z.number().int().min(1).max(86_400).default(60);

/** Header of a model (docs/models.md). */
export const modelHeaderSchema = z.strictObject({
  table: name.refine((text) => !RESERVED.has(text), 'is the name of a table of the pipeline'),
  doc,
  key: z.array(name).min(1),
  inputs: z.array(name).min(1),
  columns: z.record(
    name,
    z.strictObject({ type: z.enum(MODEL_COLUMN_TYPES), nullable: z.boolean().default(false), doc }),
  ),
  timeout_s: timeout,
});

export const auditHeaderSchema = z.strictObject({
  doc,
  level: z.enum(['error', 'warning']).default('error'),
  timeout_s: timeout,
});

/** An operator's own table: a query over serving tables, which becomes a serving table. */
export type Model = z.infer<typeof modelHeaderSchema> & { file: string; sql: string };
/** A query over the tables to be published that must return no row. */
export type Audit = z.infer<typeof auditHeaderSchema> & { name: string; file: string; sql: string };

/** Cache with one table per model: tables are compared by identity. */
const tables = new WeakMap<Model, Table>();

/** Returns the serving table that a model declares. */
export function modelTable(model: Model): Table {
  const cached = tables.get(model);
  if (cached !== undefined) return cached;
  const { table: named, doc: text, columns, key } = model;
  const declared = table({
    schema: 'serving',
    name: named,
    doc: text,
    columns: columns as Readonly<Record<string, Column>>,
    primaryKey: key,
    partition: 'whole',
  });
  tables.set(model, declared);
  return declared;
}

/** Returns every serving table: the program's, and those from an operator's models. */
export const servingTables = ({ models }: { readonly models: readonly Model[] }): readonly Table[] => [
  ...SERVING_TABLES,
  ...models.map(modelTable),
];

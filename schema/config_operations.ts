import { z } from 'zod';

const fraction = (doc: string) => z.number().min(0).describe(doc);
const limit = (doc: string) => z.number().min(0).nullable().default(null).describe(doc);
const limitCount = (doc: string) => z.number().int().min(0).nullable().default(null).describe(doc);

/** Limits that hold for one serving table instead of those for all, and limits that need no earlier publication. */
const tableGates = z.strictObject({
  rows_min: limitCount('Fewest rows of the table; holds for the first publication too; null: none.'),
  states_min: z
    .record(z.string(), z.number().int().min(0))
    .default({})
    .describe('Fewest rows by state abbreviation; holds for the first publication too.'),
  null_share_max: z
    .record(z.string(), z.number().min(0).max(1))
    .default({})
    .describe('Largest share of nulls by column, as a fraction; holds for the first publication too.'),
  rows_change_max: limit('The same as gates.rows_change_max, for this table; null: the same.'),
  rows_touched_max: limit('The same as gates.rows_touched_max, for this table; null: the same.'),
  null_share_rise_max: limit('The same as gates.null_share_rise_max, for this table; null: the same.'),
  median_shift_max: limit('The same as gates.median_shift_max, for this table; null: the same.'),
  coverage_drop_max: limit('The same as gates.coverage_drop_max, for this table; null: the same.'),
});

/** What the audit refuses to publish. */
export const gatesSchema = z
  .strictObject({
    rows_change_max: fraction(
      'Largest change of the rows of a serving table against the last publication, as a fraction.',
    ).default(0.2),
    rows_touched_max: fraction(
      'Largest number of rows inserted, updated or deleted in a serving table, as a fraction of its rows.',
    ).default(1),
    null_share_rise_max: fraction(
      'Largest rise of the share of nulls in a column against the last publication, as a fraction.',
    ).default(0.1),
    median_shift_max: fraction(
      'Largest shift of the median of a numeric column against the last publication, as a fraction of the larger of the median and the range between the quartiles (of the new median where both are 0).',
    ).default(0.25),
    coverage_drop_max: fraction(
      'Largest fall of the rows of one state in a serving table against the last publication, as a fraction.',
    ).default(0.25),
    tables: z
      .record(z.string(), tableGates)
      .default({})
      .describe('Limits for single serving tables by name.'),
  })
  .prefault({});

/** How long earlier publications stay within reach. */
export const journalSchema = z
  .strictObject({
    keep_publications: z
      .number()
      .int()
      .min(2)
      .max(100_000)
      .default(60)
      .describe('Publications that can be read, compared and rolled back to; older row changes are deleted.'),
  })
  .prefault({});

/** What is tried again inside a run. */
export const retrySchema = z
  .strictObject({
    attempts: z
      .number()
      .int()
      .min(1)
      .max(20)
      .default(3)
      .describe('How often a batch, partition or load is tried where trying again can help.'),
    backoff_ms: z
      .number()
      .int()
      .min(0)
      .max(600_000)
      .default(500)
      .describe('Milliseconds before the second attempt; each further one waits twice as long.'),
    set_aside_max: z
      .number()
      .int()
      .min(0)
      .max(10_000)
      .default(20)
      .describe(
        'Partitions of a run that may fail and be left out so that the rest is done; more end the run.',
      ),
  })
  .prefault({});

/** The operations page. */
export const opsSchema = z
  .strictObject({
    host: z
      .string()
      .default('127.0.0.1')
      .describe('Address that ops listens on; any but loopback needs a token.'),
    port: z.number().int().min(0).max(65_535).default(8090).describe('Port of ops; 0 takes a free one.'),
    token: z
      .string()
      .min(16)
      .nullable()
      .default(null)
      .describe('Password of ops: as bearer token, or as password of any user in a browser; null: none.'),
    fresh_h: z
      .number()
      .min(0)
      .default(30)
      .describe('Hours since the last run without a failure after which /healthz calls the tables stale.'),
  })
  .prefault({});

/** What is written about a run while it goes on. */
export const logSchema = z
  .strictObject({
    format: z
      .enum(['text', 'json'])
      .default('text')
      .describe('Progress as text, or as one JSON object a line with run, stage and partition.'),
    level: z
      .enum(['debug', 'info', 'warn', 'error'])
      .default('info')
      .describe('Least level that is written as JSON; debug names every batch.'),
  })
  .prefault({});

/** Where OpenLineage events go. */
export const lineageSchema = z
  .strictObject({
    url: z
      .string()
      .regex(/^https?:\/\//, 'is written https://host/api/v1/lineage')
      .nullable()
      .default(null)
      .describe('Receives OpenLineage events of runs and stages by HTTP POST; null: none.'),
    file: z
      .string()
      .nullable()
      .default(null)
      .describe('File that OpenLineage events are appended to, one a line; null: none.'),
    token: z.string().nullable().default(null).describe('Bearer token for lineage.url; null: none.'),
    namespace: z.string().default('property-data-pipeline').describe('OpenLineage namespace of the jobs.'),
  })
  .prefault({});

import { z } from 'zod';

const fraction = (doc: string) => z.number().min(0).describe(doc);
const limit = (doc: string) => z.number().min(0).nullable().default(null).describe(doc);
const limitCount = (doc: string) => z.number().int().min(0).nullable().default(null).describe(doc);

/** Limits of one serving table that replace the general ones, and limits that need no earlier publication. */
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
  judged_rows_min: limitCount('The same as gates.judged_rows_min, for this table; null: the same.'),
});

/** Limits of one dataset; the first two only apply to datasets read through a field map. */
const datasetGates = z.strictObject({
  records_min: limitCount('Fewest records of the dataset; null: 1.'),
  unknown_share_max: limit('The same as gates.unknown_share_max, for this dataset; null: the same.'),
  rejects_share_max: limit('The same as gates.rejects_share_max, for this dataset; null: the same.'),
});

/** Limits above which the audit refuses to publish. */
export const gatesSchema = z
  .strictObject({
    rows_change_max: fraction(
      'Largest change of the rows of a serving table against the last publication, as a fraction.',
    ).default(0.2),
    rows_touched_max: fraction(
      'Largest number of rows inserted, updated or deleted in a serving table, as a fraction of those before and after together.',
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
    unknown_share_max: fraction(
      'Largest share of the rows of a new load whose class, code or status its field map does not know, as a fraction.',
    ).default(0.05),
    rejects_share_max: fraction(
      'Largest share of rejected rows in a file of a new load, and in a table over all files, as a fraction. Fewer than 5 rejects are not judged.',
    ).default(0.05),
    datasets: z.record(z.string(), datasetGates).default({}).describe('Limits for single datasets, by name.'),
    judged_rows_min: z
      .number()
      .int()
      .min(0)
      .default(200)
      .describe(
        'Fewest rows that a fraction above is taken of: of the table, the values of a column or the rows of a state, before and, for nulls and medians, after. A change of fewer passes as too few to judge.',
      ),
    tables: z
      .record(z.string(), tableGates)
      .default({})
      .describe('Limits for single serving tables by name.'),
  })
  .prefault({});

/** How long earlier publications stay readable. */
export const journalSchema = z
  .strictObject({
    keep_publications: z
      .number()
      .int()
      .min(2)
      .max(100_000)
      .default(60)
      .describe('Publications that can be read, compared and rolled back to; older row changes are deleted.'),
    keep_mb: z
      .number()
      .int()
      .min(1)
      .max(1_000_000)
      .default(4096)
      .describe(
        'Megabytes of row changes that are kept, indexes left out. Beyond it the oldest publications go first, and the report says so; the last one always stays.',
      ),
  })
  .prefault({});

/** Retries inside a run. */
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
      .describe(
        'Hours since the last run without a failure after which /healthz calls the tables stale, and the webhook is told that runs are late.',
      ),
    webhook: z
      .strictObject({
        url: z
          .string()
          .regex(/^https?:\/\/[^\s]+$/, 'is written https://host/path')
          .refine((text) => URL.canParse(text), 'is no URL')
          .nullable()
          .default(null)
          .describe(
            'Receives a JSON notice by HTTP POST of runs that failed, were refused or are late; null: none.',
          ),
        secret: z
          .string()
          .min(16)
          .nullable()
          .default(null)
          .describe('Signs the notices (HMAC-SHA256 in the header x-pipeline-signature); null: not signed.'),
        timeout_s: z
          .number()
          .min(0.1)
          .max(60)
          .default(10)
          .describe('Seconds in which the receiver must answer each attempt.'),
        attempts: z
          .number()
          .int()
          .min(1)
          .max(10)
          .default(3)
          .describe(
            'How often a notice is sent where sending it again can help; the first wait is a second, each further one twice as long.',
          ),
      })
      .prefault({}),
  })
  .prefault({});

/** The service: the API over the read contract. */
export const serviceSchema = z
  .strictObject({
    host: z.string().default('127.0.0.1').describe('Address that the service listens on.'),
    port: z
      .number()
      .int()
      .min(0)
      .max(65_535)
      .default(8080)
      .describe('Port of the service; 0 takes a free one.'),
    processes: z
      .number()
      .int()
      .min(1)
      .max(64)
      .default(1)
      .describe(
        'Processes behind the port. Connections and limits are those of each; rates of keys too, unless queue.redis_url is set.',
      ),
    base_url: z
      .string()
      .regex(/^https?:\/\/[^/]+$/, 'is written https://host, without a path')
      .nullable()
      .default(null)
      .describe('Address by which clients reach it; null: where it listens.'),
    cors_origins: z
      .array(z.string())
      .default([])
      .describe('Origins whose pages may call it from a browser, such as https://example.org; "*" for all.'),
    exports: z
      .string()
      .nullable()
      .default(null)
      .describe(
        'Folder of exports that are sold as files: a subfolder for each, made by pipeline export --out; relative to the configuration file; null: none.',
      ),
    read_url: z
      .string()
      .nullable()
      .default(null)
      .describe('PostgreSQL that is read, such as a replica; null: the one that holds the accounts.'),
    connections: z.number().int().min(1).max(500).default(8).describe('Connections that read.'),
    rate_per_s: z
      .number()
      .min(0.01)
      .max(1_000_000)
      .default(50)
      .describe('Calls a second that a key may make in the long run; more are answered with 429.'),
    rate_burst: z
      .number()
      .int()
      .min(1)
      .max(1_000_000)
      .default(100)
      .describe('Calls that it may make at once.'),
    sandbox_rate_per_s: z
      .number()
      .min(0.01)
      .max(1_000_000)
      .default(5)
      .describe('Calls a second that all holders of the public sandbox key may make together.'),
    sandbox_rate_burst: z
      .number()
      .int()
      .min(1)
      .max(1_000_000)
      .default(20)
      .describe('Calls that they may make at once.'),
    calls_max: z
      .number()
      .int()
      .min(1)
      .max(100_000)
      .default(256)
      .describe('Calls in hand beyond which calls are refused with 503 until there are fewer.'),
    loop_delay_ms: z
      .number()
      .int()
      .min(10)
      .max(60_000)
      .default(1000)
      .describe(
        'Delay of the event loop, milliseconds, beyond which calls are refused with 503 until it is shorter.',
      ),
    connections_max: z
      .number()
      .int()
      .min(1)
      .max(100_000)
      .default(2000)
      .describe('Connections of clients; further ones are answered with 503 and closed.'),
    body_max_kb: z.number().int().min(1).max(10_240).default(64).describe('Largest body of a request, KiB.'),
    query_timeout_s: z.number().min(1).max(600).default(15).describe('Longest time of a query, seconds.'),
    request_timeout_s: z
      .number()
      .min(1)
      .max(600)
      .default(10)
      .describe('Longest time in which a request must have arrived, seconds.'),
    drain_s: z
      .number()
      .min(0)
      .max(600)
      .default(20)
      .describe('Seconds to let calls in hand finish when stopped.'),
  })
  .prefault({});

/** Log of a run in progress. */
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

/** Output for other systems. */
export const exportSchema = z
  .strictObject({
    sign_key: z
      .string()
      .nullable()
      .default(null)
      .describe(
        'File with the private Ed25519 key (PEM) that signs the manifest of an export; relative to the configuration file; null: none.',
      ),
  })
  .prefault({});

import { z } from 'zod';

const fraction = (doc: string) => z.number().min(0).describe(doc);
const limit = (doc: string) => z.number().min(0).nullable().default(null).describe(doc);
const limitCount = (doc: string) => z.number().int().min(0).nullable().default(null).describe(doc);

/** Limits of one serving table that replace the general ones, and limits that need no earlier publication. */
const tableGates = z.strictObject({
  rows_min: limitCount('Minimum rows of the table, also in the first publication; null: none.'),
  states_min: z
    .record(z.string(), z.number().int().min(0))
    .default({})
    .describe('Minimum rows by state abbreviation, also in the first publication.'),
  null_share_max: z
    .record(z.string(), z.number().min(0).max(1))
    .default({})
    .describe('Maximum share of nulls by column, as a fraction, also in the first publication.'),
  rows_change_max: limit('The same as gates.rows_change_max, for this table; null: the same.'),
  rows_touched_max: limit('The same as gates.rows_touched_max, for this table; null: the same.'),
  null_share_rise_max: limit('The same as gates.null_share_rise_max, for this table; null: the same.'),
  median_shift_max: limit('The same as gates.median_shift_max, for this table; null: the same.'),
  coverage_drop_max: limit('The same as gates.coverage_drop_max, for this table; null: the same.'),
  judged_rows_min: limitCount('The same as gates.judged_rows_min, for this table; null: the same.'),
});

/** Limits of one dataset; the first two only apply to datasets read through a field map. */
const datasetGates = z.strictObject({
  records_min: limitCount('Minimum records of the dataset; null: 1.'),
  unknown_share_max: limit('The same as gates.unknown_share_max, for this dataset; null: the same.'),
  rejects_share_max: limit('The same as gates.rejects_share_max, for this dataset; null: the same.'),
});

/** Limits above which the audit refuses to publish. */
export const gatesSchema = z
  .strictObject({
    rows_change_max: fraction(
      'Maximum change in the number of rows of a serving table since the last publication, as a fraction.',
    ).default(0.2),
    rows_touched_max: fraction(
      'Maximum number of rows inserted, updated or deleted in a serving table, as a fraction of the rows before and after together.',
    ).default(1),
    null_share_rise_max: fraction(
      'Maximum rise of the share of nulls in a column since the last publication, as a fraction.',
    ).default(0.1),
    median_shift_max: fraction(
      'Maximum shift of the median of a numeric column since the last publication, as a fraction of the larger of the median and the interquartile range (of the new median if both are 0).',
    ).default(0.25),
    coverage_drop_max: fraction(
      'Maximum fall in the number of rows of one state in a serving table since the last publication, as a fraction.',
    ).default(0.25),
    unknown_share_max: fraction(
      'Maximum share of rows of a new load with a class, code or status missing from its field map, as a fraction.',
    ).default(0.05),
    rejects_share_max: fraction(
      'Maximum share of rejected rows in a file of a new load, and in a table over all files, as a fraction. Fewer than 5 rejects always pass.',
    ).default(0.05),
    datasets: z.record(z.string(), datasetGates).default({}).describe('Limits for single datasets, by name.'),
    judged_rows_min: z
      .number()
      .int()
      .min(0)
      .default(200)
      .describe(
        'Minimum number of rows for the fractions above: rows of the table, values of a column or rows of a state, before and, for nulls and medians, after. With fewer rows the check passes as too few to judge.',
      ),
    tables: z
      .record(z.string(), tableGates)
      .default({})
      .describe('Limits for single serving tables by name.'),
  })
  .prefault({});

/** The independent audit of each publication. */
export const auditSchema = z
  .strictObject({
    sample: z
      .number()
      .int()
      .min(0)
      .max(100_000)
      .default(200)
      .describe(
        'Number of properties whose values a publication recomputes with another geometry library; at most 25 if few properties changed; 0: none.',
      ),
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
      .describe(
        'Number of publications that can be read, compared and rolled back to; older row changes are deleted.',
      ),
    keep_mb: z
      .number()
      .int()
      .min(1)
      .max(1_000_000)
      .default(4096)
      .describe(
        'Maximum size of the kept row changes without indexes, megabytes. Above it the oldest publications are deleted first, and the report says so; the last one always stays.',
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
      .describe('Maximum attempts of a batch, partition or load after errors that a retry can fix.'),
    backoff_ms: z
      .number()
      .int()
      .min(0)
      .max(600_000)
      .default(500)
      .describe('Milliseconds before the second attempt; each further attempt waits twice as long.'),
    set_aside_max: z
      .number()
      .int()
      .min(0)
      .max(10_000)
      .default(20)
      .describe(
        'Maximum number of failed partitions for which a run finishes the batches that are running; more end it at once.',
      ),
  })
  .prefault({});

/** The operations page. */
export const opsSchema = z
  .strictObject({
    host: z
      .string()
      .default('127.0.0.1')
      .describe('Address that ops listens on; any address except loopback needs a token.'),
    port: z.number().int().min(0).max(65_535).default(8090).describe('Port of ops; 0: any free port.'),
    token: z
      .string()
      .min(16)
      .nullable()
      .default(null)
      .describe(
        'Password of ops: a bearer token, or in a browser the password of any user name; null: none.',
      ),
    fresh_h: z
      .number()
      .min(0)
      .default(30)
      .describe(
        'Hours since the last successful run after which /healthz reports stale tables and the webhook is notified that runs are late.',
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
            'URL that receives a JSON notice by HTTP POST when a run failed, was refused or is late; null: none.',
          ),
        secret: z
          .string()
          .min(16)
          .nullable()
          .default(null)
          .describe(
            'Secret that signs the notices (HMAC-SHA256 in the header x-pipeline-signature); null: not signed.',
          ),
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
            'Maximum attempts to send a notice after errors that a retry can fix; the first wait is a second, each further wait twice as long.',
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
      .describe('Port of the service; 0: any free port.'),
    processes: z
      .number()
      .int()
      .min(1)
      .max(64)
      .default(1)
      .describe(
        'Number of processes behind the port. Limits are those of the service: rates and long calls are counted for all processes, of calls_max and connections_max each process gets its share. service.connections apply to each.',
      ),
    base_url: z
      .string()
      .regex(/^https?:\/\/[^/]+$/, 'is written https://host, without a path')
      .nullable()
      .default(null)
      .describe('Address that clients use; null: the address that the service listens on.'),
    cors_origins: z
      .array(z.string())
      .default([])
      .describe(
        'Origins of pages that may call the service from a browser, such as https://example.org; "*" for all.',
      ),
    exports: z
      .string()
      .nullable()
      .default(null)
      .describe(
        'Folder of exports sold as files, with one subfolder for each, written by pipeline export --out; relative to the configuration file; null: none.',
      ),
    read_url: z
      .string()
      .nullable()
      .default(null)
      .describe(
        'URL of the PostgreSQL server to read from, such as a replica, or a pooler in any mode; null: the server with the accounts.',
      ),
    connections: z
      .number()
      .int()
      .min(1)
      .max(500)
      .default(8)
      .describe('Number of database connections for reads, of each process.'),
    rate_per_s: z
      .number()
      .min(0.01)
      .max(1_000_000)
      .default(50)
      .describe('Maximum sustained calls a second of a key; more are answered with 429.'),
    rate_burst: z
      .number()
      .int()
      .min(1)
      .max(1_000_000)
      .default(100)
      .describe('Maximum calls of a key at once.'),
    sandbox_rate_per_s: z
      .number()
      .min(0.01)
      .max(1_000_000)
      .default(5)
      .describe('Maximum sustained calls a second of all users of the public sandbox key together.'),
    sandbox_rate_burst: z
      .number()
      .int()
      .min(1)
      .max(1_000_000)
      .default(20)
      .describe('Maximum calls of the public sandbox key at once.'),
    calls_max: z
      .number()
      .int()
      .min(1)
      .max(100_000)
      .default(256)
      .describe('Maximum calls in progress; further calls are refused with 503.'),
    loop_delay_ms: z
      .number()
      .int()
      .min(10)
      .max(60_000)
      .default(1000)
      .describe(
        'Maximum delay of the event loop, milliseconds; calls are refused with 503 while it is longer.',
      ),
    connections_max: z
      .number()
      .int()
      .min(1)
      .max(100_000)
      .default(2000)
      .describe('Maximum client connections; further ones are answered with 503 and closed.'),
    body_max_kb: z
      .number()
      .int()
      .min(1)
      .max(10_240)
      .default(64)
      .describe('Maximum size of a request body, KiB.'),
    query_timeout_s: z.number().min(1).max(600).default(15).describe('Maximum duration of a query, seconds.'),
    request_timeout_s: z
      .number()
      .min(1)
      .max(600)
      .default(10)
      .describe('Maximum time to receive a request, seconds.'),
    drain_s: z
      .number()
      .min(0)
      .max(600)
      .default(20)
      .describe('Seconds to finish calls in progress when stopped.'),
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
      .describe('Minimum level written as JSON; debug logs every batch.'),
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
        'File with the private Ed25519 key (PEM) that signs export manifests; relative to the configuration file; null: none.',
      ),
  })
  .prefault({});

import { z } from 'zod';
import { downloadsSchema, FETCHED, fetchSchema } from './config_fetch.ts';
import {
  auditSchema,
  exportSchema,
  gatesSchema,
  journalSchema,
  logSchema,
  opsSchema,
  retrySchema,
  serviceSchema,
} from './config_operations.ts';
import type { Audit, Model } from './model.ts';
import { serverUrlSchema } from './server_url.ts';

const datasetSchema = z
  .strictObject({
    adapter: z.string().describe('Source adapter that reads the dataset; docs/sources.md lists them.'),
    path: z
      .union([z.string(), z.array(z.string()).min(1)])
      .describe(
        'File, folder or glob, or a list of them, relative to the configuration file; fetched: the files that fetch downloaded.',
      ),
    fetch: fetchSchema.optional().describe('Download locations of releases.'),
    release: z
      .string()
      .nullable()
      .default(null)
      .describe('Release label; null: the adapter reads it from the file names.'),
    crs: z
      .string()
      .regex(/^EPSG:\d+$/, 'is written EPSG:7844')
      .nullable()
      .default(null)
      .describe('CRS that overrides what the files state, for example EPSG:7844.'),
    licence: z
      .string()
      .nullable()
      .default(null)
      .describe('Licence, if it differs from the adapter’s default.'),
    attribution: z
      .string()
      .nullable()
      .default(null)
      .describe('Attribution text, if it differs from the adapter’s.'),
    accept_licence: z
      .string()
      .nullable()
      .default(null)
      .describe('Name of the licence, if you accept its terms; required for licences that are not open.'),
    cadence_days: z
      .number()
      .int()
      .min(1)
      .nullable()
      .default(null)
      .describe('Days after which a release is late; null: from the usual release cycle of the publisher.'),
    accept_all_rejected: z
      .boolean()
      .default(false)
      .describe('Whether to accept a delivery with every row, or most rows of a file, rejected.'),
    options: z
      .record(z.string(), z.unknown())
      .default({})
      .describe('Settings of the adapter, such as states or field_map.'),
  })
  .refine(({ path, fetch }) => fetch !== undefined || ![path].flat().includes(FETCHED), {
    message: 'path: fetched needs fetch.url or fetch.ckan',
  });

/** The whole configuration. Every key has a default except the datasets. */
const fileSchema = z.strictObject({
  data_dir: z
    .string()
    .regex(/\S/, 'is empty: give a folder')
    .default('.data')
    .describe('Folder of the embedded database and of temporary files; relative to the working folder.'),
  database: z
    .strictObject({
      url: serverUrlSchema(['postgres', 'postgresql'], 'postgresql://user:password@host:port/database')
        .nullable()
        .default(null)
        .describe('URL of PostgreSQL 14 or later; null: the embedded server.'),
      api_role: z.string().default('api_reader').describe('Role that may read only the schema serving.'),
      api_statement_timeout_s: z
        .number()
        .int()
        .min(1)
        .max(86_400)
        .default(60)
        .describe('Statement timeout of reader sessions, seconds.'),
      api_idle_timeout_s: z
        .number()
        .int()
        .min(1)
        .max(86_400)
        .default(60)
        .describe('Seconds after which a reader session with an open, idle transaction is ended.'),
      candidate_readers: z
        .boolean()
        .default(false)
        .describe(
          'Whether api_role may also read the schema candidate, which shows what a held run would publish.',
        ),
    })
    .prefault({}),
  datum_grid: z
    .string()
    .nullable()
    .default(null)
    .describe(
      'NTv2 grid of the ICSM (.gsb) that moves GDA94 coordinates to GDA2020, relative to the configuration file; null: the national seven parameters move them, which leaves local distortion, up to 0.3 m in places.',
    ),
  workers: z
    .number()
    .int()
    .min(0)
    .max(256)
    .default(0)
    .describe('Worker threads for loading and computing; 0: one for each core.'),
  batch_rows: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(20_000)
    .describe('Subject rows per batch of partitions; bounds the memory of a worker.'),
  parcel: z
    .strictObject({
      nearest_m: z
        .number()
        .min(0)
        .max(100)
        .default(5)
        .describe('Maximum distance of the nearest parcel for a point outside every parcel, metres.'),
      legal_id_radius_m: z
        .number()
        .min(0)
        .max(5000)
        .default(1000)
        .describe('Maximum distance between an address and the parcel of its legal parcel id, metres.'),
    })
    .prefault({}),
  neighbours: z
    .strictObject({
      tolerance_m: z
        .number()
        .min(0)
        .max(1)
        .default(0.2)
        .describe('Maximum gap or overlap of a shared boundary, metres.'),
      min_shared_m: z
        .number()
        .min(0)
        .max(50)
        .default(0.7)
        .describe(
          'Shared length above which two parcels adjoin, metres; a square corner touch shares about twice the tolerance.',
        ),
    })
    .prefault({})
    .refine((n) => n.min_shared_m > 2 * n.tolerance_m, {
      message: 'min_shared_m must be more than twice tolerance_m, or a corner touch counts as a neighbour',
    }),
  hazards: z
    .strictObject({
      radius_m: z
        .number()
        .min(100)
        .max(5000)
        .default(1000)
        .describe('Search radius of hazards around a property, metres.'),
      on_min_sqm: z
        .number()
        .min(0)
        .default(1)
        .describe(
          'Minimum area of a parcel that a hazard must cover to be on the property, square metres; less is a sliver.',
        ),
      measured_from: z
        .enum(['parcel', 'point'])
        .default('parcel')
        .describe(
          'Origin of measurements in the payload. parcel: the point if no parcel is known; point: the parcel if the address has no position.',
        ),
      public_housing_share_min: z
        .number()
        .min(0)
        .max(1)
        .default(0.1)
        .describe(
          'Minimum share of public housing of an SA1 that counts as public housing, as a fraction of its dwellings.',
        ),
    })
    .prefault({}),
  overlays: z
    .strictObject({
      min_sqm: z
        .number()
        .min(0)
        .default(1)
        .describe('Minimum area of an overlay on a parcel, square metres; less is a sliver and is left out.'),
      min_share: z
        .number()
        .min(0)
        .max(1)
        .default(0.005)
        .describe('Minimum area of an overlay as a fraction of the parcel.'),
    })
    .prefault({}),
  gates: gatesSchema,
  audit: auditSchema,
  journal: journalSchema,
  retry: retrySchema,
  downloads: downloadsSchema,
  service: serviceSchema,
  ops: opsSchema,
  log: logSchema,
  export: exportSchema,
  queue: z
    .strictObject({
      redis_url: serverUrlSchema(['redis', 'rediss'], 'redis://host:6379/0')
        .nullable()
        .default(null)
        .describe(
          'Redis of the queue, one Redis database for each pipeline; null: the queue is in the pipeline’s own database.',
        ),
      cron: z
        .string()
        .nullable()
        .default('0 2 * * *')
        .describe('Schedule of automatic refreshes by a worker, as five cron fields; null: never.'),
      jobs: z
        .strictObject({
          avm: z.string().nullable().optional().describe('Schedule of the job avm; null: none.'),
          cma: z.string().nullable().optional().describe('Schedule of the job cma; null: none.'),
        })
        .default({})
        .describe(
          'Cron fields of the named jobs that replace their default schedules; with queue.cron: null, no job runs.',
        ),
      timezone: z.string().default('Australia/Sydney').describe('Time zone of the cron fields.'),
      attempts: z
        .number()
        .int()
        .min(1)
        .max(100)
        .default(3)
        .describe('Maximum attempts of a refresh after errors that a retry can fix.'),
      backoff_s: z
        .number()
        .min(0)
        .max(86_400)
        .default(30)
        .describe('Seconds before the second attempt; each further attempt waits twice as long.'),
      lease_s: z
        .number()
        .min(5)
        .max(3600)
        .default(60)
        .describe(
          'Seconds of silence after which others take over the work of a frozen process or an unreachable machine; processes send a heartbeat every two seconds.',
        ),
      distribute: z
        .boolean()
        .default(false)
        .describe(
          'Whether workers on other machines also get parts of datasets and batches of stages, through the queue.',
        ),
    })
    .prefault({}),
  datasets: z.record(
    z.string().regex(/^[a-z][a-z0-9_]*$/, 'is lower-case letters, digits and _'),
    datasetSchema.refine(({ path, fetch }) => fetch !== undefined || ![path].flat().includes(FETCHED), {
      message: 'path: fetched needs fetch.url or fetch.ckan',
    }),
  ),
});

/** Content of a configuration file, plus its models and audits, which are read separately (pipelines/models/read_models.ts). */
export const configSchema = fileSchema.transform((config) => ({
  ...config,
  models: [] as Model[],
  audits: [] as Audit[],
}));

export type Config = z.infer<typeof configSchema>;
export type DatasetSettings = z.infer<typeof datasetSchema>;

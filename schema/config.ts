import { z } from 'zod';
import { downloadsSchema, FETCHED, fetchSchema } from './config_fetch.ts';
import {
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
        'File, folder or glob, or several; relative to the configuration file; fetched: what fetch downloaded.',
      ),
    fetch: fetchSchema.optional().describe('Where releases are downloaded from.'),
    release: z
      .string()
      .nullable()
      .default(null)
      .describe('Release label; null lets the adapter find it in the file names.'),
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
      .describe('Licence, where it differs from the adapter’s default.'),
    attribution: z
      .string()
      .nullable()
      .default(null)
      .describe('Attribution text, where it differs from the adapter’s.'),
    accept_licence: z
      .string()
      .nullable()
      .default(null)
      .describe('Names the licence once its terms are accepted; needed for licences that are not open.'),
    cadence_days: z
      .number()
      .int()
      .min(1)
      .nullable()
      .default(null)
      .describe('Days after which a release is late, where the publisher has another rhythm than is usual.'),
    accept_all_rejected: z
      .boolean()
      .default(false)
      .describe('Whether a delivery is taken of which every row, or most rows of a file, are rejected.'),
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
        .describe('PostgreSQL 14 or later by URL; null starts the embedded server.'),
      api_role: z
        .string()
        .default('api_reader')
        .describe('Role that may read the schema serving and nothing else.'),
      api_statement_timeout_s: z
        .number()
        .int()
        .min(1)
        .max(86_400)
        .default(60)
        .describe('Seconds after which a statement of a session that logs in as a reader is cancelled.'),
      api_idle_timeout_s: z
        .number()
        .int()
        .min(1)
        .max(86_400)
        .default(60)
        .describe('Seconds after which such a session is ended that leaves a transaction open and idle.'),
    })
    .prefault({}),
  workers: z
    .number()
    .int()
    .min(0)
    .max(256)
    .default(0)
    .describe('Worker threads for loading and computing; 0 means one for each core.'),
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
        .describe('Largest distance at which a point outside every parcel takes the nearest one.'),
      legal_id_radius_m: z
        .number()
        .min(0)
        .max(5000)
        .default(1000)
        .describe('Largest distance between an address and the parcel that its legal parcel id names.'),
    })
    .prefault({}),
  neighbours: z
    .strictObject({
      tolerance_m: z
        .number()
        .min(0)
        .max(1)
        .default(0.2)
        .describe('Gap or overlap within which two boundaries are shared.'),
      min_shared_m: z
        .number()
        .min(0)
        .max(50)
        .default(0.7)
        .describe(
          'Shared length above which two parcels adjoin; a square corner touch shares about twice the tolerance.',
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
        .describe('Area of a parcel that a hazard must cover to be on the property; less is a sliver.'),
      measured_from: z
        .enum(['parcel', 'point'])
        .default('parcel')
        .describe(
          'What the payload is measured from: parcel takes the point where no parcel is known; point takes the parcel where the address has no position.',
        ),
      public_housing_share_min: z
        .number()
        .min(0)
        .max(1)
        .default(0.1)
        .describe(
          'Share of public housing from which an SA1 counts as such, as a fraction of its dwellings.',
        ),
    })
    .prefault({}),
  overlays: z
    .strictObject({
      min_sqm: z
        .number()
        .min(0)
        .default(1)
        .describe(
          'Area of a parcel below which an overlay on it is a sliver and is left out, square metres.',
        ),
      min_share: z.number().min(0).max(1).default(0.005).describe('The same as a fraction of the parcel.'),
    })
    .prefault({}),
  gates: gatesSchema,
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
          'Redis that holds the queue, one Redis database for each pipeline; null keeps it in the pipeline’s own database.',
        ),
      cron: z
        .string()
        .nullable()
        .default('0 2 * * *')
        .describe('When a worker refreshes by itself, as five cron fields; null: never.'),
      jobs: z
        .strictObject({
          avm: z.string().nullable().optional().describe('Schedule of the job avm; null: none.'),
          cma: z.string().nullable().optional().describe('Schedule of the job cma; null: none.'),
        })
        .default({})
        .describe(
          'Cron fields of the jobs of a name, in place of their own; with queue.cron: null none runs.',
        ),
      timezone: z
        .string()
        .default('Australia/Sydney')
        .describe('Time zone that the cron fields are meant in.'),
      attempts: z
        .number()
        .int()
        .min(1)
        .max(100)
        .default(3)
        .describe('How often a refresh is tried where trying again can help.'),
      backoff_s: z
        .number()
        .min(0)
        .max(86_400)
        .default(30)
        .describe('Seconds before the second attempt; each further one waits twice as long.'),
      lease_s: z
        .number()
        .min(5)
        .max(3600)
        .default(60)
        .describe(
          'Seconds of silence after which what a frozen process or an unreachable machine has in hand goes to others; a process speaks up every two.',
        ),
      distribute: z
        .boolean()
        .default(false)
        .describe(
          'Hand parts of datasets and batches of stages to workers on other machines too, through the queue.',
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

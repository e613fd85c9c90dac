import { z } from 'zod';
import type { Serving } from '../../schema/serving/database.ts';
import { fraction } from '../answers/numbers.ts';
import { SUBURB_NAME_DOC, search } from '../answers/operation.ts';
import { countParam, numberParam, textParam } from '../answers/parameters.ts';
import { regionOf } from '../regions/region.ts';

const nothing = z.strictObject({});
const nullableText = z.string().nullable();

/** Sample property and suburb of each state, which the public sandbox key can read. */
export const sandboxPayload = z.array(
  z.strictObject({
    state: z.string(),
    sal: z.string(),
    gnaf_pid: z.string(),
    address: z.string(),
    subjects: z.array(z.string()),
  }),
);

/** sandbox_sample: by state. */
export const sandboxSample = search<z.infer<typeof sandboxPayload>, z.infer<typeof nothing>>({
  methods: ['GET'],
  path: '/api/sandbox_sample',
  price_cents: 0,
  doc: 'The sample property and suburb of each state that the public sandbox key unlocks.',
  payload: sandboxPayload,
  params: nothing,
  query: async (db) => ({
    data: await db
      .selectFrom('serving.sandbox_sample as s')
      .innerJoin('serving.property as p', 'p.gnaf_pid', 's.gnaf_pid')
      .select(['s.state', 's.sal', 's.gnaf_pid', 'p.address', 's.subjects'])
      .orderBy('s.state')
      .execute(),
  }),
});

/** Datasets behind the serving tables, with release, coverage, licence, attribution and freshness. */
const cataloguePayload = z.array(
  z.strictObject({
    dataset: z.string(),
    title: z.string(),
    publisher: z.string(),
    release: z.string(),
    release_date: z.iso.date().nullable(),
    records: z.number().min(0),
    rejects: z.number().min(0),
    coverage: z.array(z.strictObject({ theme: z.string(), state: z.string(), areas: z.array(z.string()) })),
    licence: z.string(),
    attribution: z.string(),
    cadence: z.string(),
    loaded_at: z.string(),
    age_days: z.int(),
    is_late: z.boolean().nullable(),
  }),
);
type Catalogue = z.infer<typeof cataloguePayload>;

/** dataset_catalogue: by dataset. */
export const datasetCatalogue = search<Catalogue, z.infer<typeof nothing>>({
  methods: ['GET'],
  path: '/api/dataset_catalogue',
  isOfToday: true,
  price_cents: 0,
  doc: 'The datasets behind the answers: release, coverage, licence, attribution and freshness.',
  payload: cataloguePayload,
  params: nothing,
  async query(db) {
    const rows = await db
      .selectFrom('serving.dataset_catalogue')
      .select([
        'dataset',
        'title',
        'publisher',
        'release',
        'release_date',
        'records',
        'rejects',
        'coverage',
        'licence',
        'attribution',
        'cadence',
        'loaded_at',
        'age_days',
        'is_late',
      ])
      .orderBy('dataset')
      .execute();
    return { data: rows as Catalogue };
  },
});

/** Share of the properties of a suburb that have a value of each field. */
export const fieldCoveragePayload = z.array(
  z.strictObject({
    field: z.string(),
    properties: z.int().min(1),
    filled: z.int().min(0),
    share_filled: fraction,
  }),
);
const suburbParam = z.strictObject({
  suburb: textParam(200)
    .min(1)
    .meta({ description: `Name of the suburb. ${SUBURB_NAME_DOC}` }),
});

/** field_coverage: for a suburb, by field. */
export const fieldCoverage = search<z.infer<typeof fieldCoveragePayload>, z.infer<typeof suburbParam>>({
  methods: ['GET'],
  path: '/api/field_coverage',
  price_cents: 0,
  doc: 'Share of the properties of a suburb that have a value for each field; empty for an unknown suburb.',
  payload: fieldCoveragePayload,
  params: suburbParam,
  async query(db, { suburb }) {
    const region = await regionOf(db, 'SAL', suburb);
    if (region === null) return { data: [] };
    const data = await db
      .selectFrom('serving.field_coverage')
      .select(['field', 'properties', 'filled', 'share_filled'])
      .where('sal', '=', region.area)
      .orderBy('field')
      .execute();
    return { data };
  },
});

/** Publications, the newest first. */
export const publicationPayload = z.array(
  z.strictObject({
    publication_id: z.int().min(1),
    published_at: z.iso.datetime(),
    kind: z.string(),
    restores: z.int().nullable(),
    reason: nullableText,
    readable: z.boolean(),
  }),
);
const publicationParams = z.strictObject({
  before: numberParam('Only publications before this one.', z.number().int().min(1).max(2_147_483_647)),
  limit: countParam('Maximum number of publications.', 1, 1000, 20),
});

/** publication: the newest first. */
export const publications = search<z.infer<typeof publicationPayload>, z.infer<typeof publicationParams>>({
  methods: ['GET'],
  path: '/api/publication',
  isOfToday: true,
  price_cents: 0,
  doc: 'Publications, newest first: time, kind, and whether each can still be read.',
  payload: publicationPayload,
  params: publicationParams,
  async query(db, { before, limit }) {
    const all = db
      .selectFrom('serving.publication')
      .select(['publication_id', 'published_at', 'kind', 'restores', 'reason', 'readable']);
    const rows = await (before === undefined ? all : all.where('publication_id', '<', before))
      .orderBy('publication_id', 'desc')
      .limit(limit)
      .execute();
    return { data: rows.map((row) => ({ ...row, published_at: row.published_at.toISOString() })) };
  },
});

/** Reads the number of the served publication. Null: nothing is published. */
export async function servedPublication(db: Serving): Promise<number | null> {
  const row = await db
    .selectFrom('serving.publication')
    .select((eb) => eb.fn.max('publication_id').as('publication_id'))
    .executeTakeFirst();
  return row?.publication_id ?? null;
}

/** Returns the address of a property. Null: it or the suburb is no longer served. */
export async function servedAddress(db: Serving, gnafPid: string, sal: string): Promise<string | null> {
  const row = await db
    .selectFrom('serving.property')
    .select('address')
    .where('gnaf_pid', '=', gnafPid)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('serving.search_area')
          .select('code')
          .where('level', '=', 'SAL')
          .where('name', '=', sal),
      ),
    )
    .executeTakeFirst();
  return row?.address ?? null;
}

/** Operations that the API needs for its own operation. */
export const SERVICE_OPERATIONS = [sandboxSample, datasetCatalogue, fieldCoverage, publications] as const;

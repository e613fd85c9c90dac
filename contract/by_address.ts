import { z } from 'zod';
import { MATCH_STATUSES } from '../schema/assets/event.ts';
import type { Serving } from '../schema/serving/database.ts';
import { NO_DATA } from './answer.ts';
import { outcomesOf, PROPERTY_SECTIONS, SUBURB_SECTIONS, sectionsOf, sectionsPayload } from './bundle.ts';
import { candidatesPayload, geocode } from './geocode/geocode.ts';
import { WrongParameters } from './parameter_errors.ts';
import { countParam, textParam } from './parameters.ts';
import { principalOf } from './principal.ts';
import { recentSalesNearby } from './recent_sales_nearby.ts';
import { identityOf, regionIdentity, regionOf, regionParams } from './region.ts';
import type { Search } from './search.ts';
import { avm, cmaCompSet, cmaSingleComp } from './valuation.ts';

const subject = {
  id: textParam(50)
    .min(1)
    .optional()
    .meta({ description: "The property's GNAF ID; this or address is required." }),
  address: textParam(400).regex(/\S/, 'is blank').optional().meta({
    description:
      'The address as people write it. If an ID is given too, both must name the same property; if the address is not found, the ID decides.',
  }),
} as const;
const hasSubject = ({ id, address }: { id?: string | undefined; address?: string | undefined }): boolean =>
  id !== undefined || address !== undefined;
const MISSING = { path: ['id'], message: 'one of id or address is required' };

const params = z.strictObject(subject).refine(hasSubject, MISSING);
const radiusParams = z
  .strictObject({
    ...subject,
    radius_m: countParam('Radius for amenities and transport, metres.', 100, 5000, 1000),
  })
  .refine(hasSubject, MISSING);

/** How the property was found, and the candidates of an address that means no property for certain. */
const found = {
  status: z.enum(MATCH_STATUSES),
  gnaf_pid: z.string().nullable(),
  address: z.string().nullable(),
  candidates: candidatesPayload,
} as const;

interface Found {
  status: (typeof MATCH_STATUSES)[number];
  gnaf_pid: string | null;
  address: string | null;
  candidates: z.infer<typeof candidatesPayload>;
}

const CANDIDATES = 5;

/** The property of an id, or the one that an address means. @throws WrongParameters where they are two */
async function propertyOf(
  db: Serving,
  { id, address }: { id?: string | undefined; address?: string | undefined },
): Promise<Found> {
  const meant = address === undefined ? null : await geocode.query(db, { address, limit: CANDIDATES });
  const served = async (gnafId: string | null | undefined) =>
    gnafId == null
      ? undefined
      : db
          .selectFrom('serving.property')
          .select(['gnaf_pid', 'address'])
          .where('gnaf_pid', '=', gnafId)
          .executeTakeFirst();
  const row =
    id === undefined
      ? await served(meant?.gnaf_pid)
      : ((await served(id)) ?? (await served(await principalOf(db, id))));
  if (meant !== null && meant.gnaf_pid !== null && meant.gnaf_pid !== row?.gnaf_pid) {
    const msg = 'address is not that of id';
    throw new WrongParameters({ type: 'value_error', loc: ['body', 'address'], msg, input: address });
  }
  if (row) return { status: 'matched', ...row, candidates: [] };
  const status = meant?.status === undefined || meant.status === 'matched' ? 'no_match' : meant.status;
  return { status, gnaf_pid: null, address: null, candidates: meant?.candidates ?? [] };
}

/** A search that finds a property by id or address and answers some of its endpoints. */
function bundleOf<P extends { id?: string | undefined; address?: string | undefined }>(
  path: string,
  doc: string,
  endpoints: typeof PROPERTY_SECTIONS,
  schema: z.ZodType<P>,
): Search<Found & { data: z.infer<ReturnType<typeof sectionsPayload>> | null }, P> {
  return {
    methods: ['POST'],
    path,
    doc,
    payload: z.strictObject({ ...found, data: sectionsPayload(endpoints).nullable() }),
    params: schema,
    nothing: ({ status }, { id, address }) =>
      status === 'matched'
        ? null
        : {
            thing: 'property',
            of: id ?? address ?? '',
            no_data: status === 'ambiguous' ? 'not_matched' : 'unknown_property',
          },
    parts: ({ data }) => data && outcomesOf(data),
    async query(db, { id, address, ...others }) {
      const property = await propertyOf(db, { id, address });
      const { gnaf_pid } = property;
      return {
        ...property,
        data: gnaf_pid === null ? null : await sectionsOf(db, endpoints, gnaf_pid, others),
      };
    },
  };
}

const WHOLE = 'All data on a property, by id or address: each endpoint’s data, or why there is none.';

/** /api/property: everything of a property. */
export const property = bundleOf('/api/property', WHOLE, PROPERTY_SECTIONS, radiusParams);
/** /v1/property: the same; without data where the text means no property for certain. */
export const propertyV1 = bundleOf('/v1/property', WHOLE, PROPERTY_SECTIONS, radiusParams);
/** /api/avm: its estimated value. */
export const avmOf = bundleOf(
  '/api/avm',
  'The estimated value of a property, by id or address.',
  [avm] as unknown as typeof PROPERTY_SECTIONS,
  params,
);
/** /api/cma: its comparable and recent sales. */
export const cmaOf = bundleOf(
  '/api/cma',
  'Comparable sales of a property and recent sales nearby, by id or address.',
  [cmaCompSet, cmaSingleComp, recentSalesNearby] as unknown as typeof PROPERTY_SECTIONS,
  params,
);

const suburbParams = z.strictObject({
  suburb: textParam(200)
    .min(1)
    .meta({ description: 'Canonical SAL name; with level the code or name of a region.' }),
  ...regionParams.shape,
});

/** A suburb or region with what every endpoint of it answers; nulls: there is none of this name. */
export const suburbPayload = z.strictObject({
  region: z.strictObject(regionIdentity).nullable(),
  no_data: z.enum(NO_DATA).nullable(),
  data: sectionsPayload(SUBURB_SECTIONS).nullable(),
});

/** /api/suburb: everything of a suburb or region. */
export const suburb: Search<z.infer<typeof suburbPayload>, z.infer<typeof suburbParams>> = {
  methods: ['GET'],
  path: '/api/suburb',
  doc: 'All data on a suburb or region: each endpoint’s data, or why there is none.',
  payload: suburbPayload,
  params: suburbParams,
  nothing: ({ no_data }, { suburb }) => no_data && { thing: 'suburb', of: suburb, no_data },
  parts: ({ data }) => data && outcomesOf(data),
  async query(db, { suburb: name, level }) {
    const region = await regionOf(db, level, name);
    if (region === null)
      return { region: null, no_data: level === 'SAL' ? 'unknown_suburb' : 'unknown_region', data: null };
    return {
      region: identityOf(region),
      no_data: null,
      data: await sectionsOf(db, SUBURB_SECTIONS, name, { level }),
    };
  },
};

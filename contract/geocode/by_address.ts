import { z } from 'zod';
import { MATCH_STATUSES } from '../../schema/assets/event.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { NO_DATA, type NoData } from '../answers/answer.ts';
import {
  type AnyOperation,
  priceOfAll,
  SUBURB_NAME_DOC,
  search,
  type ToolText,
} from '../answers/operation.ts';
import { WrongParameters } from '../answers/parameter_errors.ts';
import { countParam, textParam } from '../answers/parameters.ts';
import { principalOf } from '../answers/principal.ts';
import {
  type BundleSections,
  outcomesOf,
  PROPERTY_SECTIONS,
  propertyAll,
  SUBURB_SECTIONS,
  sectionsOf,
  sectionsPayload,
  suburbAll,
} from '../bundles/bundle.ts';
import { recentSalesNearby } from '../property/recent_sales_nearby.ts';
import { avm, cmaCompSet, cmaSingleComp } from '../property/valuation.ts';
import { identityOf, regionIdentity, regionOf, regionParams } from '../regions/region.ts';
import { candidatesPayload, matchProperties } from './geocode.ts';

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

/** How the property was found, and the candidates if the address matches no single property. */
const matchFields = {
  status: z.enum(MATCH_STATUSES),
  gnaf_pid: z.string().nullable(),
  address: z.string().nullable(),
  candidates: candidatesPayload,
} as const;

interface AddressLookupResult {
  status: (typeof MATCH_STATUSES)[number];
  gnaf_pid: string | null;
  address: string | null;
  candidates: z.infer<typeof candidatesPayload>;
}

const CANDIDATES = 5;

/** Finds the property of an id or an address. @throws WrongParameters if they are different properties */
async function propertyOf(
  db: Serving,
  { id, address }: { id?: string | undefined; address?: string | undefined },
): Promise<AddressLookupResult> {
  const match = address === undefined ? null : await matchProperties(db, address, CANDIDATES);
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
      ? await served(match?.gnaf_pid)
      : ((await served(id)) ?? (await served(await principalOf(db, id))));
  if (match !== null && match.gnaf_pid !== null && match.gnaf_pid !== row?.gnaf_pid) {
    const msg = 'address is not that of id';
    throw new WrongParameters({ type: 'value_error', loc: ['body', 'address'], msg, input: address });
  }
  if (row) return { status: 'matched', ...row, candidates: [] };
  const status = match?.status === undefined || match.status === 'matched' ? 'no_match' : match.status;
  return { status, gnaf_pid: null, address: null, candidates: match?.candidates ?? [] };
}

/** Declaration of a search by id or address. */
interface ByAddress<P> extends Pick<Parameters<typeof search>[0], 'path' | 'price_cents' | 'doc'> {
  readonly tool?: ToolText;
  readonly params: z.ZodType<P>;
}

/** Declares a search that finds a property by id or address and answers some of its operations. */
const bundleOf = <P extends { id?: string | undefined; address?: string | undefined }>(
  parts: readonly AnyOperation[],
  declaration: ByAddress<P>,
) =>
  search<AddressLookupResult & { data: BundleSections | null }, P>({
    ...declaration,
    methods: ['POST'],
    noun: 'property',
    payload: z.strictObject({ ...matchFields, data: sectionsPayload(parts).nullable() }),
    async query(db, { id, address, ...others }) {
      const { gnaf_pid, status, ...more } = await propertyOf(db, { id, address });
      if (gnaf_pid === null) {
        const none: NoData = status === 'ambiguous' ? 'not_matched' : 'unknown_property';
        if (declaration.path.startsWith('/v1/')) return { no_data: none, of: id ?? address ?? '' };
        return { data: { status, gnaf_pid, ...more, data: null }, none };
      }
      const data = await sectionsOf(db, parts, gnaf_pid, others);
      return { data: { status, gnaf_pid, ...more, data }, parts: outcomesOf(data) };
    },
  });

const WHOLE = 'All data on a property, by id or address: each endpoint’s data, or why there is none.';

/** /api/property: all endpoints of a property. */
export const property = bundleOf(PROPERTY_SECTIONS, {
  path: '/api/property',
  price_cents: propertyAll.price_cents,
  doc: WHOLE,
  params: radiusParams,
});
/** /v1/property: the same; no data if the address matches no single property. */
export const propertyV1 = bundleOf(PROPERTY_SECTIONS, {
  path: '/v1/property',
  price_cents: propertyAll.price_cents,
  tool: {
    title: 'All data on a property, by address or id',
    use: 'Use it for a full report on one property; use the single-subject tools instead for a few subjects.',
  },
  doc: WHOLE,
  params: radiusParams,
});
/** /api/avm: estimated value. */
export const avmOf = bundleOf([avm], {
  path: '/api/avm',
  price_cents: avm.price_cents,
  doc: 'The estimated value of a property, by id or address.',
  params,
});

const CMA = [cmaCompSet, cmaSingleComp, recentSalesNearby];

/** /api/cma: comparable and recent sales. */
export const cmaOf = bundleOf(CMA, {
  path: '/api/cma',
  price_cents: priceOfAll(CMA),
  doc: 'Comparable sales of a property and recent sales nearby, by id or address.',
  params,
});

const suburbParams = z.strictObject({
  suburb: textParam(200)
    .min(1)
    .meta({
      description: `Name of the suburb; with level, the code or name of a region. ${SUBURB_NAME_DOC}`,
    }),
  ...regionParams.shape,
});

/** A suburb or region with the answers of all its endpoints. Nulls: no suburb or region has that name. */
export const suburbPayload = z.strictObject({
  region: z.strictObject(regionIdentity).nullable(),
  no_data: z.enum(NO_DATA).nullable(),
  data: sectionsPayload(SUBURB_SECTIONS).nullable(),
});

/** /api/suburb: all endpoints of a suburb or region. */
export const suburb = search<z.infer<typeof suburbPayload>, z.infer<typeof suburbParams>>({
  methods: ['GET'],
  path: '/api/suburb',
  price_cents: suburbAll.price_cents,
  doc: 'All data on a suburb or region: each endpoint’s data, or why there is none.',
  payload: suburbPayload,
  params: suburbParams,
  async query(db, { suburb: name, level }) {
    const region = await regionOf(db, level, name);
    if (region === null) {
      const no_data = level === 'SAL' ? 'unknown_suburb' : 'unknown_region';
      return { data: { region: null, no_data, data: null }, none: no_data };
    }
    const data = await sectionsOf(db, SUBURB_SECTIONS, name, { level });
    return { data: { region: identityOf(region), no_data: null, data }, parts: outcomesOf(data) };
  },
});

import { z } from 'zod';
import type { Serving } from '../../schema/serving/database.ts';
import {
  type AnswerExtras,
  type BundleOutcomes,
  extrasShape,
  NO_DATA,
  type NoData,
  type PartOutcome,
} from '../answers/answer.ts';
import { type AnyOperation, ofProperty, ofSuburb, priceOfAll } from '../answers/operation.ts';
import { amenitiesNearby } from '../property/amenities_nearby.ts';
import { COUNT_OPERATIONS } from '../property/basics.ts';
import { dwellingType } from '../property/dwelling_type.ts';
import { rentHistory, saleHistory } from '../property/history.ts';
import { landArea } from '../property/land_area.ts';
import { neighbours } from '../property/neighbours.ts';
import { recentSalesNearby } from '../property/recent_sales_nearby.ts';
import { layersOutcome, risksAll } from '../property/risks.ts';
import { schoolsNearby, schoolsRanking } from '../property/schools.ts';
import { transportNearby } from '../property/transport_nearby.ts';
import { avm, cmaCompSet } from '../property/valuation.ts';
import { zoningCode } from '../property/zoning_code.ts';
import { zoningOverlays } from '../property/zoning_overlays.ts';
import { radiusParams } from '../regions/centre.ts';
import { identityOf, regionField, regionOf, regionParams } from '../regions/region.ts';
import { profile } from '../suburb/profile.ts';
import { SUBURB_MARKET_OPERATIONS } from '../suburb/suburb_market.ts';
import { SUBURB_REGION_OPERATIONS } from '../suburb/suburb_region.ts';
import { SUBURB_SALES_OPERATIONS } from '../suburb/suburb_sales.ts';
import { suburbSchools } from '../suburb/suburb_schools.ts';

/** Answers of the endpoints in a bundle, by path: the payload or the typed reason for its absence, and the extra fields. */
export type BundleSections = Record<string, ({ data: unknown } | { no_data: NoData }) & AnswerExtras>;

/** Endpoints of a property in a bundle, without those that are part of another one. */
export const PROPERTY_SECTIONS: readonly AnyOperation[] = [
  profile,
  landArea,
  dwellingType,
  ...COUNT_OPERATIONS,
  avm,
  saleHistory,
  rentHistory,
  cmaCompSet,
  recentSalesNearby,
  neighbours,
  zoningCode,
  zoningOverlays,
  schoolsNearby,
  schoolsRanking,
  amenitiesNearby,
  transportNearby,
  risksAll,
];

/** Endpoints of a suburb or region in a bundle. */
export const SUBURB_SECTIONS: readonly AnyOperation[] = [
  ...SUBURB_REGION_OPERATIONS,
  ...SUBURB_MARKET_OPERATIONS,
  ...SUBURB_SALES_OPERATIONS,
  suburbSchools,
];

export const sectionsPayload = (endpoints: readonly AnyOperation[]): z.ZodType<BundleSections> =>
  z.strictObject(
    Object.fromEntries(
      endpoints.map(({ subpath, payload, extras }) => [
        subpath,
        z
          .union([
            z.strictObject({ data: payload, ...extrasShape(extras) }),
            z.strictObject({ no_data: z.enum(NO_DATA), ...extrasShape(extras) }),
          ])
          .meta({ description: `The answer of ${subpath}, or why it has no data.` }),
      ]),
    ),
  ) as unknown as z.ZodType<BundleSections>;

/** Lists the outcomes of a bundle's sections. */
export const outcomesOf = (sections: BundleSections): BundleOutcomes =>
  Object.fromEntries(
    Object.entries(sections).map(([path, section]): [string, PartOutcome] => {
      if (section.layers !== undefined) return [path, layersOutcome(section.layers)];
      return [path, 'no_data' in section ? section.no_data : null];
    }),
  );

/** Answers endpoints one after the other. Each takes the parameters that it declares. */
export async function sectionsOf(
  db: Serving,
  endpoints: readonly AnyOperation[],
  id: string,
  params: Readonly<Record<string, unknown>>,
): Promise<BundleSections> {
  const sections: BundleSections = {};
  for (const { subpath, params: own, query } of endpoints) {
    const parsed = own.safeParse(params);
    const answer = await query(db, id, parsed.success ? parsed.data : own.parse({}));
    const { extras } = answer;
    sections[subpath] =
      'data' in answer ? { data: answer.data, ...extras } : { no_data: answer.no_data, ...extras };
  }
  return sections;
}

/** all: the answer of every endpoint of the property, or the reason for its absence. `radius_m` applies to amenities and transport. */
export const propertyAll = ofProperty<BundleSections, z.infer<typeof radiusParams>>({
  subpath: 'all',
  price_cents: priceOfAll(PROPERTY_SECTIONS),
  tool: {
    title: 'All data on a property',
    use: 'Use it for most subjects at once; use property instead if you only know the address.',
  },
  doc: 'The answer of every property endpoint, or why it has none; `radius_m` applies to amenities and transport.',
  noun: 'data',
  payload: sectionsPayload(PROPERTY_SECTIONS),
  params: radiusParams,
  async query(db, gnafId, params) {
    const property = await db
      .selectFrom('serving.property')
      .select('gnaf_pid')
      .where('gnaf_pid', '=', gnafId)
      .executeTakeFirst();
    if (!property) return { no_data: 'unknown_property' };
    const data = await sectionsOf(db, PROPERTY_SECTIONS, gnafId, params);
    return { data, parts: outcomesOf(data) };
  },
});

/** suburb/all: the answer of every endpoint of the suburb or region, or the reason for its absence. */
export const suburbAll = ofSuburb<BundleSections, z.infer<typeof regionParams>>({
  subpath: 'suburb/all',
  price_cents: priceOfAll(SUBURB_SECTIONS),
  tool: {
    title: 'All data on a suburb',
    use: 'Use the single-subject tools instead for a few subjects.',
  },
  doc: 'The answer of every suburb or region endpoint, or why it has none.',
  noun: 'suburb_data',
  extras: regionField,
  payload: sectionsPayload(SUBURB_SECTIONS),
  params: regionParams,
  async query(db, id, params) {
    const region = await regionOf(db, params.level, id);
    if (region === null) return { no_data: params.level === 'SAL' ? 'unknown_suburb' : 'unknown_region' };
    const data = await sectionsOf(db, SUBURB_SECTIONS, id, params);
    return { data, extras: { region: identityOf(region) }, parts: outcomesOf(data) };
  },
});

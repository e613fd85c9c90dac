import { z } from 'zod';
import type { NoData, PartOutcome } from '../answers/answer.ts';
import {
  type AnyOperation,
  type NoParams,
  noParams,
  type OfSubject,
  type Operation,
  ofProperty,
  priceOfAll,
} from '../answers/operation.ts';
import { COUNT_OPERATIONS } from '../property/basics.ts';
import { dwellingType } from '../property/dwelling_type.ts';
import { rentHistory, rentHistoryLatest, saleHistory, saleHistoryLatest } from '../property/history.ts';
import { landArea } from '../property/land_area.ts';
import { recentSalesNearby } from '../property/recent_sales_nearby.ts';
import { schoolsNearby, schoolsRanking } from '../property/schools.ts';
import { avm, cmaCompSet, cmaSingleComp } from '../property/valuation.ts';
import { zoningCode } from '../property/zoning_code.ts';
import { zoningOverlays } from '../property/zoning_overlays.ts';

/** Payload of a bundle: the answer of each part. Null: no data. */
type BundlePayload = Record<string, unknown>;

/** Key of a part in its bundle: the last segment of its path. */
const keyOf = ({ subpath }: AnyOperation): string =>
  subpath.slice(subpath.lastIndexOf('/') + 1).replaceAll('-', '_');

/** True if the payload of a part has one field with the name of the part, so that the field replaces the part. */
const isField = (part: AnyOperation): boolean => {
  const { shape } = part.payload as unknown as { shape?: object };
  return shape !== undefined && Object.keys(shape).join() === keyOf(part);
};

const payloadOf = (part: AnyOperation): z.ZodType =>
  isField(part)
    ? (part.payload as unknown as { shape: Record<string, z.ZodType> }).shape[keyOf(part)]!
    : part.payload;

/** Reason of a bundle without any data: the reason of its parts if they agree, else the least certain one. */
function whyNothing(reasons: readonly NoData[]): NoData {
  const [first] = reasons;
  if (reasons.every((reason) => reason === first)) return first!;
  return reasons.includes('not_matched') ? 'not_matched' : 'not_covered';
}

/** Declares a bundle: the answers of its parts in one call, for the sum of their prices. */
const bundle = (
  parts: readonly AnyOperation[],
  declaration: Pick<OfSubject<BundlePayload, NoParams>, 'subpath' | 'noun' | 'tool'>,
): Operation<BundlePayload, NoParams> =>
  ofProperty<BundlePayload, NoParams>({
    ...declaration,
    price_cents: priceOfAll(parts),
    doc: `${parts.map(({ subpath }) => subpath).join(', ')} in one call; a part without data is null.`,
    payload: z.strictObject(
      Object.fromEntries(
        parts.map((part) => [
          keyOf(part),
          payloadOf(part)
            .nullable()
            .meta({ description: `The answer of ${part.subpath}; null: no data.` }),
        ]),
      ),
    ) as unknown as z.ZodType<BundlePayload>,
    params: noParams,
    async query(db, gnafId) {
      const data: BundlePayload = {};
      const outcomes: Record<string, PartOutcome> = {};
      const reasons: NoData[] = [];
      for (const part of parts) {
        const answer = await part.query(db, gnafId, {});
        const key = keyOf(part);
        outcomes[part.subpath] = answer.parts ?? ('no_data' in answer ? answer.no_data : null);
        if ('no_data' in answer) {
          reasons.push(answer.no_data);
          data[key] = null;
        } else data[key] = isField(part) ? (answer.data as BundlePayload)[key] : answer.data;
      }
      const outcome = reasons.length === parts.length ? { no_data: whyNothing(reasons) } : { data };
      return { ...outcome, parts: outcomes };
    },
  });

/** Bundles by theme. A part without data is null. */
export const PROPERTY_BUNDLES = [
  bundle([avm], {
    subpath: 'valuation/all',
    tool: {
      title: 'Valuation bundle',
      use: 'Use properties_valuation_avm instead: same answer, same price.',
    },
    noun: 'valuation',
  }),
  bundle([...COUNT_OPERATIONS, dwellingType, landArea], {
    subpath: 'basics/all',
    tool: { title: 'Basics bundle', use: 'Use the single-figure tools instead for one figure.' },
    noun: 'basics',
  }),
  bundle([saleHistory, saleHistoryLatest, rentHistory, rentHistoryLatest], {
    subpath: 'history/all',
    tool: { title: 'History bundle', use: 'Use the sale or rent history tools instead for one of the two.' },
    noun: 'history',
  }),
  bundle([cmaCompSet, cmaSingleComp, recentSalesNearby], {
    subpath: 'comparables/all',
    tool: { title: 'Comparables bundle', use: 'Use the single-subject tools instead if one is enough.' },
    noun: 'comparables',
  }),
  bundle([zoningCode, zoningOverlays], {
    subpath: 'development/all',
    tool: { title: 'Planning bundle', use: 'Use it for both the zone and the overlays.' },
    noun: 'development',
  }),
  bundle([schoolsNearby, schoolsRanking], {
    subpath: 'schools/all',
    tool: {
      title: 'Schools bundle',
      use: 'Use properties_schools_ranking instead: it lists the same schools with their ranks.',
    },
    noun: 'schools_bundle',
  }),
];

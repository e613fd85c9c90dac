import { z } from 'zod';
import { type Endpoint, type NoData, type NoParams, noParams, type Outcome } from './answer.ts';
import { COUNT_ENDPOINTS } from './basics.ts';
import { dwellingType } from './dwelling_type.ts';
import { rentHistory, rentHistoryLatest, saleHistory, saleHistoryLatest } from './history.ts';
import { landArea } from './land_area.ts';
import { recentSalesNearby } from './recent_sales_nearby.ts';
import { schoolsNearby, schoolsRanking } from './schools.ts';
import { avm, cmaCompSet, cmaSingleComp } from './valuation.ts';
import { zoningCode } from './zoning_code.ts';
import { zoningOverlays } from './zoning_overlays.ts';

/** Payload of a bundle: what each part answers, null where it has no data. */
type Parts = Record<string, unknown>;

/** Name of a part in its bundle: the last of its path. */
const keyOf = ({ path }: Endpoint): string => path.slice(path.lastIndexOf('/') + 1).replaceAll('-', '_');

/** Whether the payload of a part is one field of the name of the part, which then stands for itself. */
const isField = (part: Endpoint): boolean => {
  const { shape } = part.payload as unknown as { shape?: object };
  return shape !== undefined && Object.keys(shape).join() === keyOf(part);
};

const payloadOf = (part: Endpoint): z.ZodType =>
  isField(part)
    ? (part.payload as unknown as { shape: Record<string, z.ZodType> }).shape[keyOf(part)]!
    : part.payload;

/** The reason of a bundle without any data: the one of its parts where they agree, else the one that leaves most open. */
export function whyNothing(reasons: readonly NoData[]): NoData {
  const [first] = reasons;
  if (reasons.every((reason) => reason === first)) return first!;
  return reasons.includes('not_matched') ? 'not_matched' : 'not_covered';
}

/** A bundle: what its parts answer in one call. */
function bundle(path: string, thing: string, parts: readonly Endpoint[]): Endpoint<Parts, NoParams> {
  return {
    subject: 'property',
    path,
    thing,
    doc: `${parts.map(({ path }) => path).join(', ')} in one call; a part without data is null.`,
    payload: z.strictObject(
      Object.fromEntries(
        parts.map((part) => [
          keyOf(part),
          payloadOf(part)
            .nullable()
            .meta({ description: `The answer of ${part.path}; null: no data.` }),
        ]),
      ),
    ) as unknown as z.ZodType<Parts>,
    params: noParams,
    async query(db, gnafId) {
      const data: Parts = {};
      const outcomes: Record<string, Outcome> = {};
      const reasons: NoData[] = [];
      for (const part of parts) {
        const answer = await part.query(db, gnafId, {});
        const key = keyOf(part);
        outcomes[part.path] = answer.parts ?? ('no_data' in answer ? answer.no_data : null);
        if ('no_data' in answer) {
          reasons.push(answer.no_data);
          data[key] = null;
        } else data[key] = isField(part) ? (answer.data as Parts)[key] : answer.data;
      }
      const found = reasons.length === parts.length ? { no_data: whyNothing(reasons) } : { data };
      return { ...found, parts: outcomes };
    },
  };
}

const parts = (...endpoints: readonly unknown[]): readonly Endpoint[] => endpoints as readonly Endpoint[];

/** One call for the parts of a theme; a part without data is null. */
export const PROPERTY_BUNDLES = [
  bundle('valuation/all', 'valuation', parts(avm)),
  bundle('basics/all', 'basics', parts(...COUNT_ENDPOINTS, dwellingType, landArea)),
  bundle('history/all', 'history', parts(saleHistory, saleHistoryLatest, rentHistory, rentHistoryLatest)),
  bundle('comparables/all', 'comparables', parts(cmaCompSet, cmaSingleComp, recentSalesNearby)),
  bundle('development/all', 'development', parts(zoningCode, zoningOverlays)),
  bundle('schools/all', 'schools_bundle', parts(schoolsNearby, schoolsRanking)),
] as const;

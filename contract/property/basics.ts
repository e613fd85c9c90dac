import { z } from 'zod';
import type { Serving } from '../../schema/serving/database.ts';
import type { NoData } from '../answers/answer.ts';
import { type MarketEvents, marketCovers } from '../answers/market_coverage.ts';
import { type NoParams, noParams, type Operation, ofProperty } from '../answers/operation.ts';

/** Counts of property_basics with their own endpoint. */
const COUNTS = {
  'basics/bed-count': ['bed_count', 'bedrooms', 'Bedrooms'],
  'basics/bath-count': ['bath_count', 'bathrooms', 'Bathrooms'],
  'basics/parking-count': ['parking_count', 'parking', 'Parking spaces'],
} as const;
type CountPath = keyof typeof COUNTS;

/**
 * Returns why events of these kinds state nothing about a property: it is unknown, no feed of them covers its state, no event matches it, or
 * no event states the value.
 */
export async function whyNothingStated(
  db: Serving,
  gnafId: string,
  kinds: readonly MarketEvents[],
): Promise<NoData> {
  const row = await db
    .selectFrom('serving.property as p')
    .leftJoin('serving.property_basics as b', 'b.gnaf_pid', 'p.gnaf_pid')
    .select(['b.gnaf_pid as matched', 'p.state'])
    .where('p.gnaf_pid', '=', gnafId)
    .executeTakeFirst();
  if (!row) return 'unknown_property';
  if (!(await marketCovers(db, row.state, kinds))) return 'not_covered';
  return row.matched === null ? 'not_matched' : 'none_found';
}

/** Tool text: when to use the tool of a single figure, or another one. */
export const ONE_FIGURE =
  'Use properties_basics_all instead for more than one of bedrooms, bathrooms, parking, type and land area.';

/** Declares basics/bed-count and similar: the latest count that a matched listing states. */
function countOperation(subpath: CountPath): Operation<Record<string, number>, NoParams> {
  const [field, column, title] = COUNTS[subpath];
  return ofProperty<Record<string, number>, NoParams>({
    subpath,
    price_cents: 5,
    tool: { title, use: ONE_FIGURE },
    params: noParams,
    noun: field,
    doc: `The number of ${title.toLowerCase()} in the latest matched listing that states it; no data if never advertised.`,
    payload: z.strictObject({ [field]: z.int().min(0) }) as z.ZodType<Record<string, number>>,
    async query(db, gnafId) {
      const row = await db
        .selectFrom('serving.property_basics')
        .select(`${column} as count`)
        .where('gnaf_pid', '=', gnafId)
        .executeTakeFirst();
      if (row && row.count !== null) return { data: { [field]: row.count } };
      return { no_data: await whyNothingStated(db, gnafId, ['sale', 'listing', 'rent']) };
    },
  });
}

/** Specification, section 2.2: property basics from listings. */
export const COUNT_OPERATIONS = (Object.keys(COUNTS) as CountPath[]).map(countOperation);

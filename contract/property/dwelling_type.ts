import { z } from 'zod';
import { DWELLING_TYPES } from '../../schema/serving/property.ts';
import { type NoParams, noParams, ofProperty } from '../answers/operation.ts';
import { ONE_FIGURE } from './basics.ts';

/** Specification, section 2.2: property basics. */
export const dwellingTypePayload = z.strictObject({ dwelling_type: z.enum(DWELLING_TYPES) });

/** basics/dwelling-type: from the latest listing that states it, else implied by the address. */
export const dwellingType = ofProperty<z.infer<typeof dwellingTypePayload>, NoParams>({
  params: noParams,
  subpath: 'basics/dwelling-type',
  price_cents: 5,
  tool: { title: 'Kind of dwelling', use: ONE_FIGURE },
  doc: 'The kind of dwelling, such as house or unit: from the latest listing that states it, otherwise as the address implies.',
  noun: 'dwelling_type',
  payload: dwellingTypePayload,
  async query(db, gnafId) {
    const row = await db
      .selectFrom('serving.property as p')
      .leftJoin('serving.property_basics as b', 'b.gnaf_pid', 'p.gnaf_pid')
      .select(['b.dwelling_type as listed', 'p.dwelling_type as implied'])
      .where('p.gnaf_pid', '=', gnafId)
      .executeTakeFirst();
    if (!row) return { no_data: 'unknown_property' };
    const dwelling_type = row.listed ?? row.implied;
    if (dwelling_type === null) return { no_data: 'not_matched' };
    return { data: dwellingTypePayload.parse({ dwelling_type }) };
  },
});

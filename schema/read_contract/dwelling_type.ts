import { z } from 'zod';
import { DWELLING_TYPES } from '../serving/property.ts';
import type { Endpoint } from './answer.ts';

/** Specification, section 2.2: property basics. */
export const dwellingTypePayload = z.strictObject({ dwelling_type: z.enum(DWELLING_TYPES) });

/** basics/dwelling-type: what the address implies. */
export const dwellingType: Endpoint<z.infer<typeof dwellingTypePayload>> = {
  path: 'basics/dwelling-type',
  thing: 'dwelling_type',
  payload: dwellingTypePayload,
  async query(db, gnafId) {
    const row = await db
      .selectFrom('serving.property')
      .select('dwelling_type')
      .where('gnaf_pid', '=', gnafId)
      .executeTakeFirst();
    if (!row) return { no_data: 'unknown_property' };
    if (row.dwelling_type === null) return { no_data: 'not_matched' };
    return { data: dwellingTypePayload.parse(row) };
  },
};

import { z } from 'zod';
import { type Endpoint, type NoParams, noParams } from './answer.ts';
import { whyNone } from './coverage.ts';

/** Specification, section 2.2: ZoningCode; the code is null where the council ships none. */
export const zoningCodePayload = z.strictObject({
  code: z.string().nullable(),
  name: z.string().nullable(),
  category: z.string().nullable(),
});

/** development/zoning-code: the primary zone of the property. */
export const zoningCode: Endpoint<z.infer<typeof zoningCodePayload>, NoParams> = {
  subject: 'property',
  params: noParams,
  path: 'development/zoning-code',
  doc: 'The primary zone of the property.',
  thing: 'zoning_code',
  payload: zoningCodePayload,
  async query(db, gnafId) {
    const row = await db
      .selectFrom('serving.property_zoning')
      .select(['code', 'name', 'category'])
      .where('gnaf_pid', '=', gnafId)
      .executeTakeFirst();
    if (row) return { data: row };
    return { no_data: await whyNone(db, gnafId, 'zoning') };
  },
};

import { z } from 'zod';
import { whyNone } from '../answers/coverage.ts';
import { type NoParams, noParams, ofProperty } from '../answers/operation.ts';

/** Specification, section 2.2: ZoningCode. The code is null if the council publishes none. */
export const zoningCodePayload = z.strictObject({
  code: z.string().nullable(),
  name: z.string().nullable(),
  category: z.string().nullable(),
});

/** development/zoning-code: the primary zone of the property. */
export const zoningCode = ofProperty<z.infer<typeof zoningCodePayload>, NoParams>({
  params: noParams,
  subpath: 'development/zoning-code',
  price_cents: 3,
  tool: {
    title: 'Zone',
    use: 'Use properties_development_zoning_overlays instead for heritage, flood and other overlays of the planning scheme.',
  },
  doc: 'The primary zone of the property.',
  noun: 'zoning_code',
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
});

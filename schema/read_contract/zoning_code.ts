import { z } from 'zod';
import type { Endpoint } from './answer.ts';

/** Specification, section 2.2: ZoningCode; the code is null where the council ships none. */
export const zoningCodePayload = z.strictObject({
  code: z.string().nullable(),
  name: z.string().nullable(),
  category: z.string().nullable(),
});

/**
 * development/zoning-code: the primary zone at the point. A place counts as covered where the zones of some property in the
 * same grid cell are known.
 */
export const zoningCode: Endpoint<z.infer<typeof zoningCodePayload>> = {
  path: 'development/zoning-code',
  thing: 'zoning_code',
  payload: zoningCodePayload,
  async query(db, gnafId) {
    const row = await db
      .selectFrom('serving.property_zoning')
      .select(['code', 'name', 'category'])
      .where('gnaf_pid', '=', gnafId)
      .executeTakeFirst();
    if (row) return { data: row };
    const property = await db
      .selectFrom('serving.property')
      .select(['cell', 'is_parcel_position'])
      .where('gnaf_pid', '=', gnafId)
      .executeTakeFirst();
    if (!property) return { no_data: 'unknown_property' };
    if (!property.is_parcel_position) return { no_data: 'not_matched' };
    const covered = await db
      .selectFrom('serving.property_zoning')
      .select('gnaf_pid')
      .where('cell', '=', property.cell)
      .limit(1)
      .executeTakeFirst();
    return { no_data: covered ? 'none_found' : 'not_covered' };
  },
};

import { z } from 'zod';
import { type Endpoint, type NoParams, noParams } from './answer.ts';
import { whyNoParcel } from './coverage.ts';

/** Specification, section 2.2: property basics. */
export const landAreaPayload = z.strictObject({ land_area_sqm: z.int().min(0) });

/** basics/land-area-sqm: the area of the property's own parcel. */
export const landArea: Endpoint<z.infer<typeof landAreaPayload>, NoParams> = {
  subject: 'property',
  params: noParams,
  path: 'basics/land-area-sqm',
  doc: "The area of the property's own parcel, square metres.",
  thing: 'land_area',
  payload: landAreaPayload,
  async query(db, gnafId) {
    const row = await db
      .selectFrom('serving.property')
      .select(['land_area_sqm', 'land_area_reason'])
      .where('gnaf_pid', '=', gnafId)
      .executeTakeFirst();
    if (!row) return { no_data: 'unknown_property' };
    if (row.land_area_sqm !== null) return { data: { land_area_sqm: row.land_area_sqm } };
    if (row.land_area_reason !== 'no_parcel') return { no_data: 'none_found' };
    return { no_data: await whyNoParcel(db, gnafId) };
  },
};

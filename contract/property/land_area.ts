import { z } from 'zod';
import type { NoData } from '../answers/answer.ts';
import { type NoParams, noParams, ofProperty } from '../answers/operation.ts';
import { ONE_FIGURE } from './basics.ts';

/** Specification, section 2.2: property basics. */
export const landAreaPayload = z.strictObject({ land_area_sqm: z.int().min(0) });

/**
 * Returns why a property has no parcel, from the reason of its land area: no cadastre covers it, or it has no parcel of its own. Null: it
 * has one.
 */
export const whyNoParcel = (land_area_reason: string | null): NoData | null =>
  land_area_reason === 'not_covered' || land_area_reason === 'parcel_not_found' ? land_area_reason : null;

/** basics/land-area-sqm: the area of the property's own parcel. */
export const landArea = ofProperty<z.infer<typeof landAreaPayload>, NoParams>({
  params: noParams,
  subpath: 'basics/land-area-sqm',
  price_cents: 3,
  tool: { title: 'Land area', use: ONE_FIGURE },
  doc: "The area of the property's own parcel, square metres.",
  noun: 'land_area',
  payload: landAreaPayload,
  async query(db, gnafId) {
    const row = await db
      .selectFrom('serving.property')
      .select(['land_area_sqm', 'land_area_reason'])
      .where('gnaf_pid', '=', gnafId)
      .executeTakeFirst();
    if (!row) return { no_data: 'unknown_property' };
    if (row.land_area_sqm !== null) return { data: { land_area_sqm: row.land_area_sqm } };
    return { no_data: whyNoParcel(row.land_area_reason) ?? 'none_found' };
  },
});

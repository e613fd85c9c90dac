import { z } from 'zod';
import { type NoParams, noParams, ofProperty } from '../answers/operation.ts';
import { whyNoParcel } from './land_area.ts';

/** Specification, section 2.2: Neighbours. */
export const neighboursPayload = z.strictObject({
  neighbours: z.array(
    z.strictObject({
      address: z.string(),
      gnaf_pid: z.string(),
      property_type: z.string().nullable(),
      bedrooms: z.int().nullable(),
      bathrooms: z.int().nullable(),
      garage_spaces: z.int().nullable(),
    }),
  ),
});

/**
 * neighbours: addresses on adjoining parcels, longest shared boundary first, then by address and id. Parcels that share only a corner are
 * not neighbours. Units on the property's own parcel are not listed. Type and counts are the latest that listings stated; null: never
 * stated.
 */
export const neighbours = ofProperty<z.infer<typeof neighboursPayload>, NoParams>({
  params: noParams,
  subpath: 'neighbours',
  price_cents: 30,
  tool: {
    title: 'Neighbouring properties',
    use: 'Use properties_comparables_recent_sales_nearby instead for all recent sales near the property.',
  },
  doc: "The addresses on adjoining parcels, longest shared boundary first, then by address and id. Parcels that meet only at a corner are not neighbours; units on the property's own parcel are not listed. Type and counts come from the latest listing that states them; null: never stated.",
  noun: 'neighbours',
  payload: neighboursPayload,
  async query(db, gnafId) {
    const rows = await db
      .selectFrom('serving.property_neighbour as n')
      .innerJoin('serving.property as p', 'p.parcel_id', 'n.neighbour_parcel_id')
      .leftJoin('serving.property_basics as b', 'b.gnaf_pid', 'p.gnaf_pid')
      .select((eb) => [
        'p.address',
        'p.gnaf_pid',
        eb.fn.coalesce('b.dwelling_type', 'p.dwelling_type').as('property_type'),
        'b.bedrooms',
        'b.bathrooms',
        'b.parking as garage_spaces',
      ])
      .where('n.gnaf_pid', '=', gnafId)
      .where('n.is_corner', '=', false)
      .orderBy('n.shared_m', 'desc')
      .orderBy('p.address')
      .orderBy('p.gnaf_pid')
      .execute();
    if (rows.length > 0) return { data: { neighbours: rows } };
    const property = await db
      .selectFrom('serving.property')
      .select('land_area_reason')
      .where('gnaf_pid', '=', gnafId)
      .executeTakeFirst();
    if (!property) return { no_data: 'unknown_property' };
    return { no_data: whyNoParcel(property.land_area_reason) ?? 'none_found' };
  },
});

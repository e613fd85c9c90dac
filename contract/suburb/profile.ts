import { z } from 'zod';
import { type NoParams, noParams, ofProperty } from '../answers/operation.ts';

/**
 * Specification, section 2.2: PropertyProfile. Null: not known. Names if the ABS has names; codes for mesh block and SA1, which have none.
 */
export const profilePayload = z.strictObject({
  mesh_block: z.string().nullable(),
  sa1: z.string().nullable(),
  sa2: z.string().nullable(),
  sa3: z.string().nullable(),
  sa4: z.string().nullable(),
  gccsa: z.string().nullable(),
  state: z.string(),
  lga: z.string().nullable(),
  suburb: z.string().nullable(),
  postcode: z.string().nullable(),
});

/** profile: the ABS hierarchy and the administrative chain. */
export const profile = ofProperty<z.infer<typeof profilePayload>, NoParams>({
  params: noParams,
  subpath: 'profile',
  price_cents: 3,
  tool: {
    title: 'Statistical and administrative areas',
    use: 'Use it to find the SA2, SA3, LGA or suburb of a property for the suburb tools.',
  },
  doc: 'The areas that contain a property: the ABS hierarchy from mesh block to state, and local government area, suburb and postcode.',
  noun: 'profile',
  payload: profilePayload,
  async query(db, gnafId) {
    const row = await db
      .selectFrom('serving.property_profile')
      .selectAll()
      .where('gnaf_pid', '=', gnafId)
      .executeTakeFirst();
    if (!row) return { no_data: 'unknown_property' };
    if (row.method === 'none') return { no_data: 'not_covered' };
    return {
      data: {
        mesh_block: row.mesh_block,
        sa1: row.sa1,
        sa2: row.sa2_name ?? row.sa2,
        sa3: row.sa3_name ?? row.sa3,
        sa4: row.sa4_name ?? row.sa4,
        gccsa: row.gccsa_name ?? row.gccsa,
        state: row.state,
        lga: row.lga_name ?? row.lga,
        suburb: row.suburb,
        postcode: row.postcode,
      },
    };
  },
});

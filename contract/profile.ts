import { z } from 'zod';
import { type Endpoint, type NoParams, noParams } from './answer.ts';

/** Specification, section 2.2: PropertyProfile. Names where the ABS gives names, codes for mesh block and SA1, which have none. */
export const profilePayload = z.strictObject({
  mesh_block: z.string(),
  sa1: z.string(),
  sa2: z.string(),
  sa3: z.string(),
  sa4: z.string(),
  gccsa: z.string(),
  state: z.string(),
  lga: z.string(),
  suburb: z.string(),
  postcode: z.string(),
});

/** What a field holds where it is not known: the specification has strings only. */
const UNKNOWN = '';

/** profile: the ABS hierarchy and the administrative chain. */
export const profile: Endpoint<z.infer<typeof profilePayload>, NoParams> = {
  subject: 'property',
  params: noParams,
  path: 'profile',
  doc: 'The ABS hierarchy and the administrative chain.',
  thing: 'profile',
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
        mesh_block: row.mesh_block ?? UNKNOWN,
        sa1: row.sa1 ?? UNKNOWN,
        sa2: row.sa2_name ?? row.sa2 ?? UNKNOWN,
        sa3: row.sa3_name ?? row.sa3 ?? UNKNOWN,
        sa4: row.sa4_name ?? row.sa4 ?? UNKNOWN,
        gccsa: row.gccsa_name ?? row.gccsa ?? UNKNOWN,
        state: row.state,
        lga: row.lga_name ?? row.lga ?? UNKNOWN,
        suburb: row.suburb ?? UNKNOWN,
        postcode: row.postcode ?? UNKNOWN,
      },
    };
  },
};

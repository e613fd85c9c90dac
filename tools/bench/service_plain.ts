/**
 * A hand-written route over the same query, unmetered, for tools/bench/service.ts to compare with.
 * Usage: npx tsx tools/bench/service_plain.ts <database url>; prints the address.
 */
import Fastify from 'fastify';
import { openPool } from '../../store/database.ts';

const pool = openPool(process.argv[2]!, 8);
const app = Fastify({ logger: false });
app.get<{ Params: { id: string } }>('/v1/properties/:id/profile', async (request) => {
  const { rows } = await pool.query({
    name: 'profile',
    text: 'SELECT * FROM serving.property_profile WHERE gnaf_pid = $1',
    values: [request.params.id],
  });
  const [row] = rows;
  return {
    data: {
      mesh_block: row.mesh_block,
      sa1: row.sa1,
      sa2: row.sa2_name,
      sa3: row.sa3_name,
      sa4: row.sa4_name,
      gccsa: row.gccsa_name,
      state: row.state,
      lga: row.lga_name,
      suburb: row.suburb,
      postcode: row.postcode,
    },
  };
});
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));

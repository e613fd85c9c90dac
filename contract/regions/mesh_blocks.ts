import { sql } from 'kysely';
import { z } from 'zod';
import { degrees } from '../answers/numbers.ts';
import { type NoParams, noParams, ofSuburb } from '../answers/operation.ts';
import { identityOf, regionField, regionOf } from './region.ts';

const homes = (kind: string) =>
  z
    .int()
    .min(0)
    .meta({ description: `Number of ${kind}.` });

/** Mesh blocks of a suburb with their homes and the centre of the box around them. */
const meshBlocksPayload = z.array(
  z.strictObject({
    mesh_block: z.string(),
    sa1: z.string().nullable(),
    properties: z.int().min(1).meta({ description: 'Number of its properties in the suburb.' }),
    houses: homes('houses'),
    units: homes('units'),
    latitude: degrees.nullable(),
    longitude: degrees.nullable(),
  }),
);
type MeshBlockList = z.infer<typeof meshBlocksPayload>;

const centre = (column: 'lat' | 'lon') =>
  sql<number | null>`(min(p.${sql.ref(column)}) + max(p.${sql.ref(column)})) / 2`;
const countOf = (type: string) => sql<number>`(count(*) FILTER (WHERE f.property_type = ${type}))::int`;

/** suburb/mesh-blocks: the mesh blocks with a property of a suburb, by code. */
export const meshBlocks = ofSuburb<MeshBlockList, NoParams>({
  subpath: 'suburb/mesh-blocks',
  // The price of the hazards of a suburb, which also count its homes.
  price_cents: 5,
  tool: { title: 'Mesh blocks of a suburb', use: 'Use suburbs_pockets instead for the market of its SA1s.' },
  doc: 'Mesh blocks of a suburb that have a property: their SA1, their homes, and the centre of the bounding box of these; by code.',
  noun: 'mesh_blocks',
  extras: regionField,
  payload: meshBlocksPayload,
  params: noParams,
  async query(db, name) {
    const region = await regionOf(db, 'SAL', name);
    if (region === null) return { no_data: 'unknown_suburb' };
    const rows = await db
      .selectFrom('serving.property as p')
      .innerJoin('serving.property_profile as b', 'b.gnaf_pid', 'p.gnaf_pid')
      .leftJoin('serving.property_finder as f', 'f.gnaf_pid', 'p.gnaf_pid')
      .select(['b.mesh_block', sql<string | null>`min(b.sa1)`.as('sa1')])
      .select(sql<number>`count(*)::int`.as('properties'))
      .select([countOf('house').as('houses'), countOf('unit').as('units')])
      .select([centre('lat').as('latitude'), centre('lon').as('longitude')])
      .where('p.sal', '=', region.area)
      .where('b.mesh_block', 'is not', null)
      .groupBy('b.mesh_block')
      .orderBy('b.mesh_block')
      .execute();
    const extras = { region: identityOf(region) };
    return rows.length > 0 ? { data: rows as MeshBlockList, extras } : { no_data: 'not_covered', extras };
  },
});

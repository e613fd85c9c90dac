import { col, nullable, table } from '../table.ts';
import { located } from './located.ts';

/** Rows for profile: the ABS hierarchy and the administrative chain of a property. */
export const propertyProfileTable = table({
  schema: 'serving',
  name: 'property_profile',
  doc: 'The ABS hierarchy (mesh block to state) and the administrative chain (LGA, suburb, postcode) of a property.',
  columns: {
    gnaf_pid: col('text', 'Property.'),
    ...located,
    mesh_block: nullable('text', 'Mesh block code; null: no boundaries or mesh-block table cover it.'),
    sa1: nullable('text', 'SA1 code; null: not located.'),
    sa2_name: nullable('text', 'SA2 name; null: not located.'),
    sa3_name: nullable('text', 'SA3 name; null: not located.'),
    sa4: nullable('text', 'SA4 code; null: not located.'),
    sa4_name: nullable('text', 'SA4 name; null: not located.'),
    gccsa: nullable('text', 'GCCSA code; null: not located.'),
    gccsa_name: nullable('text', 'GCCSA name; null: not located.'),
    lga: nullable('text', 'LGA code; null: not located.'),
    lga_name: nullable('text', 'LGA name; null: not located.'),
    sal_code: nullable('text', 'SAL code; null: not located.'),
    suburb: nullable('text', 'SAL name with its parenthesised state if it has one; null: not located.'),
    poa: nullable('text', 'ABS postal area, not always the postcode; null: not located.'),
    postcode: nullable('text', 'Postcode of the address; null: none stated.'),
    asgs_edition: nullable('int2', 'ASGS edition of the codes; null: not located.'),
    method: col(
      'text',
      'mesh_block: through the mesh block of the address file; point: point in polygon; none.',
    ),
    agrees: nullable(
      'bool',
      'Mesh block and point give the same region; null: only one was available. If false, the mesh block is used.',
    ),
  },
  primaryKey: ['gnaf_pid'],
  tracked: 'gnaf_pid',
  indexes: [{ columns: ['cell'] }],
  checks: { property_profile_method: "method IN ('mesh_block', 'point', 'none')" },
});

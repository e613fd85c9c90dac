import { col, nullable, table } from '../table.ts';
import { provenance } from './piece.ts';

/** Source: ABS ASGS allocation files, one row per mesh block. */
export const meshBlockAllocationRecord = table({
  schema: 'record',
  name: 'mesh_block_allocation',
  doc: 'The region of one level that a mesh block belongs to, as the ABS allocates it: no geometry is needed to look it up.',
  columns: {
    ...provenance,
    edition: col(
      'int2',
      'ASGS edition of the mesh block: 3 for 2021, 4 for 2026. Codes of two editions never join.',
    ),
    mesh_block: col('text', 'Mesh block code, eleven digits; eleven Z for places outside Australia.'),
    level: col('text', 'SA1 SA2 SA3 SA4 GCCSA STE SAL LGA POA.'),
    year: col('int2', 'Year of the boundaries of the level: an LGA 2024 file allocates mesh blocks of 2021.'),
    code: col('text', 'Code of the region within edition and level.'),
    name: nullable('text', 'ABS name, verbatim; null: the level has no names.'),
  },
  primaryKey: ['edition', 'level', 'year', 'mesh_block'],
  indexes: [{ columns: ['mesh_block'] }],
});

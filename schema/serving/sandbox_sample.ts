import { col, nullable, table } from '../table.ts';

/** Samples that the public sandbox key can read. */
export const sandboxSampleTable = table({
  schema: 'serving',
  name: 'sandbox_sample',
  doc: 'The sample property of a state and its suburb: of the properties with a suburb, the one with data on most endpoints.',
  columns: {
    state: col('text', 'State or territory abbreviation.'),
    sa2: nullable('text', 'SA2 of the property; null: not located.'),
    sa3: nullable('text', 'SA3 of the property; null: not located.'),
    sal: col('text', 'Sample suburb: canonical ABS SAL name.'),
    gnaf_pid: col('text', 'Sample property, in that suburb.'),
    subjects: col('text[]', 'Subjects with data, sorted.'),
  },
  primaryKey: ['state'],
});

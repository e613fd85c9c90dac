import { col, table } from '../table.ts';

/** Pipeline settings repeated in a payload. */
export const settingTable = table({
  schema: 'serving',
  name: 'setting',
  doc: 'A setting used to compute the tables and repeated in a payload.',
  columns: {
    name: col('text', 'Key of the configuration.'),
    value: col('float8', 'Its value.'),
    unit: col('text', 'fraction, metres or square metres.'),
  },
  primaryKey: ['name'],
});

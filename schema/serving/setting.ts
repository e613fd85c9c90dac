import { col, table } from '../table.ts';

/** Settings of the pipeline that a payload repeats. */
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

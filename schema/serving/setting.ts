import { col, table } from '../table.ts';

/** Settings of the pipeline that a payload repeats. */
export const settingTable = table({
  schema: 'serving',
  name: 'setting',
  doc: 'A setting with which the tables were computed and which a payload repeats.',
  columns: {
    name: col('text', 'Key of the configuration.'),
    value: col('float8', 'Its value.'),
    unit: col('text', 'fraction, metres or square metres.'),
  },
  primaryKey: ['name'],
});

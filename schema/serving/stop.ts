import { TRANSPORT_MODES } from '../records/stop.ts';
import { col, table } from '../table.ts';
import { locatedPlace } from './located.ts';

/** Answers transport/nearby for any radius: read by grid cell. */
export const stopTable = table({
  schema: 'serving',
  name: 'stop',
  doc: 'A stop or station that a mode of public transport serves, once where several sources have it.',
  columns: {
    stop_id: col('text', 'Dataset, feed and the publisher’s identifier, joined by colons.'),
    mode: col('text', 'train, tram, bus or ferry.'),
    ...locatedPlace,
    label: col('text', 'Name to show.'),
    lon: col('float8', 'Longitude, GDA2020 degrees.'),
    lat: col('float8', 'Latitude, GDA2020 degrees.'),
  },
  primaryKey: ['stop_id', 'mode'],
  indexes: [{ columns: ['cell'] }],
  checks: { stop_mode: `mode IN (${TRANSPORT_MODES.map((mode) => `'${mode}'`).join(', ')})` },
});

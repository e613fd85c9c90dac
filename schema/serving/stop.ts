import { TRANSPORT_MODES } from '../records/stop.ts';
import { col, table } from '../table.ts';
import { locatedPlace } from './located.ts';

/** Answers transport/nearby for any radius: read by grid cell. */
export const stopTable = table({
  schema: 'serving',
  name: 'stop',
  doc: 'A stop that a mode of public transport serves, once where several sources have it; of a station a row for the point of each.',
  columns: {
    stop_id: col('text', 'Dataset, feed and the publisher’s identifier, joined by colons.'),
    mode: col('text', 'train, tram, bus or ferry.'),
    ...locatedPlace,
    one_stop_id: col(
      'text',
      'The stop_id that stands for all points of one stop: its own, but of a station that another source has too.',
    ),
    label: col('text', 'Name to show.'),
    lon: col('float8', 'Longitude, GDA2020 degrees.'),
    lat: col('float8', 'Latitude, GDA2020 degrees.'),
  },
  primaryKey: ['stop_id', 'mode'],
  indexes: [{ columns: ['cell'] }],
  checks: { stop_mode: `mode IN (${TRANSPORT_MODES.map((mode) => `'${mode}'`).join(', ')})` },
});

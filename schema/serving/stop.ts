import { TRANSPORT_MODES } from '../records/stop.ts';
import { col, table } from '../table.ts';
import { locatedPlace } from './located.ts';

/** Rows for transport/nearby with any radius: read by grid cell. */
export const stopTable = table({
  schema: 'serving',
  name: 'stop',
  doc: 'A stop served by a mode of public transport, listed once where several sources have it; a station has one row for each source’s point.',
  columns: {
    stop_id: col('text', 'Dataset, feed and the publisher’s identifier, joined by colons.'),
    mode: col('text', 'train, tram, bus or ferry.'),
    ...locatedPlace,
    one_stop_id: col(
      'text',
      'The stop_id shared by all points of one stop: its own, except for a station that another source also has.',
    ),
    label: col('text', 'Name to show.'),
    lon: col('float8', 'Longitude, GDA2020 degrees.'),
    lat: col('float8', 'Latitude, GDA2020 degrees.'),
  },
  primaryKey: ['stop_id', 'mode'],
  indexes: [{ columns: ['cell'] }],
  checks: { stop_mode: `mode IN (${TRANSPORT_MODES.map((mode) => `'${mode}'`).join(', ')})` },
});

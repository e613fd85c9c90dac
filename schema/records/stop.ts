import { col, type Row, table } from '../table.ts';
import { provenance } from './piece.ts';

/** Modes of transport, as named in the specification. */
export const TRANSPORT_MODES = ['train', 'tram', 'bus', 'ferry'] as const;
export type TransportMode = (typeof TRANSPORT_MODES)[number];

/** Source: GTFS feeds and stop shapefiles. */
export const stopRecord = table({
  schema: 'record',
  name: 'stop',
  doc: 'A stop or station that a mode of public transport serves; platforms are collapsed into their station.',
  columns: {
    ...provenance,
    cell: col('int4', 'Grid cell.'),
    source: col(
      'text',
      'Dataset, and the feed or layer in it: within it the publisher’s identifiers are unique.',
    ),
    stop_id: col('text', 'Dataset, feed and the publisher’s identifier, joined by colons.'),
    mode: col('text', 'train, tram, bus or ferry; a stop that several serve has a row for each.'),
    label: col('text', 'Name to show: of the station for trains and ferries, else of the stop.'),
    lon: col('float8', 'Longitude, GDA2020 degrees.'),
    lat: col('float8', 'Latitude, GDA2020 degrees.'),
  },
  primaryKey: ['stop_id', 'mode'],
  indexes: [{ columns: ['cell'] }],
});

export type StopRow = Row<typeof stopRecord>;

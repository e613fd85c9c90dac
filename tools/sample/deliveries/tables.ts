import type { StateCode } from '../geography/places.ts';
import type { Fate } from './delivery.ts';

/** One row of a table: its cells, and what becomes of it; null: nothing of its own, as of a row that only tells of others. */
export type TableRow = readonly [fate: Fate | null, ...cells: string[]];

/** A delivery of tables of text. A `…` in the last cells of a row stands for the coordinates of its plot. */
export interface TableDelivery {
  readonly id: string;
  readonly state: StateCode;
  readonly adapter: 'gtfs' | 'schools';
  readonly options: Readonly<Record<string, unknown>>;
  readonly files: readonly {
    readonly path: string;
    readonly header: string;
    readonly rows: readonly TableRow[];
  }[];
}

const is = (what: string): Fate => ({ is: what });
const drop = (name: string): Fate => ({ drop: name });

/**
 * Stops of Perth, which say by their modes whether they serve school buses alone; one has a route for the public, the others of
 * schools. Columns in the publisher's order, latitudes before longitudes.
 */
const perth: TableDelivery = {
  id: 'wa_perth_stops',
  state: 'WA',
  adapter: 'gtfs',
  options: { state: 'WA' },
  files: [
    {
      path: 'routes.txt',
      header: 'route_id,agency_id,route_short_name,route_long_name,route_desc,route_type',
      rows: [
        [is('bus'), 'PTA-1', 'PTA', '1', 'Parkland to Lakeview', '', '3'],
        [is('train'), 'RTG-2', 'PTA', '', 'Lake Line', '', '2'],
        [drop('school_bus'), 'PTA-3', 'PTA', '701', 'School - Lakeview', '', '3'],
        [drop('school_bus'), 'PTA-4', 'PTA', '702', 'College special', '', '712'],
      ],
    },
    {
      path: 'trips.txt',
      header: 'route_id,service_id,trip_id',
      rows: [
        [null, 'PTA-1', 'WK', 'T1'],
        [null, 'RTG-2', 'WK', 'T2'],
        [null, 'PTA-3', 'WK', 'T3'],
        [null, 'PTA-4', 'WK', 'T4'],
      ],
    },
    {
      path: 'stop_times.txt',
      header: 'trip_id,arrival_time,departure_time,stop_id,stop_sequence',
      rows: [
        [null, 'T1', '08:00:00', '08:00:00', '10', '1'],
        [null, 'T1', '08:05:00', '08:05:00', '11', '2'],
        [null, 'T2', '08:00:00', '08:00:00', '12', '1'],
        [null, 'T3', '08:00:00', '08:00:00', '13', '1'],
        [null, 'T4', '08:00:00', '08:00:00', '14', '1'],
        [null, 'T3', '08:05:00', '08:05:00', '11', '2'],
      ],
    },
    {
      path: 'stops.txt',
      header:
        'location_type,parent_station,stop_id,stop_code,stop_name,stop_desc,stop_lat,stop_lon,zone_id,supported_modes',
      rows: [
        [is('bus'), '0', '', '10', '10', 'Lake St Before Park Rd', '', '…', '…', '1', 'Bus'],
        [is('bus'), '0', '', '11', '11', 'Lake St After Park Rd', '', '…', '…', '1', 'Bus;School Bus'],
        [is('train'), '0', '', '12', '12', 'Lake Stn Platform 1', '', '…', '…', '1', 'Rail'],
        [drop('school_bus'), '0', '', '13', '13', 'College Gate', '', '…', '…', '1', 'School Bus'],
        // of a school route alone, though it says nothing
        [drop('not_served'), '0', '', '14', '14', 'Oval Rd', '', '…', '…', '1', ''],
      ],
    },
  ],
};

const ACARA =
  'Calendar Year,ACARA SML ID,School Name,Suburb,State,Postcode,School Sector,School Type,Special school,Year Range,Total Enrolments,Latitude,Longitude';
/** ACARA's profile: schools that closed have neither type nor enrolments, special ones a flag, centres no enrolments. */
const acara: TableDelivery = {
  id: 'acara_closed_schools',
  state: 'NSW',
  adapter: 'schools',
  options: {},
  files: [
    {
      path: 'School Profile 2024.csv',
      header: ACARA,
      rows: [
        [
          is('Primary'),
          '2024',
          '45001',
          'Lakeview Public School',
          'Lakeview',
          'NSW',
          '2990',
          'Government',
          'Primary',
          '0',
          'K-6',
          '320',
          '…',
          '…',
        ],
        [
          is('Secondary'),
          '2024',
          '45002',
          'Lakeview High School',
          'Lakeview',
          'NSW',
          '2990',
          'Government',
          'Secondary',
          '0',
          '7-12',
          '811',
          '…',
          '…',
        ],
        [
          is('Special'),
          '2024',
          '45003',
          'Lakeview School',
          'Lakeview',
          'NSW',
          '2990',
          'Government',
          'Special',
          '1',
          'K-12',
          '41',
          '…',
          '…',
        ],
        [
          drop('closed_school'),
          '2024',
          '45004',
          'Old Lakeview Public School',
          'Lakeview',
          'NSW',
          '2990',
          'Government',
          '',
          '0',
          '',
          '',
          '…',
          '…',
        ],
        [
          is('Special'),
          '2024',
          '45005',
          'Lakeview Environmental Education Centre',
          'Lakeview',
          'NSW',
          '2990',
          'Government',
          'Combined',
          '0',
          'K-12',
          '',
          '…',
          '…',
        ],
      ],
    },
  ],
};

export const TABLE_DELIVERIES: readonly TableDelivery[] = [perth, acara];

import { EtlError, type Reject } from '../../../schema/errors.ts';
import { TRANSPORT_MODES, type TransportMode } from '../../../schema/records/stop.ts';
import type { InputAccount, SourceBatch } from '../../adapter.ts';
import type { Problem } from '../../formats/feature.ts';
import { RowTally } from '../../tally.ts';
import type { FeedFiles } from './feed_files.ts';
import { type GtfsRow, readGtfsTable } from './gtfs_table.ts';
import type { KeptRoutes } from './options.ts';
import { bitOf, isSchoolService, modeOfRoute, ROUTE_DROPS } from './route_modes.ts';
import { type RouteReference, readLocationGroups } from './route_places.ts';
import { readStatedModes } from './stated_modes.ts';

/** The stops that the kept trips of a feed serve. */
export interface ServedStops {
  /** Returns the bits of the modes that serve a stop of the feed. */
  bitsOf(stopId: string): number;
  /** True if the feed does not state which stops its trips serve, so every stop counts. */
  readonly all: boolean;
  /** Returns true if the stop itself or its station states its modes, and the feed has no stop_times. */
  states(stopId: string): boolean;
  readonly accounts: InputAccount[];
  readonly notes: string[];
  /** Rejects whose place is the place of their route. */
  readonly rejects: readonly RouteReject[];
}

/** Reject of a row of routes, trips or stop_times. */
export interface RouteReject {
  readonly reject: Reject;
  readonly row: RouteReference;
}

/** Class of a route or trip: 1 to 4 for the modes, then one number for each drop. 0: unknown. */
const CLASSES: readonly string[] = [
  '',
  ...TRANSPORT_MODES,
  ...[...ROUTE_DROPS, { drop: 'no_boarding' }, { drop: 'on_demand_zone' }].map(({ drop }) => drop),
];
const MODES = TRANSPORT_MODES.length;
const NO_BOARDING = CLASSES.indexOf('no_boarding');
const ON_DEMAND_ZONE = CLASSES.indexOf('on_demand_zone');
/** Maximum rejects held until the places of their routes are known; further ones have no place. */
const MAX_REJECTS = 100_000;
/** Class of each route or trip, or bits of each stop, by its identifier. */
type Classes = Map<string, number>;

/**
 * Finds the modes of every stop from routes, their trips, and the stops of the trips. Memory: one entry for each route, trip and stop;
 * stop_times, of any length, is only streamed. `name` is the feed's name in the option folders, `folder` its
 * mode there. Without that mode, a feed without stop_times has the modes that its stops state, else the one mode of its routes, else it is an
 * EtlError `gtfs_no_modes`.
 */
export async function* findServedStops(
  files: FeedFiles,
  name: string,
  folder: TransportMode | null,
  keptMode: KeptRoutes,
  signal?: AbortSignal,
): AsyncGenerator<SourceBatch, ServedStops> {
  const accounts: InputAccount[] = [];
  const routes: Classes = new Map();
  const trips: Classes = new Map();
  const stops: Classes = new Map();
  const rejects: RouteReject[] = [];
  const scan: TableScan = { files, accounts, rejects, signal };
  const modes = yield* readRoutes(scan, folder, keptMode, routes);
  if (files.has('trips')) yield* scanTable(scan, 'trips', tripReader(routes, trips));
  if (files.has('stop_times')) {
    const groups = await readLocationGroups(files, signal);
    yield* scanTable(scan, 'stop_times', stopTimeReader(trips, stops, groups));
  }
  const result = { accounts, rejects };
  if (stops.size > 0 || hasRows(accounts, files.nameOf('stop_times')))
    return { ...result, all: false, notes: [], bitsOf: (id) => stops.get(id) ?? 0, states: () => false };
  const statedModes = folder === null ? await readStatedModes(files, signal) : new Map<string, number>();
  const mode = folder ?? (modes.size === 1 ? [...modes][0]! : null);
  if (mode === null && statedModes.size === 0) throw noModes(files, name, modes);
  const counts =
    statedModes.size === 0
      ? `every stop counts as ${mode}`
      : `stops have the modes that they state${mode === null ? '' : `, else ${mode}`}`;
  return {
    ...result,
    all: true,
    notes: [`${files.nameOf('stops')}: the feed has no stop_times, so ${counts}.`],
    bitsOf: (id) => statedModes.get(id) ?? (mode === null ? 0 : bitOf(mode)),
    states: (id) => statedModes.has(id),
  };
}

/** One feed that is scanned, and what its tables give. */
interface TableScan {
  readonly files: FeedFiles;
  readonly accounts: InputAccount[];
  readonly rejects: RouteReject[];
  readonly signal: AbortSignal | undefined;
}

/** Codes of rows whose values may belong to other rows. */
const SWALLOWED = new Set(['stray_quote', 'line_too_long']);

/** Holds the rejects of a tally with the route or trip that the row states; returns those that are too many to hold. */
function holdReject(scan: TableScan, tally: RowTally, row: Partial<RouteReference>, code: string): Reject[] {
  const takenRejects = tally.takeRejects();
  if (scan.rejects.length >= MAX_REJECTS) return takenRejects;
  const { route = '', trip = '' } = SWALLOWED.has(code) ? {} : row;
  for (const reject of takenRejects) scan.rejects.push({ reject, row: { route, trip } });
  return [];
}

const hasRows = (accounts: readonly InputAccount[], file: string): boolean =>
  accounts.some((account) => account.file === file && account.rows_in > 0);

function noModes(files: FeedFiles, name: string, modes: ReadonlySet<TransportMode>): EtlError {
  const has = modes.size === 0 ? 'no routes that are served' : `routes of ${[...modes].sort().join(', ')}`;
  const folders = { [name]: [...modes].sort()[0] ?? 'bus' };
  return new EtlError(
    'gtfs_no_modes',
    `${files.nameOf('stops')}: the feed has no stop_times and ${has}, so nothing says which mode serves its stops. State it in the option folders of the dataset, for example folders: {${JSON.stringify(name)}: ${folders[name]}}.`,
    { details: { options: { folders }, open: { folders: { [name]: '…' } } } },
  );
}

/** Reads the classes of the routes; returns the modes that occur. */
async function* readRoutes(
  scan: TableScan,
  folder: TransportMode | null,
  keptMode: KeptRoutes,
  routes: Classes,
): AsyncGenerator<SourceBatch, Set<TransportMode>> {
  const { files, accounts, signal } = scan;
  const modes = new Set<TransportMode>();
  if (!files.has('routes')) return modes;
  const tally = new RowTally(files.nameOf('routes'), null);
  const rows = readGtfsTable(
    files.bytes('routes', signal),
    files.nameOf('routes'),
    ['route_id', 'route_type'],
    ['route_short_name', 'route_long_name', 'route_desc'],
  );
  for await (const { line, values, problem: badRow } of rows) {
    tally.rows_in++;
    const { route_id, route_type } = values;
    const problem = badRow ?? routeProblem(route_id, route_type);
    if (problem !== null) {
      tally.reject(line, problem.code, problem.message);
      const rejects = holdReject(scan, tally, { route: route_id }, problem.code);
      if (rejects.length > 0) yield { rejects };
      continue;
    }
    const names = `${values.route_short_name} ${values.route_long_name} ${values.route_desc}`;
    const isForSchools = isSchoolService([values.route_long_name, values.route_desc]);
    const mode = modeOfRoute(Number(route_type), names, folder, keptMode, isForSchools);
    routes.set(route_id, CLASSES.indexOf(mode));
    if (CLASSES.indexOf(mode) > MODES) tally.drop(mode);
    else {
      tally.records++;
      modes.add(mode as TransportMode);
    }
  }
  accounts.push(...tally.accounts());
  return modes;
}

function routeProblem(id: string, type: string): Problem | null {
  if (id === '') return { code: 'missing_key', message: 'the route has no route_id' };
  if (/^\d{1,4}$/.test(type)) return null;
  return { code: 'bad_number', message: `route_type "${type.slice(0, 40)}"` };
}

/** Classifies a row: a class of CLASSES, 0 if it refers to something unknown, or why it is rejected. */
interface RowReader<K extends string, O extends string> {
  readonly columns: readonly K[];
  readonly optional: readonly O[];
  read(values: Readonly<Record<K | O, string>>): number | Problem;
  /** Returns the route or trip that the row states. */
  refer(values: Readonly<Record<K | O, string>>): Partial<RouteReference>;
  /** Name of the drop of a row that refers to something unknown. */
  readonly drop: string;
}

const missingKey = (keys: string): Problem => ({ code: 'missing_key', message: `the row has no ${keys}` });

const tripReader = (routes: Classes, trips: Classes): RowReader<'trip_id' | 'route_id', never> => ({
  columns: ['trip_id', 'route_id'],
  optional: [],
  drop: 'unknown_route',
  refer: ({ route_id }) => ({ route: route_id }),
  read({ trip_id, route_id }) {
    if (trip_id === '') return missingKey('trip_id');
    const routeModes = routes.get(route_id) ?? 0;
    if (routeModes > 0) trips.set(trip_id, routeModes);
    return routeModes;
  },
});

/**
 * Reads which trips stop where. A row of a flexible trip names a location group, whose stops are all served, or a zone, which has no stop.
 * Where nobody may get on or off, the trip passes the stop.
 */
const stopTimeReader = (
  trips: Classes,
  stops: Classes,
  groups: ReadonlyMap<string, readonly string[]>,
): RowReader<
  'trip_id' | 'stop_id',
  'location_group_id' | 'location_id' | 'pickup_type' | 'drop_off_type'
> => ({
  columns: ['trip_id', 'stop_id'],
  optional: ['location_group_id', 'location_id', 'pickup_type', 'drop_off_type'],
  drop: 'unknown_trip',
  refer: ({ trip_id }) => ({ trip: trip_id }),
  read({ trip_id, stop_id, location_group_id, location_id, pickup_type, drop_off_type }) {
    const group = location_group_id === '' ? [] : groups.get(location_group_id);
    if (stop_id === '' && location_group_id === '' && location_id === '')
      return missingKey('stop_id, location_group_id or location_id');
    if (stop_id === '' && group === undefined)
      return {
        code: 'unknown_location_group',
        message: `location_group_id "${location_group_id.slice(0, 40)}" has no stops in location_group_stops`,
      };
    const tripModes = trips.get(trip_id) ?? 0;
    if (tripModes === 0 || tripModes > MODES) return tripModes;
    if (pickup_type === '1' && drop_off_type === '1') return NO_BOARDING;
    const served = stop_id === '' ? group! : [stop_id];
    if (served.length === 0) return ON_DEMAND_ZONE;
    for (const id of served) stops.set(id, (stops.get(id) ?? 0) | (1 << (tripModes - 1)));
    return tripModes;
  },
});

async function* scanTable<K extends string, O extends string>(
  scan: TableScan,
  table: string,
  reader: RowReader<K, O>,
): AsyncGenerator<SourceBatch> {
  const { files, accounts, signal } = scan;
  const file = files.nameOf(table);
  const tally = new RowTally(file, null);
  const counts = new Float64Array(CLASSES.length);
  const rows: AsyncIterable<GtfsRow<K | O>> = readGtfsTable(
    files.bytes(table, signal),
    file,
    reader.columns,
    reader.optional,
  );
  for await (const { line, values, problem } of rows) {
    tally.rows_in++;
    const rowProblem = problem ?? reader.read(values);
    if (typeof rowProblem === 'number') {
      counts[rowProblem]!++;
      continue;
    }
    tally.reject(line, rowProblem.code, rowProblem.message);
    const rejects = holdReject(scan, tally, reader.refer(values), rowProblem.code);
    if (rejects.length > 0) yield { rejects };
  }
  for (const [i, count] of counts.entries()) {
    if (i > 0 && i <= MODES) tally.records += count;
    else tally.drop(i === 0 ? reader.drop : CLASSES[i]!, count);
  }
  accounts.push(...tally.accounts());
}

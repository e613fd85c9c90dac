import { EtlError } from '../../../schema/errors.ts';
import { TRANSPORT_MODES, type TransportMode } from '../../../schema/records/stop.ts';
import type { InputAccount, SourceBatch } from '../../adapter.ts';
import { RowTally } from '../../tally.ts';
import type { FeedFiles } from './feed_files.ts';
import { readGtfsTable } from './gtfs_table.ts';
import type { KeptRoutes } from './options.ts';
import { bitOf, isSchoolService, modeOfRoute, ROUTE_DROPS } from './route_modes.ts';

/** The stops that the kept trips of a feed serve. */
export interface ServedStops {
  /** Returns the bits of the modes that serve a stop of the feed. */
  bitsOf(stopId: string): number;
  /** True if the feed does not state which stops its trips serve, so every stop counts. */
  readonly all: boolean;
  readonly accounts: InputAccount[];
  readonly notes: string[];
}

/** Class of a route or trip: 1 to 4 for the modes, then one number for each drop. 0: unknown. */
const CLASSES: readonly string[] = ['', ...TRANSPORT_MODES, ...ROUTE_DROPS.map(({ drop }) => drop)];
const MODES = TRANSPORT_MODES.length;
/** Maximum rejects held before they are passed on. */
const MAX_REJECTS = 1000;
/** Class of each route or trip, or bits of each stop, by its identifier. */
type Classes = Map<string, number>;

/**
 * Finds the modes of every stop from routes, their trips, and the stops of the trips. Memory: one entry for each route, trip and stop;
 * stop_times, of any length, is only streamed. Yields rejects as it reads. `name` is the feed's name in the option folders, `folder` its
 * mode there. Without that mode, a feed without stop_times or trips is an EtlError `gtfs_no_modes`, unless its routes have one mode.
 */
export async function* findServedStops(
  files: FeedFiles,
  name: string,
  folder: TransportMode | null,
  kept: KeptRoutes,
  signal?: AbortSignal,
): AsyncGenerator<SourceBatch, ServedStops> {
  const accounts: InputAccount[] = [];
  const routes: Classes = new Map();
  const trips: Classes = new Map();
  const stops: Classes = new Map();
  const modes = yield* readRoutes(files, folder, kept, routes, accounts, signal);
  for (const [table, key, read] of [
    ['trips', 'trip_id', tripReader(routes, trips)],
    ['stop_times', 'stop_id', stopTimeReader(trips, stops)],
  ] as const) {
    if (!files.has(table)) continue;
    yield* scanTable(files, table, key, read, accounts, signal);
  }
  if (stops.size > 0 || hasRows(accounts, files.nameOf('stop_times'))) {
    return { all: false, accounts, notes: [], bitsOf: (id) => stops.get(id) ?? 0 };
  }
  const mode = folder ?? (modes.size === 1 ? [...modes][0]! : null);
  if (mode === null) throw noModes(files, name, modes);
  const note = `${files.nameOf('stops')}: the feed has no stop_times, so every stop counts as ${mode}.`;
  return { all: true, accounts, notes: [note], bitsOf: () => bitOf(mode) };
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
  files: FeedFiles,
  folder: TransportMode | null,
  kept: KeptRoutes,
  routes: Classes,
  accounts: InputAccount[],
  signal: AbortSignal | undefined,
): AsyncGenerator<SourceBatch, Set<TransportMode>> {
  const modes = new Set<TransportMode>();
  if (!files.has('routes')) return modes;
  const tally = new RowTally(files.nameOf('routes'), null);
  const rows = readGtfsTable(
    files.bytes('routes', signal),
    files.nameOf('routes'),
    ['route_id', 'route_type'],
    ['route_short_name', 'route_long_name', 'route_desc'],
  );
  for await (const { line, values, problem } of rows) {
    tally.rows_in++;
    const { route_id, route_type } = values;
    if (problem !== null) tally.reject(line, problem.code, problem.message);
    else if (route_id === '') tally.reject(line, 'missing_key', 'the route has no route_id');
    else if (!/^\d{1,4}$/.test(route_type))
      tally.reject(line, 'bad_number', `route_type "${route_type.slice(0, 40)}"`);
    else {
      const names = `${values.route_short_name} ${values.route_long_name} ${values.route_desc}`;
      const isForSchools = isSchoolService([values.route_long_name, values.route_desc]);
      const found = modeOfRoute(Number(route_type), names, folder, kept, isForSchools);
      routes.set(route_id, CLASSES.indexOf(found));
      if (CLASSES.indexOf(found) > MODES) tally.drop(found);
      else {
        tally.records++;
        modes.add(found as TransportMode);
      }
    }
  }
  accounts.push(...tally.accounts());
  yield { rejects: tally.takeRejects() };
  return modes;
}

/** Classifies a row: a class of CLASSES, 0 if it refers to something unknown. */
interface RowReader<K extends string> {
  readonly columns: readonly [K, K];
  read(values: Readonly<Record<K, string>>): number;
  /** Name of the drop of a row that refers to something unknown. */
  readonly drop: string;
}

const tripReader = (routes: Classes, trips: Classes): RowReader<'trip_id' | 'route_id'> => ({
  columns: ['trip_id', 'route_id'],
  drop: 'unknown_route',
  read({ trip_id, route_id }) {
    const found = routes.get(route_id) ?? 0;
    if (found > 0) trips.set(trip_id, found);
    return found;
  },
});

const stopTimeReader = (trips: Classes, stops: Classes): RowReader<'trip_id' | 'stop_id'> => ({
  columns: ['trip_id', 'stop_id'],
  drop: 'unknown_trip',
  read({ trip_id, stop_id }) {
    const found = trips.get(trip_id) ?? 0;
    if (found > 0 && found <= MODES) stops.set(stop_id, (stops.get(stop_id) ?? 0) | (1 << (found - 1)));
    return found;
  },
});

async function* scanTable<K extends string>(
  files: FeedFiles,
  table: string,
  key: K,
  reader: RowReader<K>,
  accounts: InputAccount[],
  signal: AbortSignal | undefined,
): AsyncGenerator<SourceBatch> {
  const file = files.nameOf(table);
  const tally = new RowTally(file, null);
  const counts = new Float64Array(CLASSES.length);
  for await (const { line, values, problem } of readGtfsTable(
    files.bytes(table, signal),
    file,
    reader.columns,
    [],
  )) {
    tally.rows_in++;
    if (problem !== null) tally.reject(line, problem.code, problem.message);
    else if (values[key] === '') tally.reject(line, 'missing_key', `the row has no ${key}`);
    else {
      counts[reader.read(values)]!++;
      continue;
    }
    if (tally.pendingRejects >= MAX_REJECTS) yield { rejects: tally.takeRejects() };
  }
  for (const [i, count] of counts.entries()) {
    if (i > 0 && i <= MODES) tally.records += count;
    else tally.drop(i === 0 ? reader.drop : CLASSES[i]!, count);
  }
  accounts.push(...tally.accounts());
  yield { rejects: tally.takeRejects() };
}

import { stopRecord, type TransportMode } from '../../../schema/records/stop.ts';
import { recogniseCrs } from '../../../transforms/geo/crs.ts';
import type {
  DatasetConfig,
  InputAccount,
  Part,
  ReadContext,
  Release,
  SourceAdapter,
  SourceBatch,
} from '../../adapter.ts';
import { toGda2020ByGrid } from '../../formats/vector/datum_grid.ts';
import { releaseOf } from '../../release/file_release.ts';
import { badOption } from '../../release/options.ts';
import { RowBatches } from '../../release/row_batches.ts';
import { withCoverage } from '../../release/with_coverage.ts';
import { RowTally } from '../../tally.ts';
import { type FeedFiles, openFeed } from './feed_files.ts';
import { type FoundFeed, findFeeds } from './feeds.ts';
import { readGtfsTable } from './gtfs_table.ts';
import { type KeptRoutes, readGtfsOptions } from './options.ts';
import { findRoutePlaces } from './route_places.ts';
import { findServedStops, type RouteReject } from './served_stops.ts';
import { STOP_COLUMNS, STOP_OPTIONAL, type StopLine, Stops } from './stop_rows.ts';

/** CRS of stops.txt in the GTFS reference. */
const GTFS_CRS = 'EPSG:4326';

const REJECTS_PER_BATCH = 1000;

/** Input for reading one feed; survives structured cloning. */
interface GtfsPart {
  readonly feed: FoundFeed;
  readonly prefix: string;
  /** Mode of all its stops; null: not configured. */
  readonly mode: TransportMode | null;
  readonly kept: KeptRoutes;
}

/** Reads the stops of GTFS feeds with the modes that serve them; a part is a feed. */
export const gtfsAdapter: SourceAdapter = withCoverage('transport', {
  name: 'gtfs',
  version: 10,
  placeUnit: 'line',
  title: 'GTFS timetables',
  publisher: 'Transport agencies of the states and territories',
  licence: 'CC-BY-4.0',
  attribution: 'Contains public transport data of Australian state and territory agencies, CC BY 4.0.',
  tables: [stopRecord],
  checkOptions: readGtfsOptions,
  discover,
  readPart: readPart,
});

async function discover(dataset: DatasetConfig): Promise<{ release: Release; parts: Part[] }> {
  const { folders, ownFolders, feeds, kept } = readGtfsOptions(dataset);
  const all = await findFeeds(dataset);
  const wantedFeeds = all.filter(({ id }) => feeds === null || feeds.includes(id));
  const knownFeeds = new Set(all.map(({ id }) => id));
  const unknown = (feeds ?? []).filter((id) => !knownFeeds.has(id));
  if (unknown.length > 0) {
    const has = all.map(({ id, name }) => id || `one feed without a folder, ${name}`).join(', ');
    throw badOption(dataset, `feeds names ${unknown.join(', ')}; the release has ${has}`);
  }
  const names = new Set(all.map(({ name }) => name));
  const strange = Object.keys(ownFolders).filter((name) => !names.has(name));
  if (strange.length > 0)
    throw badOption(dataset, `folders names ${strange.join(', ')}; the release has ${[...names].join(', ')}`);
  const notes = all
    .filter((feed) => !wantedFeeds.includes(feed))
    .map(({ file }) => `${file} is not one of the feeds and is left out.`);
  const crs = recogniseCrs(
    dataset.crs ?? GTFS_CRS,
    dataset.crs === null ? 'stops.txt' : 'the configured crs',
  );
  if (crs.projected)
    throw badOption(
      dataset,
      `its crs ${dataset.crs} is a projection and GTFS holds degrees: leave crs out, or name EPSG:7844 or EPSG:4283`,
    );
  if (dataset.crs === null) notes.push('Coordinates of GTFS are WGS84, which is taken as GDA2020.');
  const parts = wantedFeeds.map((feed) => {
    const prefix = [dataset.id, feed.id, ''].filter((part, i) => part !== '' || i === 2).join(':');
    const source: GtfsPart = { feed, prefix, mode: folders[feed.name] ?? null, kept };
    return { id: feed.id || 'feed', source };
  });
  const crsInfo = { applied: crs.id, stated: GTFS_CRS, overridden: crs.id !== GTFS_CRS };
  return { release: releaseOf(dataset, { crs: crsInfo, notes }), parts };
}

async function* readPart(release: Release, part: Part, { signal }: ReadContext): AsyncIterable<SourceBatch> {
  signal?.throwIfAborted();
  const { feed, prefix, mode, kept } = part.source as GtfsPart;
  const files = await openFeed(feed);
  try {
    const served = yield* findServedStops(files, feed.name, mode, kept, signal);
    const shift = toGda2020ByGrid(
      recogniseCrs(release.crs.applied, 'the crs of the release'),
      release.dataset.datum_grid,
    );
    const stops = new Stops(served, prefix, shift, kept.school_buses);
    for await (const row of stopLines(files, signal)) stops.learn(row);
    yield* placeRejects(served.rejects, stops, files, signal);
    const { accounts } = yield* emit(stops, files, signal);
    yield { accounts: [...accounts, ...served.accounts], notes: served.notes };
  } finally {
    await files.close();
  }
}

/** Yields the rejects of routes, trips and stop_times, with the surroundings of their routes. */
async function* placeRejects(
  rejects: readonly RouteReject[],
  stops: Stops,
  files: FeedFiles,
  signal: AbortSignal | undefined,
): AsyncGenerator<SourceBatch> {
  if (rejects.length === 0) return;
  const rows = rejects.map(({ row }) => row);
  const placeOf = await findRoutePlaces(files, rows, signal);
  for (let at = 0; at < rejects.length; at += REJECTS_PER_BATCH) {
    const batch = rejects.slice(at, at + REJECTS_PER_BATCH).map(({ reject, row }) => {
      const box = placeOf(row);
      return box === null ? reject : { ...reject, extent: stops.surroundingsOf(box) };
    });
    yield { rejects: batch };
  }
}

const stopLines = (files: FeedFiles, signal?: AbortSignal): AsyncGenerator<StopLine> =>
  readGtfsTable(files.bytes('stops', signal), files.nameOf('stops'), STOP_COLUMNS, STOP_OPTIONAL);

/** Emits the stops, and returns their row accounts: a stop that several modes serve is one row in and several rows out. */
async function* emit(
  stops: Stops,
  files: FeedFiles,
  signal: AbortSignal | undefined,
): AsyncGenerator<SourceBatch, { accounts: InputAccount[] }> {
  const file = files.nameOf('stops');
  const tally = new RowTally(file, stopRecord.name);
  const batches = new RowBatches(stopRecord, tally);
  let further = 0;
  for await (const line of stopLines(files, signal)) {
    tally.rows_in++;
    const fate = stops.classifyStop(line);
    if ('drop' in fate) tally.drop(fate.drop);
    else if ('reject' in fate) {
      const { code, message, extent } = fate.reject;
      tally.reject(line.line, code, message, { extent });
    } else if ('merged' in fate) tally.merged++;
    else {
      tally.records++;
      further += fate.rows.length - 1;
      for (const row of fate.rows) batches.add(row);
    }
    if (batches.full) yield batches.rest();
  }
  yield batches.rest();
  const accounts = tally.accounts();
  if (further > 0) {
    const name = `${file} (rows for a further mode)`;
    accounts.push({
      file: name,
      table: stopRecord.name,
      rows_in: further,
      records: further,
      rejects: 0,
      drops: {},
    });
  }
  return { accounts };
}

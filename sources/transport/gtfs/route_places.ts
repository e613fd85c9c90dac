import { json } from 'node:stream/consumers';
import { type Bbox, inAustralia, unionBox } from '../../../schema/grid.ts';
import { decimalNumber } from '../../formats/table/tabular.ts';
import type { FeedFiles } from './feed_files.ts';
import { readGtfsTable } from './gtfs_table.ts';

/** Identifiers that a rejected row of routes, trips or stop_times states; '': none. */
export interface RouteReference {
  readonly route: string;
  readonly trip: string;
}

/**
 * Finds the boxes of the routes that rejected rows state, in the degrees of the feed: the stops and zones of all trips of the route, else
 * their shapes. Reads the tables again, so a feed without such rejects costs nothing. Returns null for a row whose route has no place.
 */
export async function findRoutePlaces(
  files: FeedFiles,
  rows: readonly RouteReference[],
  signal?: AbortSignal,
): Promise<(row: RouteReference) => Bbox | null> {
  const boxes = new Map<string, Bbox>();
  const trips = await findTrips(files, rows, signal);
  const routeOf = ({ route, trip }: RouteReference): string => route || (trips.get(trip)?.route ?? '');
  if (trips.size > 0) {
    const places = await readPlaces(files, signal);
    for await (const { values } of tableOf(files, 'stop_times', TIMES, [], signal)) {
      const route = trips.get(values.trip_id)?.route;
      const box = places.get(values.stop_id || values.location_group_id || values.location_id);
      if (route !== undefined && box !== undefined) addBox(boxes, route, box);
    }
    const missing = new Set(rows.map(routeOf).filter((route) => !boxes.has(route)));
    const shapes = new Map(
      [...trips.values()].filter(({ route }) => missing.has(route)).map(({ shape, route }) => [shape, route]),
    );
    shapes.delete('');
    if (shapes.size > 0) {
      for await (const { values } of tableOf(files, 'shapes', SHAPES, [], signal)) {
        const route = shapes.get(values.shape_id);
        const box = route === undefined ? null : pointBox(values.shape_pt_lon, values.shape_pt_lat);
        if (box !== null) addBox(boxes, route!, box);
      }
    }
  }
  return (row) => boxes.get(routeOf(row)) ?? null;
}

const TIMES = ['trip_id', 'stop_id', 'location_group_id', 'location_id'] as const;
const SHAPES = ['shape_id', 'shape_pt_lat', 'shape_pt_lon'] as const;

/** Reads the sound rows of a table; none if the feed does not have it. */
async function* tableOf<K extends string, O extends string>(
  files: FeedFiles,
  table: string,
  columns: readonly K[],
  optional: readonly O[],
  signal: AbortSignal | undefined,
): AsyncGenerator<{ readonly values: Readonly<Record<K | O, string>> }> {
  if (!files.has(table)) return;
  const rows = readGtfsTable(files.bytes(table, signal), files.nameOf(table), [], [...columns, ...optional]);
  for await (const row of rows) if (row.problem === null) yield row;
}

/** Finds all trips of the routes that the rows state themselves or through a trip. */
async function findTrips(
  files: FeedFiles,
  rows: readonly RouteReference[],
  signal: AbortSignal | undefined,
): Promise<Map<string, { route: string; shape: string }>> {
  const tripIds = new Set(rows.map(({ trip }) => trip));
  const routes = new Set(rows.map(({ route }) => route));
  const columns = ['trip_id', 'route_id'] as const;
  for await (const { values } of tableOf(files, 'trips', columns, [], signal))
    if (tripIds.has(values.trip_id)) routes.add(values.route_id);
  routes.delete('');
  const trips = new Map<string, { route: string; shape: string }>();
  if (routes.size === 0) return trips;
  for await (const { values } of tableOf(files, 'trips', columns, ['shape_id'], signal))
    if (routes.has(values.route_id))
      trips.set(values.trip_id, { route: values.route_id, shape: values.shape_id });
  return trips;
}

/** Reads the boxes of stops, location groups and zones by identifier; the three share one set of identifiers. */
async function readPlaces(files: FeedFiles, signal: AbortSignal | undefined): Promise<Map<string, Bbox>> {
  const places = new Map<string, Bbox>();
  const columns = ['stop_id', 'stop_lat', 'stop_lon'] as const;
  for await (const { values } of tableOf(files, 'stops', columns, [], signal)) {
    const box = pointBox(values.stop_lon, values.stop_lat);
    if (box !== null) places.set(values.stop_id, box);
  }
  for (const [group, stops] of await readLocationGroups(files, signal))
    for (const stop of stops) {
      const box = places.get(stop);
      if (box !== undefined) addBox(places, group, box);
    }
  if (files.has(ZONES)) addZones(places, await json(files.bytes(ZONES, signal)).catch(() => null));
  return places;
}

const ZONES = 'locations.geojson';

function addZones(places: Map<string, Bbox>, collection: unknown): void {
  const { features } = (collection ?? {}) as { features?: unknown };
  if (!Array.isArray(features)) return;
  for (const { id, geometry } of features) {
    const positions: unknown[] = [geometry?.coordinates];
    for (let position = positions.pop(); position !== undefined; position = positions.pop()) {
      if (!Array.isArray(position)) continue;
      if (typeof position[0] !== 'number') for (const inner of position) positions.push(inner);
      else {
        const box = pointBox(String(position[0]), String(position[1]));
        if (box !== null) addBox(places, String(id), box);
      }
    }
  }
}

export async function readLocationGroups(
  files: FeedFiles,
  signal?: AbortSignal,
): Promise<Map<string, string[]>> {
  const groups = new Map<string, string[]>();
  const columns = ['location_group_id', 'stop_id'] as const;
  for await (const { values } of tableOf(files, 'location_group_stops', columns, [], signal)) {
    const stops = groups.get(values.location_group_id) ?? [];
    stops.push(values.stop_id);
    groups.set(values.location_group_id, stops);
  }
  return groups;
}

function addBox(boxes: Map<string, Bbox>, id: string, box: Bbox): void {
  const knownBox = boxes.get(id);
  boxes.set(id, knownBox === undefined ? box : unionBox([knownBox, box]));
}

function pointBox(longitude: string, latitude: string): Bbox | null {
  const lon = decimalNumber(longitude) ?? Number.NaN;
  const lat = decimalNumber(latitude) ?? Number.NaN;
  return inAustralia(lon, lat) ? [lon, lat, lon, lat] : null;
}

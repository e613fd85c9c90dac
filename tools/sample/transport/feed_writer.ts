import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DelimitedWriter } from '../formats/delimited_writer.ts';
import { writeZip } from '../formats/zip_writer.ts';
import type { Truth } from '../truth.ts';

/** A stop as a feed lists it; kind as location_type has it, empty for a stop. */
export interface FeedStop {
  readonly id: string;
  readonly name: string;
  /** Published text of the coordinates: empty or 0 in bad rows. */
  readonly lon: string;
  readonly lat: string;
  readonly kind?: '1' | '2' | '3';
  readonly parent?: string;
}

const TABLES = {
  stops: '\ufeffstop_id,stop_name,stop_desc,stop_lat,stop_lon,location_type,parent_station',
  routes: '\ufeffroute_id,agency_id,route_short_name,route_long_name,route_type',
  trips: '\ufeffroute_id,service_id,trip_id,trip_headsign',
  stop_times: '\ufefftrip_id,arrival_time,departure_time,stop_id,stop_sequence',
} as const;
type Table = keyof typeof TABLES;

/**
 * Streams one GTFS feed: a byte-order mark, quotes around all values, commas inside them, times after midnight. `withTimes` false: it
 * has neither trips nor stop_times, as some publishers' extracts.
 */
export class FeedWriter {
  /** Name of the feed's folder in the release. */
  readonly id: string;
  readonly #folder: string;
  readonly #file: string;
  readonly #truth: Truth;
  readonly #tables = new Map<Table, DelimitedWriter>();
  /** Name of the drop of each route that is left out. */
  readonly #left = new Map<string, string | null>();

  constructor(work: string, file: string, id: string, truth: Truth, withTimes = true) {
    this.id = id;
    this.#folder = join(work, id);
    this.#file = `${file} › ${id}/google_transit.zip`;
    this.#truth = truth;
    mkdirSync(this.#folder, { recursive: true });
    for (const [table, header] of Object.entries(TABLES) as [Table, string][]) {
      if (!withTimes && (table === 'trips' || table === 'stop_times')) continue;
      this.#tables.set(table, new DelimitedWriter(join(this.#folder, `${table}.txt`), header, '\r\n'));
    }
  }

  /** Name of a table in accounts. */
  nameOf(table: Table): string {
    return `${this.#file} › ${table}.txt`;
  }

  /** `drop`: why the route is left out; null: it is kept. */
  route(id: string, name: string, type: number, drop: string | null = null): void {
    this.#write('routes', [id, '1', name, `${name}, both ways`, String(type)]);
    this.#left.set(id, drop);
    if (drop !== null) this.#truth.drop(this.nameOf('routes'), drop);
  }

  /** A stop; `drop` names why it is left out. Returns its line. */
  stop({ id, name, lon, lat, kind, parent }: FeedStop, drop: string | null = null): number {
    this.#write('stops', [id, name, `${name}, near the corner`, lat, lon, kind ?? '', parent ?? '']);
    if (drop !== null) this.#truth.drop(this.nameOf('stops'), drop);
    return this.#tables.get('stops')!.rows + 1;
  }

  /** A trip along stops; of a route that is left out it is left out too. */
  trip(route: string, id: string, stops: readonly string[]): void {
    if (!this.#tables.has('trips')) return;
    this.#write('trips', [route, 'WK', id, 'City, then on']);
    stops.forEach((stop, i) => {
      const time = `${23 + Math.floor(i / 30)}:${String((i * 2) % 60).padStart(2, '0')}:00`;
      this.#write('stop_times', [id, time, time, stop, String(i + 1)]);
    });
    const drop = this.#left.get(route);
    if (drop == null) return;
    this.#truth.drop(this.nameOf('trips'), drop);
    if (stops.length > 0) this.#truth.drop(this.nameOf('stop_times'), drop, stops.length);
  }

  /** A stop time of a trip that is nowhere. */
  strayTime(stop: string): void {
    this.#write('stop_times', ['NO_TRIP', '08:00:00', '08:00:00', stop, '1']);
    this.#truth.drop(this.nameOf('stop_times'), 'unknown_trip');
  }

  /** Closes the tables and packs them. Returns the zip as a member of the release. */
  async finish(): Promise<{ name: string; from: string }> {
    const members = [];
    for (const [table, writer] of this.#tables) {
      writer.close();
      this.#truth.count(this.nameOf(table), writer.rows);
      members.push({ name: `${table}.txt`, from: join(this.#folder, `${table}.txt`) });
    }
    const from = join(this.#folder, 'google_transit.zip');
    await writeZip(from, members);
    return { name: `${this.id}/google_transit.zip`, from };
  }

  #write(table: Table, values: readonly string[]): void {
    this.#tables.get(table)!.line(values.map((value) => `"${value}"`).join(','));
  }
}

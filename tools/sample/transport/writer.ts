import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SAMPLE_CRS } from '../crs.ts';
import { text } from '../formats/dbf_writer.ts';
import { ShapefileWriter } from '../formats/shapefile_writer.ts';
import { writeZip } from '../formats/zip_writer.ts';
import { BLOCK_HEIGHT, BLOCK_WIDTH } from '../geography/block.ts';
import type { Frame } from '../geography/frame.ts';
import type { StateCode } from '../geography/places.ts';
import type { SuburbLand } from '../geography/suburb.ts';
import type { Truth } from '../truth.ts';
import { type FeedStop, FeedWriter } from './feed_writer.ts';

type Mode = 'train' | 'tram' | 'bus' | 'ferry';

/** Route type that a state publishes for each of its modes; a mode that is left out is not there. */
const ROUTE_TYPES: Readonly<Record<StateCode, Partial<Record<Mode, number>>>> = {
  NSW: { train: 2, tram: 900, bus: 700, ferry: 4 },
  VIC: { train: 400, tram: 0, bus: 701 },
  QLD: { train: 2, bus: 3, ferry: 1000 },
  SA: { train: 2, tram: 0, bus: 3 },
  WA: { train: 2, bus: 3, ferry: 4 },
  TAS: { bus: 3 },
  NT: { bus: 3 },
  ACT: { tram: 0, bus: 3 },
};
/** Folder of the Victorian feed by mode; stations of country towns are in another one. */
const VIC_FOLDERS = { town_train: '1', train: '2', tram: '3', bus: '4' } as const;

/** Every so many suburbs has a station; ferries land in the first suburb. */
const STATION_EVERY = 3;
const TRAM_STOPS = 3;
/** Streets and blocks from one bus stop to the next. */
const BUS_EVERY = 2;

/**
 * Streams the public transport of the country: nested GTFS zips (one of the nation by state, one of Victoria by mode, whose trams have no
 * stop_times) and a point shapefile for Tasmania. Each suburb has bus stops along its streets, every third a station with
 * platforms, suburbs of capitals trams, the first one of some a ferry. School and replacement buses stop where nothing else does.
 */
export class TransportWriter {
  readonly #out: string;
  readonly #work: string;
  readonly #truth: Truth;
  readonly #feeds = new Map<string, FeedWriter>();
  readonly #tasmania: ShapefileWriter;

  constructor(out: string, truth: Truth) {
    this.#out = join(out, 'transport');
    this.#work = join(this.#out, 'work');
    this.#truth = truth;
    for (const folder of ['national', 'vic', 'tas']) mkdirSync(join(this.#out, folder), { recursive: true });
    this.#tasmania = new ShapefileWriter(
      join(this.#out, 'tas', 'TAS_BUS_STOP'),
      [text('STOP_ID', 12), text('STOP_NAME', 60)],
      SAMPLE_CRS.mga2020_55.prj,
      'UTF-8',
      'point',
    );
  }

  /** The stops of a suburb; `k` is its number in the state. */
  suburb(state: StateCode, k: number, frame: Frame, land: SuburbLand, name: string): void {
    const at = (x: number, y: number): { lon: string; lat: string } => ({
      lon: frame.lon(x, y).toFixed(8),
      lat: frame.lat(x, y).toFixed(8),
    });
    const inTown = land.site.town >= 0;
    const modes = ROUTE_TYPES[state];
    const middle = (land.x0 + land.x1) / 2;
    if (modes.train !== undefined && k % STATION_EVERY === 0)
      this.#station(
        state,
        'train',
        inTown,
        `${k}`,
        `${name} Station`,
        at(middle, land.y0 + 4),
        at(middle, land.y0 - 4),
      );
    if (modes.ferry !== undefined && k === 0)
      this.#station(
        state,
        'ferry',
        inTown,
        `W${k}`,
        `${name} Wharf`,
        at(land.x0 + 4, land.y1 - 4),
        at(land.x0, land.y1 - 8),
      );
    if (modes.tram !== undefined && !inTown) this.#trams(state, k, land, name, at);
    this.#buses(state, k, land, name, at);
    if (k === 0 && state === 'NSW') this.#badRows(this.#feed(state, 'bus', false), `B${k}`);
  }

  async finish(): Promise<void> {
    const feeds = [...this.#feeds.values()];
    const isVic = (feed: FeedWriter): boolean => /^\d+$/.test(feed.id);
    for (const [folder, own] of [
      ['national', feeds.filter((feed) => !isVic(feed))],
      ['vic', feeds.filter(isVic)],
    ] as const) {
      const members = [];
      for (const feed of own) members.push(await feed.finish());
      if (members.length > 0) await writeZip(join(this.#out, folder, 'gtfs.zip'), members);
    }
    rmSync(this.#work, { recursive: true, force: true });
    this.#tasmania.close();
    this.#truth.count('transport/tas/TAS_BUS_STOP.shp', this.#tasmania.count);
  }

  #feed(state: StateCode, mode: Mode, inTown: boolean): FeedWriter {
    const isVic = state === 'VIC';
    const folder = !isVic ? state : VIC_FOLDERS[mode === 'train' && inTown ? 'town_train' : (mode as 'tram')];
    const known = this.#feeds.get(folder);
    if (known !== undefined) return known;
    const file = `transport/${isVic ? 'vic' : 'national'}/gtfs.zip`;
    const feed = new FeedWriter(this.#work, file, folder, this.#truth, folder !== VIC_FOLDERS.tram);
    this.#feeds.set(folder, feed);
    const modes = isVic ? [mode] : (Object.keys(ROUTE_TYPES[state]) as Mode[]);
    for (const each of modes) feed.route(`${folder}-${each}`, `${each} line`, ROUTE_TYPES[state][each]!);
    if (modes.includes('bus')) {
      feed.route(`${folder}-school`, 'School special', 712, 'school_bus');
      feed.route(`${folder}-rail`, 'Rail replacement bus', 714, 'rail_replacement');
      feed.route(`${folder}-taxi`, 'On demand', 1500, isVic ? null : 'other_mode');
    }
    return feed;
  }

  #know(state: StateCode, feed: FeedWriter, mode: Mode, stop: FeedStop): void {
    const dataset = state === 'VIC' ? 'gtfs_vic' : 'gtfs';
    this.#truth.files.stops.line(
      `${dataset}:${feed.id}:${stop.id},${mode},${stop.name},${stop.lon},${stop.lat}`,
    );
  }

  /** A station or wharf: the row that counts, two platforms that it stands for, an entrance and a node. */
  #station(
    state: StateCode,
    mode: 'train' | 'ferry',
    inTown: boolean,
    key: string,
    name: string,
    place: { lon: string; lat: string },
    other: { lon: string; lat: string },
  ): void {
    const feed = this.#feed(state, mode, inTown);
    const station: FeedStop = { id: `S${key}`, name, ...place, kind: '1' };
    feed.stop({ id: `S${key}_1`, name: `${name} Platform 1`, ...place, parent: station.id });
    feed.stop(station);
    feed.stop({ id: `S${key}_2`, name: `${name} Platform 2`, ...other, parent: station.id });
    feed.stop(
      { id: `S${key}_E`, name: 'North entrance', ...place, kind: '2', parent: station.id },
      'entrance',
    );
    feed.stop(
      { id: `S${key}_N`, name: 'Decision point', lon: '', lat: '', kind: '3', parent: station.id },
      'generic_node',
    );
    feed.trip(`${feed.id}-${mode}`, `${mode}-${key}`, [`S${key}_1`, `S${key}_2`]);
    this.#know(state, feed, mode, station);
  }

  #trams(state: StateCode, k: number, land: SuburbLand, name: string, at: Placer): void {
    const feed = this.#feed(state, 'tram', false);
    const stops = Array.from({ length: TRAM_STOPS }, (_, i) => {
      const y = land.y0 + ((i + 0.5) * (land.y1 - land.y0)) / TRAM_STOPS;
      return { id: `T${k}_${i}`, name: `${name} tram stop ${i + 1}`, ...at(land.x0 + 3, y) };
    });
    for (const stop of stops) {
      feed.stop(stop);
      this.#know(state, feed, 'tram', stop);
    }
    feed.trip(
      `${feed.id}-tram`,
      `tram-${k}`,
      stops.map(({ id }) => id),
    );
  }

  #buses(state: StateCode, k: number, land: SuburbLand, name: string, at: Placer): void {
    const stops: FeedStop[] = [];
    for (let y = land.y0; y <= land.y1; y += BUS_EVERY * BLOCK_HEIGHT)
      for (let x = land.x0 + 20; x <= land.x1; x += BUS_EVERY * BLOCK_WIDTH)
        stops.push({
          id: `B${k}_${stops.length}`,
          name: `${name} bus stop ${stops.length + 1}`,
          ...at(x, y + 5),
        });
    if (state === 'TAS') {
      for (const stop of stops) this.#tasmanian(stop);
      return;
    }
    const feed = this.#feed(state, 'bus', false);
    for (const stop of stops) {
      feed.stop(stop);
      this.#know(state, feed, 'bus', stop);
    }
    feed.trip(
      `${feed.id}-bus`,
      `bus-${k}`,
      stops.map(({ id }) => id),
    );
    for (const [kind, drop] of [
      ['school', 'not_served'],
      ['rail', 'not_served'],
    ] as const) {
      const stop = { id: `X${k}_${kind}`, name: `${name} ${kind} stop`, ...at(land.x0 + 30, land.y1 - 5) };
      feed.stop(stop, drop);
      feed.trip(`${feed.id}-${kind}`, `${kind}-${k}`, [stop.id, stops[0]!.id]);
    }
  }

  #tasmanian(stop: FeedStop): void {
    const coords = Float64Array.of(Number(stop.lon), Number(stop.lat));
    SAMPLE_CRS.mga2020_55.fromGda2020(coords);
    this.#tasmania.write({ coords, ringEnds: [1], holes: 0 }, [stop.id, stop.name]);
    this.#truth.files.stops.line(
      `stops_tas:TAS_BUS_STOP:${stop.id},bus,${stop.name},${stop.lon},${stop.lat}`,
    );
  }

  /** Stops with broken coordinates, and a stop time of no trip. */
  #badRows(feed: FeedWriter, key: string): void {
    const file = feed.nameOf('stops');
    const zero = feed.stop({ id: `${key}_ZERO`, name: 'Nowhere', lon: '0.0', lat: '0.0' });
    this.#truth.reject(file, zero, 'outside_australia', 'a stop at 0 degrees');
    const empty = feed.stop({ id: `${key}_EMPTY`, name: 'Unplaced', lon: '', lat: '' });
    this.#truth.reject(file, empty, 'bad_coordinate', 'a stop without coordinates');
    feed.trip(`${feed.id}-bus`, 'bus-bad', [`${key}_ZERO`, `${key}_EMPTY`]);
    feed.strayTime(`${key}_0`);
  }
}

type Placer = (x: number, y: number) => { lon: string; lat: string };

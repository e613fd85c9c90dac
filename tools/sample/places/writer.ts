import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from '../geography/frame.ts';
import type { Block } from '../geography/lot.ts';
import type { StateCode } from '../geography/places.ts';
import { type Ring, rectangle } from '../geography/shape.ts';
import type { SuburbLand } from '../geography/suburb.ts';
import type { Truth } from '../truth.ts';
import { OsmGeojsonWriter } from './osm_geojson_writer.ts';
import { OsmPbfWriter } from './osm_pbf_writer.ts';
import { OvertureWriter } from './overture_writer.ts';
import { PlacesCsvWriter } from './places_csv_writer.ts';
import type { PlaceSink, SamplePlace } from './sample_place.ts';

/** Decimals of a degree in OpenStreetMap. */
const UNITS = 1e7;
const round = (value: number): number => Math.round(value * UNITS) / UNITS;
const RESTAURANTS = ['Lemongrass Kitchen', 'Corner Cafe', 'Harvest Table'] as const;
/** Every so many suburbs has a station, a supermarket mapped twice, a closed one. */
const STATION_EVERY = 3;
const TWICE_EVERY = 2;
const CLOSED_EVERY = 5;

type Wanted = Omit<SamplePlace, 'serial'>;

/**
 * Streams the places of the country: most states as a GeoJSON of OpenStreetMap, Tasmania as an .osm.pbf, Western Australia as an
 * Overture GeoParquet, the Northern Territory as a table. Parks are the park blocks; a shopping block has a supermarket building and restaurants; the first suburb of a
 * state has a beach over several grid cells and a national park with a hole. Some objects are to be left out by name.
 */
export class PlacesWriter {
  readonly #truth: Truth;
  readonly #osm: OsmGeojsonWriter;
  readonly #tasmania: OsmPbfWriter;
  readonly #overture: OvertureWriter;
  readonly #table: PlacesCsvWriter;
  readonly #rows = new Map<PlaceSink, number>();
  #serial = 100;

  constructor(out: string, truth: Truth) {
    this.#truth = truth;
    const place = (folder: string, name: string): [path: string, file: string] => {
      mkdirSync(join(out, 'places', folder), { recursive: true });
      return [join(out, 'places', folder, name), `places/${folder}/${name}`];
    };
    this.#osm = new OsmGeojsonWriter(...place('osm', 'australia.geojson'));
    this.#tasmania = new OsmPbfWriter(...place('tas', 'tasmania.osm.pbf'));
    this.#overture = new OvertureWriter(...place('wa', 'places.parquet'), 'WA');
    this.#table = new PlacesCsvWriter(...place('nt', 'places.csv'), 'places_nt');
  }

  /** The places of a suburb; `k` is its number in the state. */
  suburb(state: StateCode, k: number, frame: Frame, land: SuburbLand, name: string): void {
    const sink = this.#sinkOf(state);
    for (const place of placesOf(k, land, name)) this.#write(sink, frame, place);
    if (sink === this.#tasmania)
      this.#tasmania.otherNode(round(frame.lon(land.x0, land.y0)), round(frame.lat(land.x0, land.y0)));
  }

  #sinkOf(state: StateCode): PlaceSink {
    if (state === 'TAS') return this.#tasmania;
    if (state === 'WA') return this.#overture;
    return state === 'NT' ? this.#table : this.#osm;
  }

  async finish(): Promise<void> {
    this.#osm.close();
    this.#tasmania.close();
    this.#overture.close();
    this.#table.close();
    this.#truth.count(this.#osm.file, this.#rows.get(this.#osm) ?? 0);
    this.#truth.count(this.#overture.file, this.#rows.get(this.#overture) ?? 0);
    this.#truth.count(this.#table.file, this.#rows.get(this.#table) ?? 0);
    this.#truth.count(this.#tasmania.file, this.#tasmania.count);
    if (this.#tasmania.untagged > 0)
      this.#truth.drop(this.#tasmania.file, 'not_a_place', this.#tasmania.untagged);
  }

  #write(sink: PlaceSink, frame: Frame, wanted: Wanted): void {
    const pointsOnly = sink === this.#overture || sink === this.#table;
    const drop = sink === this.#overture ? overtureDrop(wanted.drop) : wanted.drop;
    if (drop === 'mapped_twice' && pointsOnly) return;
    const place = { ...wanted, drop, serial: ++this.#serial };
    const { at } = place;
    const rings =
      'point' in at ? [at.point] : [at.shell, ...at.holes].map((ring) => [...ring, ring[0]!, ring[1]!]);
    const degrees = rings.map((ring) => toDegrees(frame, ring));
    const id = sink.write(place, degrees);
    this.#rows.set(sink, (this.#rows.get(sink) ?? 0) + 1);
    if (drop !== null) {
      this.#truth.drop(sink.file, sink === this.#table ? 'not_a_place' : drop);
      return;
    }
    const isPoint = 'point' in at || pointsOnly;
    const [lon, lat] = isPoint ? [...degrees[0]!].slice(0, 2).map((value) => value.toFixed(7)) : ['', ''];
    this.#truth.files.places.line(
      `${id},${place.category},${place.name},${isPoint ? 'point' : 'area'},${lon},${lat}`,
    );
  }
}

/** What an object that OpenStreetMap leaves out is in Overture. */
const overtureDrop = (drop: string | null): string | null =>
  drop === 'private' ? 'low_confidence' : drop === 'disused' ? 'closed' : drop;

function toDegrees(frame: Frame, ring: readonly number[]): Float64Array {
  const out = new Float64Array(ring.length);
  for (let i = 0; i < ring.length; i += 2) {
    out[i] = round(frame.lon(ring[i]!, ring[i + 1]!));
    out[i + 1] = round(frame.lat(ring[i]!, ring[i + 1]!));
  }
  return out;
}

function* placesOf(k: number, land: SuburbLand, name: string): Iterable<Wanted> {
  const ofUse = (use: Block['use']): Block[] => land.blocks.filter((block) => block.use === use);
  let park = 0;
  for (const { lots } of ofUse('park')) {
    for (const { shape } of lots)
      yield area('green_space', `${name} Reserve ${++park}`, shape.rings[0]!, { leisure: 'park' });
  }
  const shops = ofUse('shops')[0];
  if (shops !== undefined) yield* shopping(k, shops, name);
  const home = ofUse('residential')[0]!;
  const garden = rectangle(home.x0 + 20, home.y0 + 20, home.x0 + 32, home.y0 + 30);
  yield {
    ...area('green_space', `${name} Private Garden`, garden, { leisure: 'garden', access: 'private' }),
    drop: 'private',
  };
  if (k % STATION_EVERY === 0)
    yield point('railway_station', `${name} Station`, [(land.x0 + land.x1) / 2, land.y0 + 4], {
      railway: 'station',
    });
  if (k !== 0) return;
  const [x, y] = [land.x0, land.y0];
  yield area('beach', `${name} Beach`, rectangle(x - 6000, y - 3060, x + 6000, y - 3000), {
    natural: 'beach',
  });
  yield {
    ...area('green_space', `${name} National Park`, rectangle(x - 9000, y - 9000, x - 3000, y - 4000), {
      boundary: 'national_park',
    }),
    at: {
      shell: rectangle(x - 9000, y - 9000, x - 3000, y - 4000),
      holes: [rectangle(x - 7000, y - 7000, x - 5000, y - 6000)],
    },
  };
}

function* shopping(k: number, block: Block, name: string): Iterable<Wanted> {
  const [x, y] = block.lots[0]!.anchor;
  const market = `Freshway ${name}`;
  yield area('supermarket', market, rectangle(x - 15, y - 12, x + 15, y + 12), {
    shop: 'supermarket',
    building: 'yes',
  });
  if (k % TWICE_EVERY === 0)
    yield {
      ...point('supermarket', market.toUpperCase(), [x + 20, y], { shop: 'supermarket' }),
      drop: 'mapped_twice',
    };
  if (k % CLOSED_EVERY === 0)
    yield {
      ...point('supermarket', 'Bygone Foods', [x, y + 30], { shop: 'supermarket', disused: 'yes' }),
      drop: 'disused',
    };
  for (const [i, lot] of block.lots.slice(1, 1 + RESTAURANTS.length).entries())
    yield point('restaurant', RESTAURANTS[i]!, lot.front, { amenity: i === 1 ? 'cafe' : 'restaurant' });
}

type Category = SamplePlace['category'];

const area = (
  category: Category,
  name: string,
  shell: Ring,
  tags: Readonly<Record<string, string>>,
): Wanted => ({
  category,
  name,
  tags: { name, ...tags },
  at: { shell, holes: [] },
  drop: null,
});

const point = (
  category: Category,
  name: string,
  at: readonly [number, number],
  tags: Readonly<Record<string, string>>,
): Wanted => ({ category, name, tags: { name, ...tags }, at: { point: at }, drop: null });

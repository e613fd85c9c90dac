import type pg from 'pg';
import { type RegionBox, regionBoxes, regionShapes } from '../../contract/map/region_shapes.ts';
import { type MapShape, pointShape } from '../../contract/map/shape.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { boxReader, isPlanning, isRegionLevel, LAYERS, REGION_ZOOM } from './layers.ts';
import { Memory } from './memory.ts';
import { planningShapes } from './planning_shapes.ts';
import { MAX_SHAPES, makeTile, meets, type Tile, type TileAddress, tileBox } from './tile.ts';

/** Bytes of boxes of regions and of tiles that are kept. */
const BOX_BYTES = 16e6;
const TILE_BYTES = 64e6;
/** What an entry weighs beside its bytes, about. */
const ENTRY_BYTES = 200;

/** Runs a read on a connection. */
export type Read = <T>(work: (client: pg.ClientBase) => Promise<T>) => Promise<T>;

/** Makes tiles from the published tables, and keeps them by the version of what is published. */
export class Tiles {
  readonly #db: Serving;
  readonly #read: Read;
  readonly #boxes = new Memory<RegionBox[]>(BOX_BYTES, (boxes) => boxes.length * ENTRY_BYTES);
  readonly #tiles = new Memory<Tile>(TILE_BYTES, ({ bytes }) => bytes.byteLength + ENTRY_BYTES);

  constructor(db: Serving, read: Read) {
    this.#db = db;
    this.#read = read;
  }

  /** A tile of a layer; null: there is no such layer, or not at this zoom. */
  async tile(version: string, name: string, at: TileAddress): Promise<Tile | null> {
    const layer = LAYERS.find((each) => each.name === name);
    if (!layer || at.z < layer.min_zoom || at.z > layer.max_zoom) return null;
    return this.#tiles.get(`${version} ${name} ${at.z}/${at.x}/${at.y}`, async () => {
      const shapes = isRegionLevel(name)
        ? await this.#regions(version, name, at)
        : await this.#onGround(name, at);
      return makeTile(name, shapes, at, layer.max_zoom);
    });
  }

  /** What a layer has on the ground that a tile shows. */
  #onGround(name: string, at: TileAddress): Promise<MapShape[]> {
    const box = tileBox(at);
    return isPlanning(name)
      ? this.#read((client) => planningShapes(client, name, box))
      : boxReader(name)!(this.#db, box);
  }

  async #regions(
    version: string,
    level: Parameters<typeof regionBoxes>[1],
    at: TileAddress,
  ): Promise<MapShape[]> {
    const boxes = await this.#boxes.get(`${version} ${level}`, () => regionBoxes(this.#db, level));
    const shown = tileBox(at);
    const inside = boxes.filter(({ box }) => meets(box, shown));
    const middles = inside.map(({ code, name, box }) =>
      pointShape((box[0] + box[2]) / 2, (box[1] + box[3]) / 2, {
        code,
        name,
        area: level === 'SAL' ? name : code,
      }),
    );
    if (at.z < REGION_ZOOM[level]) return middles;
    const codes = inside.slice(0, MAX_SHAPES).map(({ code }) => code);
    return [...(await regionShapes(this.#db, level, codes)), ...middles];
  }
}

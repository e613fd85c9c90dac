import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { type RegionBox, regionBoxes, regionShapes } from '../../contract/map/region_shapes.ts';
import { rowsByCell } from '../../contract/map/rows_by_cell.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { CHANGE_KINDS } from '../../store/journal/between.ts';
import { interiorPoint } from '../../transforms/geo/interior_point.ts';
import { type MapShape, pointShape } from '../../transforms/geo/map_shape.ts';
import { REGION_ZOOM } from '../../transforms/geo/region_zoom.ts';
import {
  MAX_SHAPES,
  makeTile,
  meets,
  type Tile,
  type TileAddress,
  tileBox,
} from '../../transforms/geo/tile.ts';
import { boxReader, CELLS_FROM, hasPast, isRegionLevel, LAYERS } from './layers.ts';
import type { Between, MapSnapshot, PastViews } from './past_views.ts';
import { isPlanning, planningShapes } from './planning_shapes.ts';

/** Maximum bytes of cached region boxes and tiles. */
const BOX_BYTES = 16e6;
const TILE_BYTES = 64e6;
/** Approximate bytes of an entry in addition to its content. */
const ENTRY_BYTES = 200;

/** Cache bounded by bytes. Concurrent requests for a key share one computation. */
export const cacheOf = <T extends object>(bytes: number, bytesOf: (value: T) => number) =>
  new LRUCache<string, T, () => Promise<T>>({
    maxSize: bytes,
    sizeCalculation: bytesOf,
    fetchMethod: (_key, _stale, { context: make }) => make(),
    ignoreFetchAbort: true,
  });

/** Runs a read on a connection. */
export type ReadRunner = <T>(work: (client: pg.ClientBase) => Promise<T>) => Promise<T>;

const middleOf = ({ box, says }: MapShape): MapShape =>
  pointShape((box[0] + box[2]) / 2, (box[1] + box[3]) / 2, says);

/** Places the label of a region at a point inside it. */
const labelOf = ({ shape, says }: MapShape): MapShape[] =>
  shape.kind === 'polygon' ? [pointShape(...interiorPoint(shape.geometry), says)] : [];

/** Builds tiles from the published tables and caches them by version. */
export class Tiles {
  readonly #db: Serving;
  readonly #runRead: ReadRunner;
  readonly #past: PastViews;
  readonly #boxes = cacheOf<RegionBox[]>(BOX_BYTES, (boxes) => (boxes.length + 1) * ENTRY_BYTES);
  readonly #tiles = cacheOf<Tile>(TILE_BYTES, ({ bytes }) => bytes.byteLength + ENTRY_BYTES);

  constructor(db: Serving, runRead: ReadRunner, past: PastViews) {
    this.#db = db;
    this.#runRead = runRead;
    this.#past = past;
  }

  /**
   * Builds a tile of a layer. Null: no such layer, or no tiles at this zoom. `version` identifies the state that is shown. Differences have
   * tiles at every zoom.
   */
  async tile(
    version: string,
    name: string,
    at: TileAddress,
    moment: MapSnapshot | null,
  ): Promise<Tile | null> {
    const layer = LAYERS.find((each) => each.name === name);
    if (!layer || at.z > layer.max_zoom || (moment !== null && !hasPast(name))) return null;
    if (at.z < layer.min_zoom && moment?.since == null) return null;
    const make = async () =>
      makeTile(name, await this.#shapes(version, name, at, moment), at, layer.max_zoom);
    return this.#tiles.forceFetch(`${version} ${name} ${at.z}/${at.x}/${at.y}`, { context: make });
  }

  /** Reads the shapes of a layer in a tile, of the served or an earlier publication. */
  #shapes(version: string, name: string, at: TileAddress, moment: MapSnapshot | null): Promise<MapShape[]> {
    if (moment === null) {
      if (isPlanning(name)) return this.#runRead((client) => planningShapes(client, name, tileBox(at)));
      return this.#ofTables(this.#db, version, name, at);
    }
    const { publication, since } = moment;
    if (since === null)
      return this.#past.asOf(publication, ({ db }) => this.#ofTables(db, version, name, at));
    return this.#past.between(since, publication, (between) => this.#became(between, version, name, at));
  }

  #ofTables(db: Serving, version: string, name: string, at: TileAddress): Promise<MapShape[]> {
    return isRegionLevel(name) ? this.#regions(db, version, name, at) : boxReader(name)!(db, tileBox(at));
  }

  /** Reads added, removed and changed shapes, each labelled; at small scales their number in each grid cell. */
  async #became({ of }: Between, version: string, name: string, at: TileAddress): Promise<MapShape[]> {
    const layer = LAYERS.find((each) => each.name === name)!;
    const all: MapShape[] = [];
    for (const became of CHANGE_KINDS) {
      const isFar = at.z < CELLS_FROM && !isRegionLevel(name);
      const shapes = isFar
        ? await rowsByCell(of[became], name)
        : await this.#ofTables(of[became], `${version} ${became}`, name, at);
      for (const { says, ...shape } of shapes) {
        const saying = { ...shape, says: { ...says, became } };
        all.push(saying);
        // Shapes smaller than a pixel become points.
        if (at.z < layer.min_zoom && shape.shape.kind !== 'point') all.push(middleOf(saying));
      }
    }
    return all;
  }

  async #regions(
    db: Serving,
    version: string,
    level: Parameters<typeof regionBoxes>[1],
    at: TileAddress,
  ): Promise<MapShape[]> {
    const boxes = await this.#boxes.forceFetch(`${version} ${level}`, {
      context: () => regionBoxes(db, level),
    });
    const bounds = tileBox(at);
    const inside = boxes.filter(({ box }) => meets(box, bounds));
    if (at.z < REGION_ZOOM[level])
      return inside.map(({ code, name, box }) =>
        pointShape((box[0] + box[2]) / 2, (box[1] + box[3]) / 2, {
          code,
          name,
          area: level === 'SAL' ? name : code,
        }),
      );
    const codes = inside.slice(0, MAX_SHAPES).map(({ code }) => code);
    const shapes = await regionShapes(db, level, codes);
    return [...shapes, ...shapes.flatMap(labelOf)];
  }
}

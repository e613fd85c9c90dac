import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { cutTo, type MapShape } from '../../../transforms/geo/map_shape.ts';
import {
  largest,
  MAX_SHAPES,
  MAX_VERTICES,
  makeTile,
  meets,
  type TileAddress,
  tileBox,
  verticesOf,
} from '../../../transforms/geo/tile.ts';
import { ShapeSpool, type TableShape } from './spool.ts';
import { tileId } from './tile_id.ts';

/** A tile of an archive. */
export interface ArchiveTile {
  id: number;
  z: number;
  bytes: Uint8Array;
  left_out: number;
}

export interface PyramidOptions {
  layer: string;
  min_zoom: number;
  max_zoom: number;
  /** Folder for files of what does not fit into memory. */
  folder: string;
  /** Bytes of shapes that the parts of a tile may hold in memory together. */
  inMemory?: number;
}

/** Shapes that are handed down before anything else, a signal to stop say, has its turn. */
const AT_ONCE = 1024;

/** What parts may hold where nothing else is said. */
const IN_MEMORY = 32_000_000;

/** Most zooms that are gone down at once where there are no tiles to make: a shape is handed down once for all of them. */
const MOST_ZOOMS = 3;

/** The parts of a tile so many zooms below, in the order of their numbers. */
function partsOf({ z, x, y }: TileAddress, zooms: number): TileAddress[] {
  const side = 2 ** zooms;
  const parts = Array.from({ length: side * side }, (_, i) => ({
    z: z + zooms,
    x: side * x + (i % side),
    y: side * y + Math.floor(i / side),
  }));
  return parts.sort((a, b) => tileId(a.z, a.x, a.y) - tileId(b.z, b.x, b.y));
}

/** How many zooms below a tile its parts are. */
const zoomsBelow = (z: number, { min_zoom, max_zoom }: PyramidOptions): number =>
  z < min_zoom ? Math.min(MOST_ZOOMS, min_zoom - z) : Math.min(1, max_zoom - z);

/** Candidates for a tile: the largest shapes of those that came, so that memory is bounded. */
class Candidates {
  #shapes: MapShape[] = [];
  #vertices = 0;
  /** How many came. */
  count = 0;

  add(shape: MapShape): void {
    this.#shapes.push(shape);
    this.#vertices += verticesOf(shape);
    this.count++;
    if (this.#shapes.length <= 2 * MAX_SHAPES && this.#vertices <= 2 * MAX_VERTICES) return;
    this.#shapes = largest(this.#shapes, MAX_SHAPES);
    this.#vertices = this.#shapes.reduce((sum, each) => sum + verticesOf(each), 0);
  }

  get shapes(): readonly MapShape[] {
    return this.#shapes;
  }
}

/**
 * All non-empty tiles of some shapes, from the whole world down: each tile passes the clipped shapes to its four parts. Tiles of one
 * zoom come in the order of their numbers, different zooms mixed.
 */
export async function* pyramid(
  spool: ShapeSpool,
  options: PyramidOptions,
  at: TileAddress = { z: 0, x: 0, y: 0 },
): AsyncGenerator<ArchiveTile> {
  const { layer, min_zoom, max_zoom, folder, inMemory = IN_MEMORY } = options;
  const zooms = zoomsBelow(at.z, options);
  const below = (zooms === 0 ? [] : partsOf(at, zooms)).map((part) => ({
    part,
    box: tileBox(part),
    spool: new ShapeSpool(join(folder, `${part.z}-${part.x}-${part.y}`), inMemory / 4 ** zooms),
  }));
  const candidates = new Candidates();
  let taken = 0;
  for (const shape of spool.take()) {
    if (taken++ % AT_ONCE === 0) await setImmediate();
    if (at.z >= min_zoom && at.z >= shape.from) candidates.add(shape);
    for (const { box, spool: own } of below) {
      if (!meets(shape.box, box)) continue;
      const piece = cutTo(shape, box);
      if (piece !== null) own.add({ ...piece, from: shape.from } satisfies TableShape);
    }
  }
  if (candidates.count > 0) {
    const before = candidates.count - candidates.shapes.length;
    const { bytes, drawn, left_out } = makeTile(layer, candidates.shapes, at, max_zoom, before);
    // Where all shapes are smaller than a pixel there is nothing to draw.
    if (drawn > 0) yield { id: tileId(at.z, at.x, at.y), z: at.z, bytes, left_out };
  }
  for (const { part, spool: own } of below) if (!own.isEmpty) yield* pyramid(own, options, part);
}

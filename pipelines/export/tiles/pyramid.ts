import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { cutTo, type MapShape } from '../../../transforms/geo/map_shape.ts';
import {
  largest,
  MAX_SHAPES,
  MAX_TILE_VERTICES,
  makeTile,
  meets,
  type TileAddress,
  tileBox,
  verticesOf,
} from '../../../transforms/geo/tile.ts';
import { ShapeSpool, type TableShape } from './spool.ts';
import { tileId } from './tile_id.ts';

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
  /** Folder for temporary files of shapes that do not fit into memory. */
  folder: string;
  /** Maximum bytes of shapes that the parts of a tile hold in memory together. */
  inMemory?: number;
}

/** Shapes processed before other events, such as a stop signal, get a turn. */
const AT_ONCE = 1024;

/** Default of `inMemory`. */
const IN_MEMORY = 32_000_000;

/** Maximum zooms to descend at once above the first zoom with tiles; a shape is then passed down once for all of them. */
const MOST_ZOOMS = 3;

/** Returns the parts of a tile, `zooms` levels below, in order of their ids. */
function partsOf({ z, x, y }: TileAddress, zooms: number): TileAddress[] {
  const side = 2 ** zooms;
  const parts = Array.from({ length: side * side }, (_, i) => ({
    z: z + zooms,
    x: side * x + (i % side),
    y: side * y + Math.floor(i / side),
  }));
  return parts.sort((a, b) => tileId(a.z, a.x, a.y) - tileId(b.z, b.x, b.y));
}

/** Returns how many zooms below a tile its parts are. */
const zoomsBelow = (z: number, { min_zoom, max_zoom }: PyramidOptions): number =>
  z < min_zoom ? Math.min(MOST_ZOOMS, min_zoom - z) : Math.min(1, max_zoom - z);

/** Candidates for a tile: the largest shapes, to bound memory. */
class Candidates {
  #shapes: MapShape[] = [];
  #vertices = 0;
  /** Number of shapes added. */
  count = 0;

  add(shape: MapShape): void {
    this.#shapes.push(shape);
    this.#vertices += verticesOf(shape);
    this.count++;
    if (this.#shapes.length <= 2 * MAX_SHAPES && this.#vertices <= 2 * MAX_TILE_VERTICES) return;
    this.#shapes = largest(this.#shapes, MAX_SHAPES);
    this.#vertices = this.#shapes.reduce((sum, each) => sum + verticesOf(each), 0);
  }

  get shapes(): readonly MapShape[] {
    return this.#shapes;
  }
}

/**
 * Yields all non-empty tiles of some shapes, from the whole world downwards. Each tile passes clipped shapes to its parts. Tiles of one
 * zoom come in order of their ids; zooms are mixed.
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
  let takenBytes = 0;
  for (const shape of spool.take()) {
    if (takenBytes++ % AT_ONCE === 0) await setImmediate();
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
    // If all shapes are smaller than a pixel, nothing is drawn.
    if (drawn > 0) yield { id: tileId(at.z, at.x, at.y), z: at.z, bytes, left_out };
  }
  for (const { part, spool: own } of below) if (!own.isEmpty) yield* pyramid(own, options, part);
}

import { BLOCK_HEIGHT, BLOCK_WIDTH } from './block.ts';
import { RURAL_HALF_M, type TileSize, TOWN_TILES } from './layout.ts';
import type { Lot } from './lot.ts';
import { densify, type Ring, rectangle, type Shape, simple } from './shape.ts';

/** Edges of rural parcels carry a vertex at least this often, metres. */
const EDGE_M = 2_000;

/** Extent of a town's own land, in its plane. */
export function townReserve(size: TileSize): { x0: number; y0: number; x1: number; y1: number } {
  const [w, h] = [(TOWN_TILES / 2) * size.cols * BLOCK_WIDTH, (TOWN_TILES / 2) * size.rows * BLOCK_HEIGHT];
  return { x0: -w, y0: -h, x1: w, y1: h };
}

/** The rural land around a town: a square with the town's reserve as its hole. */
export function ruralOutline(size: TileSize): Shape {
  const { x0, y0, x1, y1 } = townReserve(size);
  return { rings: [districtRing(), rectangle(x0, y0, x1, y1)], holes: 1 };
}

/** A town and its rural land together. */
export const districtRing = (): Ring =>
  densify(rectangle(-RURAL_HALF_M, -RURAL_HALF_M, RURAL_HALF_M, RURAL_HALF_M), EDGE_M);

/**
 * Eight stations of 20 to 26 km around a town: neighbours share up to 25 km of boundary, and the homestead stands
 * near the boundary on the town's side. Numbers are tens of metres along the road, as rural addresses have them.
 */
export function ruralLots(size: TileSize): Lot[] {
  const town = townReserve(size);
  const xs = [-RURAL_HALF_M, town.x0, town.x1, RURAL_HALF_M];
  const ys = [-RURAL_HALF_M, town.y0, town.y1, RURAL_HALF_M];
  const lots: Lot[] = [];
  for (let n = 0; n < 9; n++) {
    if (n === 4) continue;
    const [i, j] = [n % 3, Math.floor(n / 3)];
    const [x0, x1, y0, y1] = [xs[i]!, xs[i + 1]!, ys[j]!, ys[j + 1]!];
    const anchor = [towards(x0, x1, i), towards(y0, y1, j)] as const;
    lots.push({
      kind: 'rural',
      shape: simple(densify(rectangle(x0, y0, x1, y1), EDGE_M)),
      anchor,
      front: anchor,
      outward: [0, 0],
      street: 0,
      number_first: 1_201 + 212 * lots.length,
      number_last: 0,
      number_suffix: '',
      units: 0,
    });
  }
  return lots;
}

/** A coordinate 900 m from the town's side of an outer strip, or the middle of the strip that faces the town. */
function towards(from: number, to: number, part: number): number {
  if (part === 1) return (from + to) / 2 + 0.37;
  return part === 0 ? to - 900 : from + 900;
}

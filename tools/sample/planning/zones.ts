import type { Block } from '../geography/lot.ts';
import type { SuburbLand } from '../geography/suburb.ts';
import type { Zone } from './states.ts';

/** Rectangle of one zone in a town's plane. */
export interface ZoneRectangle {
  readonly zone: Zone;
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** Cuts a suburb into zones: runs of blocks of the same zone in each column. They tile it, roads to the centre line. */
export function zoneRectangles(land: SuburbLand, zoneOf: (block: Block) => Zone): ZoneRectangle[] {
  const cols = Math.max(...land.blocks.map(({ col }) => col)) + 1;
  const out: ZoneRectangle[] = [];
  for (let col = 0; col < cols; col++) {
    let open: { -readonly [K in keyof ZoneRectangle]: ZoneRectangle[K] } | null = null;
    for (let n = col; n < land.blocks.length; n += cols) {
      const block = land.blocks[n]!;
      const zone = zoneOf(block);
      if (open !== null && open.zone[0] === zone[0]) {
        open.y1 = block.y1;
        continue;
      }
      open = { zone, x0: block.x0, y0: block.y0, x1: block.x1, y1: block.y1 };
      out.push(open);
    }
  }
  return out;
}

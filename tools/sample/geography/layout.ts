import { BLOCK_HEIGHT, BLOCK_WIDTH } from './block.ts';
import { STATES } from './places.ts';

/** Size of a suburb in blocks, the same all over one country. */
export interface TileSize {
  readonly cols: number;
  readonly rows: number;
}

/** Tiles on a side of a country town; its reserve ends there and rural land begins. */
export const TOWN_TILES = 4;
/** Half the side of the square of rural land around a town, and of a capital region, metres. */
export const RURAL_HALF_M = 26_000;
/** Tiles from the origin to the edge of a capital region, on each side. */
export const CAPITAL_TILES = 24;

const BLOCKS_FULL = 55;
const ADDRESSES_PER_BLOCK = 24;

/** About 1,300 properties a suburb; fewer in a small country, which still has about twelve suburbs. */
export function tileSize(properties: number): TileSize {
  const wanted = properties / 12 / ADDRESSES_PER_BLOCK;
  const blocks = Math.min(BLOCKS_FULL, Math.max(6, Math.round(wanted)));
  const cols = Math.min(5, Math.max(2, Math.round(Math.sqrt(blocks * 0.45))));
  return { cols, rows: Math.ceil(blocks / cols) };
}

/** Properties of each state, in the order of STATES; they add up to `properties`, and no state goes without. */
export function stateQuotas(properties: number): number[] {
  const least = Math.min(600, Math.floor(properties / 16));
  const quotas = STATES.map(({ share }) => Math.max(least, Math.floor(properties * share)));
  quotas[0] = quotas[0]! + properties - quotas.reduce((sum, quota) => sum + quota, 0);
  return quotas;
}

/** Tile (column, row) number `n` of a spiral around the origin. */
export function spiral(n: number): [number, number] {
  if (n === 0) return [0, 0];
  const ring = Math.ceil((Math.sqrt(n + 1) - 1) / 2);
  const side = 2 * ring;
  const k = n - (side - 1) ** 2;
  const along = k % side;
  switch (Math.floor(k / side)) {
    case 0:
      return [ring, -ring + 1 + along];
    case 1:
      return [ring - 1 - along, ring];
    case 2:
      return [-ring, ring - 1 - along];
    default:
      return [-ring + 1 + along, -ring];
  }
}

/** Where suburb number `k` of a state lies: `town` -1 is the capital. */
export interface Site {
  readonly town: number;
  readonly i: number;
  readonly j: number;
}

/** Every fourth suburb lies in a country town, until the towns are full. */
export function siteOf(k: number, towns: number): Site {
  const turn = Math.floor(k / 4);
  const room = towns * TOWN_TILES * TOWN_TILES;
  if (k % 4 === 1 && turn < room) {
    const n = Math.floor(turn / towns);
    return {
      town: turn % towns,
      i: (n % TOWN_TILES) - TOWN_TILES / 2,
      j: Math.floor(n / TOWN_TILES) - TOWN_TILES / 2,
    };
  }
  const inTowns = Math.min(room, Math.floor((k + 2) / 4));
  const [i, j] = spiral(k - inTowns);
  if (Math.max(Math.abs(i), Math.abs(j)) >= CAPITAL_TILES) {
    throw new RangeError(
      `the sample country has no room for suburb ${k} of a state: ask for fewer properties`,
    );
  }
  return { town: -1, i, j };
}

/** South-west corner of a tile in its town's plane. */
export const tileCorner = (size: TileSize, i: number, j: number): [number, number] => [
  i * size.cols * BLOCK_WIDTH,
  j * size.rows * BLOCK_HEIGHT,
];

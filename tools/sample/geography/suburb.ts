import { type Random, seededRandom } from '../random.ts';
import { BLOCK_HEIGHT, BLOCK_WIDTH, buildBlock } from './block.ts';
import type { Site, TileSize } from './layout.ts';
import { tileCorner } from './layout.ts';
import { type Block, type BlockUse, StreetNumbers } from './lot.ts';
import { STREET_NAMES, streetName } from './words.ts';

/** A street within a suburb, with a point on its centre line. */
export interface SuburbStreet {
  readonly name: string;
  /** STREET_TYPE_AUT code (long form); null: the name says it all. */
  readonly type: string | null;
  /** STREET_SUFFIX_AUT code. */
  readonly suffix: string | null;
  readonly point: readonly [number, number];
  /** Block (column, row) that holds the point. */
  readonly block: readonly [number, number];
  /** Confirmed streets have a point. */
  readonly confirmed: boolean;
}

/** The land of one suburb. */
export interface SuburbLand {
  readonly site: Site;
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
  /** Row by row from the south-west. */
  readonly blocks: Block[];
  readonly streets: SuburbStreet[];
}

const TYPES = [
  'STREET',
  'STREET',
  'STREET',
  'ROAD',
  'AVENUE',
  'STREET',
  'PARADE',
  'DRIVE',
  'LANE',
  'CRESCENT',
  'TERRACE',
  'WAY',
  'BOULEVARD',
];
const COURT_TYPES = ['COURT', 'CLOSE', 'PLACE', 'GROVE'];
const SUFFIXES = ['N', 'S', 'E', 'W', 'EX'];
const FRONTAGES = [12, 14, 16, 16, 18, 22];

/** The first blocks show one of everything; the others are drawn. */
const FEATURED: readonly BlockUse[] = ['residential', 'residential', 'park', 'shops', 'dense', 'residential'];

function drawUse(random: Random): BlockUse {
  const draw = random.next();
  if (draw < 0.05) return 'park';
  if (draw < 0.09) return 'shops';
  if (draw < 0.12) return 'industrial';
  if (draw < 0.135) return 'school';
  if (draw < 0.175) return 'dense';
  return 'residential';
}

/** Lays out a suburb; depends on seed and key alone. */
export function buildSuburb(seed: number, key: string, site: Site, size: TileSize): SuburbLand {
  const random = seededRandom(seed, `suburb ${key}`);
  const [x0, y0] = tileCorner(size, site.i, site.j);
  const land: SuburbLand = {
    site,
    x0,
    y0,
    x1: x0 + size.cols * BLOCK_WIDTH,
    y1: y0 + size.rows * BLOCK_HEIGHT,
    blocks: [],
    streets: [],
  };
  const firstName = random.int(STREET_NAMES);
  for (let row = 0; row <= size.rows; row++)
    land.streets.push(throughStreet(land, size, row, firstName + row, random));
  const numbers = new StreetNumbers();
  const frontage = random.pick(FRONTAGES);
  for (let n = 0; n < size.cols * size.rows; n++) {
    const col = n % size.cols;
    const row = Math.floor(n / size.cols);
    const use = FEATURED[n] ?? drawUse(random);
    const court = n === 1 || (n > 5 && use === 'residential' && random.chance(0.25));
    const [bx, by] = [x0 + col * BLOCK_WIDTH, y0 + row * BLOCK_HEIGHT];
    const streets = { south: row, north: row + 1, court: court ? land.streets.length : -1 };
    if (court) land.streets.push(courtStreet(bx, by, col, row, firstName + land.streets.length, random));
    const request = { col, row, x0: bx, y0: by, use, court, featured: n === 0, frontage, streets };
    land.blocks.push(buildBlock(request, random, numbers));
  }
  for (let col = 0; col <= size.cols; col++)
    land.streets.push(crossStreet(land, col, firstName + land.streets.length));
  return land;
}

function throughStreet(
  land: SuburbLand,
  size: TileSize,
  row: number,
  name: number,
  random: Random,
): SuburbStreet {
  const inside = Math.min(row, size.rows - 1);
  // one metre into the block: its centre line is the border between two mesh blocks
  const y = row === size.rows ? land.y1 - 1 : land.y0 + row * BLOCK_HEIGHT + 1;
  const typeless = random.chance(0.02);
  return {
    name: typeless ? `THE ${streetName(name)}` : streetName(name),
    type: typeless ? null : random.pick(TYPES),
    suffix: random.chance(0.04) ? random.pick(SUFFIXES) : null,
    point: [land.x0 + BLOCK_WIDTH / 2, y],
    block: [0, inside],
    confirmed: true,
  };
}

function courtStreet(
  x0: number,
  y0: number,
  col: number,
  row: number,
  name: number,
  random: Random,
): SuburbStreet {
  const point = [x0 + BLOCK_WIDTH / 2, y0 + 14] as const;
  return {
    name: streetName(name),
    type: random.pick(COURT_TYPES),
    suffix: null,
    point,
    block: [col, row],
    confirmed: true,
  };
}

/** Streets across the rows: no lot fronts them, so no address and no point. */
function crossStreet(land: SuburbLand, col: number, name: number): SuburbStreet {
  const point = [land.x0 + col * BLOCK_WIDTH, land.y0] as const;
  return { name: streetName(name), type: 'STREET', suffix: null, point, block: [0, 0], confirmed: false };
}

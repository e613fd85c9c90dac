import type { Random } from '../random.ts';
import type { Block, BlockUse, Lot, LotKind, StreetNumbers } from './lot.ts';
import { buildRow, divide, snap } from './row.ts';
import { rectangle, simple } from './shape.ts';

/** Size of a block between road centre lines, and half the width of the roads along and across it, metres. */
export const BLOCK_WIDTH = 212;
export const BLOCK_HEIGHT = 92;
const HALF_ROAD_ALONG = 10;
const HALF_ROAD_ACROSS = 9;

/** The head of a court: half the width of its stub, how far that reaches, and the radius of the turning circle. */
const COURT = { half_width: 7, stub: 17, radius: 11, reach: 40 } as const;

/** What the rows of a featured block begin with; both fit the widest frontage. */
const FEATURED: { readonly south: readonly LotKind[]; readonly north: readonly LotKind[] } = {
  south: ['half', 'battle_axe_rear', 'tower'],
  north: ['multipart', 'around', 'duplex'],
};

export interface BlockRequest {
  readonly col: number;
  readonly row: number;
  /** South-west corner, on road centre lines. */
  readonly x0: number;
  readonly y0: number;
  readonly use: BlockUse;
  readonly court: boolean;
  /** Shows one of every pattern. */
  readonly featured: boolean;
  readonly frontage: number;
  /** Streets along its south and north side, and its own court. */
  readonly streets: { readonly south: number; readonly north: number; readonly court: number };
}

/** Lays out the lots of one block. */
export function buildBlock(request: BlockRequest, random: Random, numbers: StreetNumbers): Block {
  const { col, row, x0, y0, use } = request;
  const block: Block = { col, row, use, x0, y0, x1: x0 + BLOCK_WIDTH, y1: y0 + BLOCK_HEIGHT, lots: [] };
  const land = {
    west: x0 + HALF_ROAD_ACROSS,
    east: block.x1 - HALF_ROAD_ACROSS,
    south: y0 + HALF_ROAD_ALONG,
    north: block.y1 - HALF_ROAD_ALONG,
  };
  if (use === 'park' || use === 'school') block.lots.push(wholeBlock(land, request, numbers));
  else if (request.court) courtBlock(land, request, random, numbers, block.lots);
  else gridBlock(land, request, random, numbers, block.lots);
  return block;
}

interface Land {
  readonly west: number;
  readonly east: number;
  readonly south: number;
  readonly north: number;
}

function wholeBlock(land: Land, request: BlockRequest, numbers: StreetNumbers): Lot {
  const park = request.use === 'park';
  const street = park ? -1 : request.streets.south;
  const x = (land.west + land.east) / 2;
  return {
    kind: park ? 'reserve' : 'school',
    shape: simple(rectangle(land.west, land.south, land.east, land.north)),
    anchor: [x, (land.south + land.north) / 2],
    front: [x, land.south],
    outward: [0, -1],
    street,
    number_first: park ? 0 : numbers.take(street, true, 6),
    number_last: 0,
    number_suffix: '',
    units: 0,
  };
}

/** Two rows back to back: divisions alike (four lots meet in a point), or not, with or without nodes in each other's rear. */
function gridBlock(
  land: Land,
  request: BlockRequest,
  random: Random,
  numbers: StreetNumbers,
  lots: Lot[],
): void {
  const { use, featured, frontage, streets } = request;
  const middle = (land.south + land.north) / 2;
  const southDividers = divide(land.west, land.east, frontage, random);
  const aligned = random.chance(0.4);
  const northFrontage = frontage * (0.85 + 0.3 * random.next());
  const northDividers = aligned
    ? southDividers
    : snap(divide(land.west, land.east, northFrontage, random), southDividers);
  const shared = { rear: middle, noded: random.chance(0.5), use };
  const south = {
    ...shared,
    front: land.south,
    street: streets.south,
    featured: featured ? FEATURED.south : [],
  };
  const north = {
    ...shared,
    front: land.north,
    street: streets.north,
    featured: featured ? FEATURED.north : [],
  };
  buildRow({ ...south, dividers: southDividers, behind: northDividers }, random, numbers, lots);
  buildRow({ ...north, dividers: northDividers, behind: southDividers }, random, numbers, lots);
}

/** A cul-de-sac from the south between two short rows; a full row on the north side closes it. */
function courtBlock(
  land: Land,
  request: BlockRequest,
  random: Random,
  numbers: StreetNumbers,
  lots: Lot[],
): void {
  const { use, frontage, streets } = request;
  const centre = (land.west + land.east) / 2;
  const west = divide(land.west, centre - COURT.reach, frontage, random);
  const east = divide(centre + COURT.reach, land.east, frontage, random);
  const behind = [...west, centre, ...east];
  const dividers = snap(divide(land.west, land.east, frontage, random), behind);
  const shared = { rear: land.south + COURT.reach, noded: false, use, featured: [] };
  const south = { ...shared, front: land.south, street: streets.south, behind: dividers };
  buildRow({ ...south, dividers: west }, random, numbers, lots);
  for (const side of [-1, 1] as const) {
    lots.push(...courtSide(centre, land.south, side, streets.court, numbers));
  }
  buildRow({ ...south, dividers: east }, random, numbers, lots);
  const north = { ...shared, front: land.north, street: streets.north, behind };
  buildRow({ ...north, dividers }, random, numbers, lots);
}

/** The corner lot and the lot at the head of the court, west (-1) or east (1) of it; the two heads meet behind the circle. */
function courtSide(
  centre: number,
  south: number,
  side: -1 | 1,
  street: number,
  numbers: StreetNumbers,
): Lot[] {
  const { half_width, stub, radius, reach } = COURT;
  const edge = centre + side * half_width;
  const outer = centre + side * reach;
  const y = south + stub;
  const circle = y + Math.sqrt(radius * radius - half_width * half_width);
  const from = Math.atan2(y - circle, half_width);
  const head = [outer, y, edge, y];
  for (let k = 1; k <= 8; k++) {
    const angle = from + ((Math.PI / 2 - from) * k) / 8;
    const x = k === 8 ? centre : centre + side * radius * Math.cos(angle);
    head.push(x, circle + radius * Math.sin(angle));
  }
  head.push(centre, south + reach, outer, south + reach);
  const base = { kind: 'court' as const, street, number_last: 0, number_suffix: '', units: 0 };
  const x = centre + side * (half_width + reach) * 0.5;
  const west = side === -1;
  return [
    {
      ...base,
      shape: simple(rectangle(edge, south, outer, y)),
      anchor: [x, south + stub / 2],
      front: [edge, south + stub / 2],
      outward: [-side, 0],
      number_first: numbers.take(street, west, 1),
    },
    {
      ...base,
      shape: simple(head),
      anchor: [x + side * 4, south + (stub + reach) / 2],
      front: [centre + side * radius, circle],
      outward: [-side, 0],
      number_first: numbers.take(street, west, 1),
    },
  ];
}

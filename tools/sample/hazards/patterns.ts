import { BLOCK_HEIGHT } from '../geography/block.ts';
import type { TileSize } from '../geography/layout.ts';
import { RURAL_HALF_M } from '../geography/layout.ts';
import type { Block, BlockUse } from '../geography/lot.ts';
import { ruralOutline } from '../geography/rural.ts';
import { type Ring, rectangle, type Shape, simple } from '../geography/shape.ts';
import type { SuburbLand } from '../geography/suburb.ts';

/**
 * What the made-up world holds of hazards and planning controls; states publish it in their own words, or not at all.
 * creek: a band through a suburb and beyond, with an island in it; floodway: its middle; old_flood: wider than the creek.
 * forest: two stands, one feature; forest_edge: the ground around them, with the stands as its holes; bush: the land around a
 * country town, which spans many cells. slip, shore: at the edges of a suburb. shops, dense, industrial: blocks of that use.
 */
export const PATTERNS = [
  'creek',
  'floodway',
  'old_flood',
  'forest',
  'forest_edge',
  'bush',
  'slip',
  'shore',
  'shops',
  'dense',
  'industrial',
] as const;
export type Pattern = (typeof PATTERNS)[number];

/** One feature of the world; a block stands for all parcels in it, which the feature covers wholly. */
export interface WorldFeature {
  readonly pattern: Pattern;
  readonly shape: Shape;
  readonly block: Block | null;
}

/** Metres between the vertices of a creek, how far it winds, and how far it goes beyond its suburb. */
const CREEK = { step: 53, swing: 25, beyond: 120 } as const;
const BLOCK_PATTERNS: Readonly<Partial<Record<BlockUse, Pattern>>> = {
  shops: 'shops',
  dense: 'dense',
  industrial: 'industrial',
};

/** A band along a winding line from west to east, from `half` south of it to `half` north. */
function band(land: SuburbLand, half: number): number[] {
  const middle = land.y0 + (land.y1 - land.y0) * 0.37;
  const south: number[] = [];
  const north: number[] = [];
  for (let x = land.x0 - CREEK.beyond; x <= land.x1 + CREEK.beyond; x += CREEK.step) {
    const y = middle + CREEK.swing * Math.sin(x / 90);
    south.push(x, y - half);
    north.unshift(x, y + half);
  }
  return [...south, ...north];
}

function island(land: SuburbLand): Ring {
  const x = land.x0 + CREEK.step * 2.5;
  const y = land.y0 + (land.y1 - land.y0) * 0.37 + CREEK.swing * Math.sin(x / 90);
  return [x - 9, y, x, y - 6, x + 9, y, x, y + 6];
}

/** All features of a suburb: those across it, then those of its blocks in their order. */
export function suburbFeatures(land: SuburbLand): WorldFeature[] {
  const { x0, y0, x1, y1 } = land;
  const height = y1 - y0;
  const stands = [
    rectangle(x1 - 150, y0 + 20, x1 - 40, y0 + height * 0.3),
    rectangle(x1 - 130, y0 + height * 0.6, x1 - 30, y1 - 20),
  ];
  const across: [Pattern, Shape][] = [
    ['creek', { rings: [band(land, 30), island(land)], holes: 1 }],
    ['floodway', simple(band(land, 12))],
    ['old_flood', simple(band(land, 55))],
    ['forest', { rings: stands, holes: 0 }],
    [
      'forest_edge',
      { rings: [rectangle(x1 - 250, y0 - 80, x1 + 60, y1 + 80), ...stands], holes: stands.length },
    ],
    ['slip', simple([x0 - 30, y0 - 30, x0 + 75, y0 - 30, x0 - 30, y0 + BLOCK_HEIGHT])],
    ['shore', simple(rectangle(x0 - 200, y1 - 14, x1 + 200, y1 + 90))],
  ];
  const blocks = land.blocks.flatMap((block): WorldFeature[] => {
    const pattern = BLOCK_PATTERNS[block.use];
    if (pattern === undefined) return [];
    return [{ pattern, shape: simple(rectangle(block.x0, block.y0, block.x1, block.y1)), block }];
  });
  return [...across.map(([pattern, shape]) => ({ pattern, shape, block: null })), ...blocks];
}

/** The features of the land around a country town. */
export const ruralFeatures = (size: TileSize): WorldFeature[] => [
  { pattern: 'bush', shape: ruralOutline(size), block: null },
];

/** Open lines of a power line past a country town: two circuits, the second on its own towers. */
export const powerLines = (): Ring[] => [
  [-RURAL_HALF_M, 3100, -9000, 2200, 400, 1900, 12_000, -2400, RURAL_HALF_M, -2900],
  [-9000, 2200, -7000, -9000, -6500, -RURAL_HALF_M],
];

/** Places without mobile coverage around a country town. */
export const blackSpots = (): Ring[] => [
  [15_300, 8100],
  [-18_200, -4400],
  [2100, -21_700],
];

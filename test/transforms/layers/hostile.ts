import type { Random } from '../../../tools/sample/random.ts';
import type { MultiPolygon } from '../../../transforms/geo/geometry.ts';
import { cutIntoCells, cutLinesIntoCells } from '../../../transforms/geo/pieces.ts';
import { metresPerDegreeLat, metresPerDegreeLon } from '../../../transforms/geo/plane.ts';
import type { AnyGeometry } from '../../../transforms/geo/wkb.ts';
import type { LayerPiece } from '../../../transforms/layers/layer_piece.ts';
import { multiPolygon, type Polygons, rectangle } from '../shapes.ts';

/** The corner of four grid cells around which everything is laid out. */
export const CENTRE = [145, -37.8] as const;

/** Longitudes around which shapes are laid out: beside CENTRE two seams of MGA zones, all corners of grid cells. */
export const SEAMS = [CENTRE[0], 144, 150];

/** A shape so many degrees further east; in metres it is the same. */
export const moved = <T extends { readonly coords: Float64Array }>(shape: T, east: number): T => ({
  ...shape,
  coords: shape.coords.map((value, i) => (i % 2 === 0 ? value + east : value)),
});

type Ring = [number, number][];

const MX = metresPerDegreeLon(CENTRE[1]);
const MY = metresPerDegreeLat(CENTRE[1]);

/** Polygons laid out in metres from the corner, in degrees. */
export const placed = (polygons: Polygons): MultiPolygon =>
  multiPolygon(polygons, (x, y) => [CENTRE[0] + x / MX, CENTRE[1] + y / MY]);

/** A star-shaped ring around (x, y) with radii from `inner` to `outer` metres. */
function star(random: Random, x: number, y: number, inner: number, outer: number, n: number): Ring {
  const ring: Ring = [];
  for (let i = 0; i < n; i++) {
    const angle = ((i + 0.123) * 2 * Math.PI) / n;
    const r = inner + (outer - inner) * random.next();
    ring.push([x + r * Math.cos(angle), y + r * Math.sin(angle)]);
  }
  return [...ring, ring[0]!];
}

/** A star with up to two holes, and sometimes a second part and a third in a hole. */
export function starParts(random: Random, x: number, y: number, size: number): Ring[][] {
  const shell = star(random, x, y, size * 0.6, size, 4 + random.int(20));
  const parts: Ring[][] = [[shell]];
  if (random.chance(0.5)) {
    parts[0]!.push(star(random, x - size * 0.12, y, size * 0.05, size * 0.1, 3 + random.int(6)).reverse());
    if (random.chance(0.5)) parts.push([star(random, x - size * 0.12, y, size * 0.01, size * 0.02, 5)]);
  }
  if (random.chance(0.3)) parts[0]!.push(star(random, x + size * 0.12, y, size * 0.02, size * 0.1, 7));
  if (random.chance(0.3)) parts.push([star(random, x + size * 2.3, y, size * 0.1, size, 9)]);
  return parts;
}

/** A thin triangle, 1 to 10 cm wide. */
function sliver(random: Random, x: number, y: number): Ring {
  const angle = random.next() * 6.3;
  const length = 20 + random.next() * 400;
  const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
  const w = 0.01 + random.next() * 0.09;
  return [
    [x, y],
    [x + dx * length, y + dy * length],
    [x - dy * w, y + dx * w],
    [x, y],
  ];
}

const spread = (random: Random, size: number): number => (random.next() * 2 - 1) * size;

/** One feature of a layer of areas: of any size and shape that is published. */
export function areaFeature(random: Random): MultiPolygon {
  const x = spread(random, 1500);
  const y = spread(random, 1500);
  switch (random.int(9)) {
    case 0:
      return placed([[sliver(random, x, y)]]);
    case 1:
      return placed(starParts(random, x, y, 1000 + random.next() * 6000));
    case 2: {
      // edges hundreds of kilometres long
      const far = 100_000 + random.next() * 200_000;
      const from = y + spread(random, 800);
      return placed([
        [
          [
            [x - far, from - far * 0.3],
            [x + far, from + far * 0.3],
            [x + far, from + far * 0.8],
            [x - far, from - far * 0.3],
          ],
        ],
      ]);
    }
    case 3: {
      // exactly on the borders of cells
      const west = CENTRE[0] - 0.05 * random.int(2);
      return multiPolygon([
        [rectangle(west, CENTRE[1] - 0.05 * random.int(2), west + 0.05, CENTRE[1] + 0.05)],
      ]);
    }
    case 4:
      // all around, with a hole
      return placed([[star(random, x, y, 20_000, 60_000, 40), star(random, x, y, 100, 900, 12)]]);
    case 5:
      return placed([[rectangle(x, y, x + 60 + random.int(3) * 60, y + 120)]]);
    default:
      return placed(starParts(random, x, y, 10 + random.next() * 300));
  }
}

/** A feature of any kind. */
export function anyFeature(random: Random): AnyGeometry {
  const x = spread(random, 1500);
  const y = spread(random, 1500);
  if (random.chance(0.5)) return { kind: 'polygon', geometry: areaFeature(random) };
  if (random.chance(0.5)) {
    const points = Array.from({ length: 1 + random.int(3) }, () => [
      CENTRE[0] + spread(random, 1500) / MX,
      CENTRE[1] + spread(random, 1500) / MY,
    ]);
    return { kind: 'point', geometry: { coords: Float64Array.from(points.flat()) } };
  }
  const far = random.chance(0.3) ? 200_000 : 600;
  const vertices: number[] = [];
  const n = 2 + random.int(5);
  for (let i = 0; i < n; i++) {
    vertices.push(CENTRE[0] + (x + far * (i / n - 0.5)) / MX, CENTRE[1] + (y + spread(random, far / 5)) / MY);
  }
  return { kind: 'line', geometry: { coords: Float64Array.from(vertices), lineEnds: [n] } };
}

/** A parcel: lots, strips, several parts, a hole, T-junctions, a large station. */
export function parcelShape(random: Random): MultiPolygon {
  const x = spread(random, 1200);
  const y = spread(random, 1200);
  switch (random.int(8)) {
    case 0:
      return placed([[sliver(random, x, y)]]);
    case 1:
      return placed([[rectangle(x, y, x + 15, y + 40)], [rectangle(x + 300, y + 50, x + 320, y + 90)]]);
    case 2:
      return placed(starParts(random, x, y, 500 + random.next() * 2500));
    case 3:
      // across the corner of the four cells
      return placed([[star(random, 0, 0, 10, 90, 9)]]);
    case 4:
      return placed([
        [
          [
            [x, y],
            [x, y + 10],
            [x, y + 30],
            [x + 7, y + 30],
            [x + 15, y + 30],
            [x + 15, y],
            [x, y],
          ],
        ],
      ]);
    default:
      return placed(starParts(random, x, y, 10 + random.next() * 40));
  }
}

/** Features as they come from a table: cut into grid cells. */
export function asPieces(features: readonly AnyGeometry[]): LayerPiece[] {
  return features.flatMap((each, feature): LayerPiece[] => {
    if (each.kind === 'polygon')
      return [...cutIntoCells(each.geometry)].map((piece) => ({ ...piece, kind: 'polygon', feature }));
    if (each.kind === 'line')
      return [...cutLinesIntoCells(each.geometry)].map((piece) => ({ ...piece, kind: 'line', feature }));
    return [{ ...each, feature, cell: -1 }];
  });
}

export function shuffled<T>(random: Random, list: readonly T[]): T[] {
  const out = [...list];
  for (let i = out.length - 1; i > 0; i--) {
    const j = random.int(i + 1);
    [out[i], out[j]] = [out[j]!, out[i]!];
  }
  return out;
}

/** A ring of 90,000 vertices around the corner of four cells, 1.2 to 1.8 km off. */
export function wavyRing(): MultiPolygon {
  const n = 90_000;
  return placed([
    [
      Array.from({ length: n + 1 }, (_, i): [number, number] => {
        const angle = ((i % n) / n) * 2 * Math.PI;
        const r = 1500 * (1 + 0.2 * Math.sin(angle * 37) + 0.002 * Math.sin(angle * 4001));
        return [r * Math.cos(angle), r * Math.sin(angle)];
      }),
    ],
  ]);
}

/** Features that are not cut. */
export const uncut = (features: readonly AnyGeometry[]): LayerPiece[] =>
  features.map((each, feature) => ({ ...each, feature, cell: -1 }));

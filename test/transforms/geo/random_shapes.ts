import fc from 'fast-check';

type Ring = [number, number][];

/** A closed ring around (x, y), star-shaped and mostly concave: radii between `inner` and `outer`, counter-clockwise. */
export function starRing(x: number, y: number, inner: number, outer: number): fc.Arbitrary<Ring> {
  const radius = fc.integer({ min: 0, max: 1_000_000 }).map((n) => inner + ((outer - inner) * n) / 1_000_000);
  return fc.array(radius, { minLength: 3, maxLength: 24 }).map((radii) => {
    const ring = radii.map((r, i): [number, number] => {
      const angle = ((i + 0.123) * 2 * Math.PI) / radii.length;
      return [x + r * Math.cos(angle), y + r * Math.sin(angle)];
    });
    return [...ring, ring[0]!];
  });
}

/** Two parts, the first with up to two holes, of a size of about `size` around (x, y). */
export function starPolygons(x: number, y: number, size: number): fc.Arbitrary<Ring[][]> {
  return fc
    .tuple(
      starRing(x, y, size * 0.6, size),
      // a star of three points reaches half of its smallest radius
      starRing(x - size * 0.12, y, size * 0.02, size * 0.1),
      starRing(x + size * 0.12, y, size * 0.02, size * 0.1),
      starRing(x + size * 2.5, y + size * 0.4, size * 0.1, size),
      fc.nat(2),
    )
    .map(([shell, hole, otherHole, part, holes]) => [[shell, ...[hole, otherHole].slice(0, holes)], [part]]);
}

/** A point of the square of half width `size` around (x, y), never on a vertex of a star. */
export function pointNear(x: number, y: number, size: number): fc.Arbitrary<[number, number]> {
  const offset = fc.integer({ min: -9_999_991, max: 9_999_991 }).map((n) => (n * size) / 9_999_991.7);
  return fc.tuple(offset, offset).map(([dx, dy]) => [x + dx, y + dy]);
}

/** A mesh of triangles that share all inner edges: n × n jittered squares, each cut in two, in the box from (x, y). */
export function triangleMesh(
  x: number,
  y: number,
  width: number,
  n: number,
  jitter: readonly number[],
): Ring[] {
  const vertex = (i: number, j: number): [number, number] => {
    const k = (i * (n + 1) + j) * 2;
    const move = (m: number): number => ((jitter[m % jitter.length] ?? 0) - 0.5) * 0.4;
    const inner = i > 0 && j > 0 && i < n && j < n ? 1 : 0;
    return [x + ((i + inner * move(k)) * width) / n, y + ((j + inner * move(k + 1)) * width) / n];
  };
  const triangles: Ring[] = [];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const [a, b, c, d] = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
      // of either winding
      triangles.push([a, b, c, a], (i + j) % 2 ? [a, c, d, a] : [a, d, c, a]);
    }
  }
  return triangles;
}

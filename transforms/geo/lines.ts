import type { MultiLine, MultiPoint } from './geometry.ts';
import { badVertex, type ShapeReject, tooManyVertices } from './rings.ts';

/** Lines of one feature, or the reason why they are rejected. */
export type AssembledLines = { geometry: MultiLine; reject?: undefined } | ShapeReject;

/** Points of one feature, or the reason why they are rejected. */
export type AssembledPoints = { geometry: MultiPoint; reject?: undefined } | ShapeReject;

/**
 * Assembles the lines of one feature without repeated vertices; coordinates are GDA2020 degrees, `lineEnds` counts vertices. Lines
 * of zero length are left out. Rejects: `too_many_vertices`, `bad_coordinate`, `outside_australia`, `zero_length` (no line is
 * left).
 */
export function assembleLines(coords: Float64Array, lineEnds: readonly number[]): AssembledLines {
  const n = lineEnds.at(-1) ?? 0;
  const bad = tooManyVertices(n) ?? badVertex(coords.subarray(0, n * 2));
  if (bad) return bad;
  const out = new Float64Array(n * 2);
  const ends: number[] = [];
  let at = 0;
  let from = 0;
  for (const end of lineEnds) {
    const start = at;
    for (let i = from * 2; i < end * 2; i += 2) {
      if (at > start && out[at - 2] === coords[i] && out[at - 1] === coords[i + 1]) continue;
      out[at++] = coords[i]!;
      out[at++] = coords[i + 1]!;
    }
    if (at - start >= 4) ends.push(at / 2);
    else at = start;
    from = end;
  }
  if (ends.length === 0) return { reject: { code: 'zero_length', message: 'the lines have no length.' } };
  return { geometry: { coords: out.slice(0, at), lineEnds: ends } };
}

/**
 * Assembles the points of one feature, including repeated ones; coordinates are GDA2020 degrees. Rejects: `too_many_vertices`,
 * `bad_coordinate`, `outside_australia`.
 */
export function assemblePoints(coords: Float64Array): AssembledPoints {
  return tooManyVertices(coords.length / 2) ?? badVertex(coords) ?? { geometry: { coords } };
}

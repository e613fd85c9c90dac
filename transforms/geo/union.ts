import { bboxOf, joinPolygons, type MultiPolygon, polygonsOf } from './geometry.ts';
import { assembleParts } from './polygon_parts.ts';

function someMeet(parts: readonly MultiPolygon[]): boolean {
  const boxes = parts.map(({ coords }) => bboxOf(coords)).sort((a, b) => a[0] - b[0]);
  return boxes.some(([, south, east, north], i) => {
    for (let k = i + 1; k < boxes.length && boxes[k]![0] <= east; k++)
      if (boxes[k]![1] <= north && boxes[k]![3] >= south) return true;
    return false;
  });
}

/**
 * Returns the union of several polygons. Repeated parts count once; separate parts are unchanged to the last digit. Null: the parts overlap
 * and cannot be united in bounded time, so overlaps would count twice.
 */
export function unionOf(parts: readonly MultiPolygon[]): MultiPolygon | null {
  const distinct = [...new Map(parts.map((part) => [part.coords.join(), part])).values()];
  if (distinct.length === 1) return distinct[0]!;
  const union = joinPolygons(distinct.flatMap(polygonsOf));
  if (!someMeet(distinct)) return union;
  const { coords, ringEnds, polygonEnds } = union;
  return assembleParts(coords, ringEnds, polygonEnds).geometry ?? null;
}

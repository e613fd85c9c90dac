import type { Bbox } from '../../../schema/grid.ts';
import { bboxOf } from '../../../transforms/geo/geometry.ts';
import { assembleLines, assemblePoints } from '../../../transforms/geo/lines.ts';
import { assembleParts } from '../../../transforms/geo/polygon_parts.ts';
import { assemblePolygons, badVertex } from '../../../transforms/geo/rings.ts';
import type { Family, Problem, Shape } from '../feature.ts';

const NONE: Shape = { kind: 'none' };

export const rejectedShape = (code: string, message: string): Shape => ({
  kind: 'reject',
  reject: { code, message },
});

const rejected = (reject: Problem, coords: Float64Array): Shape => {
  const extent = knownExtent(coords);
  return { kind: 'reject', reject: extent === undefined ? reject : { ...reject, extent } };
};

/** Returns the box around flat GDA2020 coordinates; undefined: a vertex is outside Australia, so the location is unknown. */
export function knownExtent(coords: Float64Array): Bbox | undefined {
  return coords.length === 0 || badVertex(coords) !== null ? undefined : bboxOf(coords);
}

/** Returns the box around a shape; undefined: unknown. */
export function extentOf(shape: Shape): Bbox | undefined {
  if (shape.kind === 'reject') return shape.reject.extent;
  return shape.kind === 'none' ? undefined : knownExtent(shape.geometry.coords);
}

/**
 * Builds a shape from flat GDA2020 coordinates. `ends` are the vertex numbers where rings or lines end, exclusive; ignored for points.
 * `polygonEnds` are the ring numbers where polygons end: their union is taken; null: the even-odd rule over all rings.
 */
export function shapeOf(
  kind: Family,
  coords: Float64Array,
  ends: readonly number[],
  polygonEnds: readonly number[] | null = null,
): Shape {
  if (coords.length === 0) return NONE;
  switch (kind) {
    case 'polygon': {
      const { geometry, repaired, reject } =
        polygonEnds === null || ends.length < 2
          ? assemblePolygons(coords, ends)
          : assembleParts(coords, ends, polygonEnds);
      return reject === undefined ? { kind, geometry, repaired } : rejected(reject, coords);
    }
    case 'line': {
      const { geometry, reject } = assembleLines(coords, ends);
      return reject === undefined ? { kind, geometry } : rejected(reject, coords);
    }
    case 'point': {
      const { geometry, reject } = assemblePoints(coords);
      return reject === undefined ? { kind, geometry } : rejected(reject, coords);
    }
  }
}

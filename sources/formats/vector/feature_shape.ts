import type { Bbox } from '../../../schema/grid.ts';
import { bboxOf } from '../../../transforms/geo/geometry.ts';
import { assembleLines, assemblePoints } from '../../../transforms/geo/lines.ts';
import { assembleParts } from '../../../transforms/geo/polygon_parts.ts';
import { assemblePolygons, badVertex } from '../../../transforms/geo/rings.ts';
import type { Family, Problem, Shape } from '../feature.ts';

const NONE: Shape = { kind: 'none' };

/** A shape that is set aside. */
export const rejectedShape = (code: string, message: string): Shape => ({
  kind: 'reject',
  reject: { code, message },
});

const rejected = (reject: Problem, coords: Float64Array): Shape => {
  const extent = knownExtent(coords);
  return { kind: 'reject', reject: extent === undefined ? reject : { ...reject, extent } };
};

/** Box around flat GDA2020 coordinates; undefined: a vertex is not a place in Australia, so the place is not known. */
export function knownExtent(coords: Float64Array): Bbox | undefined {
  return coords.length === 0 || badVertex(coords) !== null ? undefined : bboxOf(coords);
}

/** Box around a shape; undefined: not known. */
export function extentOf(shape: Shape): Bbox | undefined {
  if (shape.kind === 'reject') return shape.reject.extent;
  return shape.kind === 'none' ? undefined : knownExtent(shape.geometry.coords);
}

/**
 * Shape of flat coordinates, which must be in GDA2020. `ends` are the vertex numbers at which rings or lines end, exclusive;
 * of points they mean nothing. `polygonEnds` are the ring numbers at which polygons end: their union counts; null: the even-odd rule over all rings.
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
        polygonEnds === null || polygonEnds.length < 2
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

import { assembleLines, assemblePoints } from '../../../transforms/geo/lines.ts';
import { assemblePolygons } from '../../../transforms/geo/rings.ts';
import type { Family, Shape } from '../feature.ts';

const NONE: Shape = { kind: 'none' };

/** A shape that is set aside. */
export const rejectedShape = (code: string, message: string): Shape => ({
  kind: 'reject',
  reject: { code, message },
});

/**
 * Shape of flat coordinates, which must be in GDA2020. `ends` are the vertex numbers at which rings or lines end, exclusive;
 * of points they mean nothing. The rings of all parts of a multipolygon are grouped afresh.
 */
export function shapeOf(kind: Family, coords: Float64Array, ends: readonly number[]): Shape {
  if (coords.length === 0) return NONE;
  switch (kind) {
    case 'polygon': {
      const { geometry, repaired, reject } = assemblePolygons(coords, ends);
      return reject === undefined ? { kind, geometry, repaired } : { kind: 'reject', reject };
    }
    case 'line': {
      const { geometry, reject } = assembleLines(coords, ends);
      return reject === undefined ? { kind, geometry } : { kind: 'reject', reject };
    }
    case 'point': {
      const { geometry, reject } = assemblePoints(coords);
      return reject === undefined ? { kind, geometry } : { kind: 'reject', reject };
    }
  }
}

import { pointSegmentDistance } from './distance.ts';
import type { MultiPolygon } from './geometry.ts';
import { localPlane } from './plane.ts';
import { pointInMultiPolygon } from './point_in_polygon.ts';

/**
 * Returns the metres from a point to an area, 0 inside; geodesic to 2 mm within 5 km. Degrees, GDA2020. Cut edges of a piece are
 * harmless: the area's next piece is beyond them and closer.
 */
export function distanceToArea(area: MultiPolygon, lon: number, lat: number): number {
  if (pointInMultiPolygon(lon, lat, area)) return 0;
  const xy = localPlane(lon, lat).project(area.coords);
  let nearest = Infinity;
  let from = 0;
  for (const end of area.ringEnds) {
    for (let i = from; i < end - 1; i++) {
      const d = pointSegmentDistance(0, 0, xy[i * 2]!, xy[i * 2 + 1]!, xy[i * 2 + 2]!, xy[i * 2 + 3]!);
      if (d < nearest) nearest = d;
    }
    from = end;
  }
  return nearest;
}

import { pointSegmentDistance } from './distance.ts';
import type { MultiPolygon } from './geometry.ts';
import { localPlane } from './plane.ts';
import { pointInMultiPolygon } from './point_in_polygon.ts';

/**
 * Metres from a point to an area, 0 inside; geodesic to 2 mm within 5 km. Degrees, GDA2020. Cut edges of a piece do not
 * disturb: beyond them lies the next piece of the same area, which is nearer.
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

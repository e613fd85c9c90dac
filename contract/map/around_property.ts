import { cellsOfBbox, expandBbox } from '../../schema/grid.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { localPlane } from '../../transforms/geo/plane.ts';
import { decodeAnyWkb } from '../../transforms/geo/wkb.ts';
import { comparableSales } from '../property/comparable_sales.ts';
import { centreOf } from '../regions/centre.ts';

type Position = [number, number];

/** A comparable sale with its position. */
export interface ComparablePoint {
  rank: number;
  gnaf_pid: string;
  address: string;
  date: string;
  price: number;
  adjusted_price: number | null;
  distance_m: number;
  dist_score: number;
  /** Attributes as described at the sale. Null: not known. */
  dwelling_type: string | null;
  bedrooms: number | null;
  land_area_sqm: number | null;
  /** Null: the sold property has no coordinates. */
  at: Position | null;
}

/** Reads the comparable sales of a property, most similar first. */
export async function comparablePoints(db: Serving, gnafId: string): Promise<ComparablePoint[]> {
  const rows = await comparableSales(db, gnafId)
    .select((eb) => [
      eb.cast<number>('e.rank', 'integer').as('rank'),
      'e.sale_pid as gnaf_pid',
      's.address',
      eb.cast<string>('s.date', 'text').as('date'),
      'e.price',
      'e.adjusted_price',
      'e.distance_m',
      'e.dist_score',
      's.dwelling_type',
      's.bedrooms',
      's.land_area_sqm',
      's.lon',
      's.lat',
    ])
    .execute();
  return rows.map(({ lon, lat, ...row }) => ({
    ...row,
    at: lon === null || lat === null ? null : [lon, lat],
  }));
}

/** Line from a property to the feature that decides the finding of a hazard class. */
export interface HazardLine {
  layer: string;
  name: string;
  /** From the address to the nearest point of the feature. Equal points: the address is in or on the feature. */
  line: [Position, Position];
}

/** Position on a segment that is nearest to the origin of a plane, as a fraction of the segment. */
function nearestShare(ax: number, ay: number, bx: number, by: number): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  return length === 0 ? 0 : Math.min(1, Math.max(0, -(ax * dx + ay * dy) / length));
}

/** Nearest point on the edges of pieces, and its distance in metres. */
function nearestOn(
  pieces: readonly Uint8Array[],
  [lon, lat]: Position,
): { at: Position; metres: number } | null {
  const plane = localPlane(lon, lat);
  let best: { at: Position; metres: number } | null = null;
  const take = (x: number, y: number): void => {
    const metres = Math.hypot(plane.x(x, y), plane.y(x, y));
    if (best === null || metres < best.metres) best = { at: [x, y], metres };
  };
  for (const geom of pieces) {
    const { kind, geometry } = decodeAnyWkb(geom);
    const { coords } = geometry;
    const ends = kind === 'polygon' ? geometry.ringEnds : kind === 'line' ? geometry.lineEnds : [];
    if (kind === 'point') for (let i = 0; i < coords.length; i += 2) take(coords[i]!, coords[i + 1]!);
    let from = 0;
    for (const end of ends) {
      for (let i = from * 2; i + 3 < end * 2; i += 2) {
        const [ax, ay, bx, by] = [coords[i]!, coords[i + 1]!, coords[i + 2]!, coords[i + 3]!];
        const t = nearestShare(plane.x(ax, ay), plane.y(ax, ay), plane.x(bx, by), plane.y(bx, by));
        take(ax + (bx - ax) * t, ay + (by - ay) * t);
      }
      from = end;
    }
  }
  return best;
}

/**
 * Reads the lines from the address to the features that decide its hazard findings. A feature on the property has a line of length zero.
 * Empty if the property has no coordinates.
 */
export async function hazardLines(db: Serving, gnafId: string): Promise<HazardLine[]> {
  const centre = await centreOf(db, gnafId);
  if (!centre) return [];
  const position: Position = [centre.lon, centre.lat];
  const risks = await db
    .selectFrom('serving.property_risk')
    .select(['layer', 'name', 'feature_id', 'on_property', 'search_radius_m'])
    .where('gnaf_pid', '=', gnafId)
    .orderBy('layer')
    .orderBy('hazard_class')
    .execute();
  const lines: HazardLine[] = [];
  for (const { layer, name, feature_id, on_property, search_radius_m } of risks) {
    if (on_property) {
      lines.push({ layer, name, line: [position, position] });
      continue;
    }
    const pieces = await db
      .selectFrom('serving.hazard')
      .select('geom')
      .where('cell', 'in', cellsOfBbox(expandBbox([...position, ...position], 2 * search_radius_m)))
      .where('layer', '=', layer)
      .where('feature_id', '=', feature_id)
      .execute();
    const nearest = nearestOn(
      pieces.map(({ geom }) => geom),
      position,
    );
    if (nearest) lines.push({ layer, name, line: [position, nearest.at] });
  }
  return lines;
}

import { geodesicAreaSqm } from '../../../transforms/geo/area.ts';
import type { MultiPolygon } from '../../../transforms/geo/geometry.ts';
import { type AssembledPolygons, assemblePolygons } from '../../../transforms/geo/rings.ts';
import { rectangle } from '../shapes.ts';

export type Ring = [number, number][];

/** Rings as a shapefile delivers them. Units of 0.001 degrees around (145, -37). */
export function flat(rings: readonly Ring[], unit = 0.001): { coords: Float64Array; ringEnds: number[] } {
  const ringEnds: number[] = [];
  for (const ring of rings) ringEnds.push((ringEnds.at(-1) ?? 0) + ring.length);
  const coords = Float64Array.from(rings.flat().flatMap(([x, y]) => [145 + x * unit, -37 + y * unit]));
  return { coords, ringEnds };
}

/** Assembles rings given in those units. */
export const assemble = (...rings: Ring[]): AssembledPolygons => {
  const { coords, ringEnds } = flat(rings);
  return assemblePolygons(coords, ringEnds);
};

/** Rings per polygon. */
export const shapeOf = (g: MultiPolygon | undefined): number[] =>
  g?.polygonEnds.map((end, i) => end - (i === 0 ? 0 : g.polygonEnds[i - 1]!)) ?? [];

/** Planar area in units of `flat`. */
export function areaOf(g: MultiPolygon): number {
  const scale = geodesicAreaSqm(assemble(rectangle(0, 0, 1, 1)).geometry!);
  return geodesicAreaSqm(g) / scale;
}

import type { Bbox } from '../../schema/grid.ts';
import type { FeatureSource } from '../../sources/formats/feature.ts';
import { openFeatureFile } from '../../sources/formats/vector/feature_file.ts';
import { geodesicAreaSqm } from '../../transforms/geo/area.ts';
import { bboxOf } from '../../transforms/geo/geometry.ts';

/** Extent of the features of some layers, in GDA2020 degrees. */
export interface Extent {
  /** Number of readable shapes. */
  readonly features: number;
  /** Bounding box of every shape. */
  readonly whole: Bbox;
  /**
   * Box of the middle 96 % of the shapes' centres in each direction. An extract has whole features that reach beyond the requested area;
   * this box excludes them.
   */
  readonly middle: Bbox;
  /** Area of all polygons, square metres. */
  readonly polygons_sqm: number;
}

/** Share of the centres beyond each side of the middle box. */
const OUTER = 0.02;

/** Returns the lower and upper bound of the middle values, rounded inwards to 0.00001° (about a metre). */
function middleOf(values: number[]): [number, number] {
  values.sort((a, b) => a - b);
  const cut = Math.ceil(values.length * OUTER);
  const [low, high] = [values[cut] ?? values[0]!, values[values.length - 1 - cut] ?? values.at(-1)!];
  return [Math.ceil(low * 1e5) / 1e5, Math.floor(high * 1e5) / 1e5];
}

/** Reads every shape of some layers and returns their extent; null: no shape. @throws EtlError as `openFeatureFile` does */
export async function extentOf(layers: readonly FeatureSource[]): Promise<Extent | null> {
  const [lons, lats]: [number[], number[]] = [[], []];
  let whole: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  let polygons_sqm = 0;
  for (const layer of layers) {
    const file = await openFeatureFile(layer);
    try {
      for await (const batch of file.batches([]))
        for (let row = 0; row < batch.count; row++) {
          if (batch.problem(row) !== null || batch.deleted(row)) continue;
          const shape = batch.shape(row);
          if (!('geometry' in shape)) continue;
          const [west, south, east, north] = bboxOf(shape.geometry.coords);
          lons.push((west + east) / 2);
          lats.push((south + north) / 2);
          whole = [
            Math.min(whole[0], west),
            Math.min(whole[1], south),
            Math.max(whole[2], east),
            Math.max(whole[3], north),
          ];
          if (shape.kind === 'polygon') polygons_sqm += geodesicAreaSqm(shape.geometry);
        }
    } finally {
      await file.close();
    }
  }
  if (lons.length === 0) return null;
  const [[west, east], [south, north]] = [middleOf(lons), middleOf(lats)];
  return { features: lons.length, whole, middle: [west, south, east, north], polygons_sqm };
}

import { type Bbox, unionBox } from '../../schema/grid.ts';
import type { FeatureField, FeatureSource } from '../../sources/formats/feature.ts';
import { openFeatureFile } from '../../sources/formats/vector/feature_file.ts';
import { geodesicAreaSqm } from '../../transforms/geo/area.ts';
import { bboxOf } from '../../transforms/geo/geometry.ts';

/** Bounding box of a feature, GDA2020 degrees, with the council that it states; null: none. */
export interface PlacedFeature {
  readonly box: Bbox;
  readonly council: string | null;
  /** Area of its polygons, square metres; 0: lines or points. */
  readonly sqm: number;
}

/** Extent of the features of some layers, in GDA2020 degrees. */
export interface Extent {
  readonly features: readonly PlacedFeature[];
  /** Bounding box of every shape. */
  readonly box: Bbox;
}

/** Columns in which publishers state the council of a feature: a code before a name. */
const COUNCIL_COLUMNS = [
  /^(abs_?)?lga_?code(_?\d+)?$/i,
  /^lga(_?(pid|no|number))?$/i,
  /^(lga_?name(_?\d+)?|lg_?name|council(_?name)?|local_?government(_?area)?|municipality)$/i,
];

const councilField = (fields: readonly FeatureField[]): FeatureField | null =>
  COUNCIL_COLUMNS.flatMap((pattern) => fields.filter(({ name }) => pattern.test(name)))[0] ?? null;

/** Reads every shape of some layers and returns their extent; null: no shape. @throws EtlError as `openFeatureFile` does */
export async function extentOfLayers(layers: readonly FeatureSource[]): Promise<Extent | null> {
  const features: PlacedFeature[] = [];
  for (const layer of layers) {
    const file = await openFeatureFile(layer);
    const field = councilField(file.fields);
    try {
      for await (const batch of file.batches(field === null ? [] : [field]))
        for (let row = 0; row < batch.count; row++) {
          if (batch.problem(row) !== null || batch.dropOf(row) !== null) continue;
          const shape = batch.shape(row);
          if (!('geometry' in shape)) continue;
          const council = field === null ? null : batch.id(row, field);
          const sqm = shape.kind === 'polygon' ? geodesicAreaSqm(shape.geometry) : 0;
          features.push({ box: bboxOf(shape.geometry.coords), council, sqm });
        }
    } finally {
      await file.close();
    }
  }
  if (features.length === 0) return null;
  return { features, box: unionBox(features.map(({ box }) => box)) };
}

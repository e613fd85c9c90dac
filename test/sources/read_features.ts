import type { FeatureFormat, Shape } from '../../sources/formats/feature.ts';
import { openFeatureFile } from '../../sources/formats/vector/feature_file.ts';

/** A feature as plain values. */
export interface ReadFeature {
  at: number;
  problem: string | null;
  message: string | null;
  properties: Record<string, string | null>;
  kind: Shape['kind'];
  /** Code of the reject of its shape. */
  reject: string | null;
  coords: number[];
  ends: readonly number[];
}

/** Every feature of a file, whatever its format. */
export async function readFeatures(
  path: string,
  format: FeatureFormat,
  {
    member = null,
    layer = null,
    crs = 'EPSG:7844',
  }: { member?: string | null; layer?: string | null; crs?: string } = {},
): Promise<ReadFeature[]> {
  const file = await openFeatureFile({ path, format, member, layer, file: 'x', crs });
  const read: ReadFeature[] = [];
  for await (const batch of file.batches()) {
    for (let row = 0; row < batch.count; row++) {
      const problem = batch.problem(row);
      const shape = batch.shape(row);
      const geometry = 'geometry' in shape ? shape.geometry : null;
      read.push({
        at: batch.first + row,
        problem: problem?.code ?? null,
        message: problem?.message ?? null,
        properties: Object.fromEntries(file.fields.map((each) => [each.name, batch.text(row, each)])),
        kind: shape.kind,
        reject: shape.kind === 'reject' ? shape.reject.code : null,
        coords: geometry === null ? [] : [...geometry.coords],
        ends: endsOf(shape),
      });
    }
  }
  return read;
}

function endsOf(shape: Shape): readonly number[] {
  if (shape.kind === 'polygon') return shape.geometry.ringEnds;
  return shape.kind === 'line' ? shape.geometry.lineEnds : [];
}

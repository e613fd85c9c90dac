import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CsvPointWriter } from '../formats/csv_point_writer.ts';
import type { DbfValue } from '../formats/dbf_writer.ts';
import { GeojsonWriter } from '../formats/geojson_writer.ts';
import { type Rings, ShapefileWriter } from '../formats/shapefile_writer.ts';
import type { Frame } from '../geography/frame.ts';
import { toDegrees } from '../geography/shape.ts';
import type { Truth } from '../truth.ts';
import type { FeatureFacts, SampleLayer } from './layer.ts';
import type { Pattern, WorldFeature } from './patterns.ts';

/** Streams one file of a state, in its format and CRS. */
export class LayerFile {
  readonly layer: SampleLayer;
  /** Features written, by pattern. */
  readonly counts = new Map<Pattern, number>();
  private readonly writer: { write(shape: Rings, values: readonly DbfValue[]): void; close(): void };
  private serial = 0;

  constructor(folder: string, layer: SampleLayer) {
    this.layer = layer;
    const path = join(folder, layer.path);
    mkdirSync(dirname(path), { recursive: true });
    if (path.endsWith('.geojson')) this.writer = new GeojsonWriter(path, layer.fields);
    else if (path.endsWith('.csv')) this.writer = new CsvPointWriter(path, layer.fields);
    else this.writer = new ShapefileWriter(path.replace(/\.shp$/, ''), layer.fields, layer.crs.prj);
  }

  /** Writes a feature of the world; null: the state does not publish its pattern in this file. */
  write(frame: Frame, { pattern, shape }: WorldFeature, lga: string): FeatureFacts | null {
    const row = this.layer.rows[pattern];
    if (row === undefined) return null;
    const facts = { serial: ++this.serial, lga };
    const rings = toDegrees(frame, shape);
    this.layer.crs.fromGda2020(rings.coords);
    this.writer.write(rings, row(facts));
    this.counts.set(pattern, (this.counts.get(pattern) ?? 0) + 1);
    return facts;
  }

  close(truth: Truth): void {
    this.writer.close();
    truth.count(this.layer.path, this.serial);
  }
}

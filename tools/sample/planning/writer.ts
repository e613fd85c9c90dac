import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ShapefileWriter } from '../formats/shapefile_writer.ts';
import type { Frame } from '../geography/frame.ts';
import type { BlockUse } from '../geography/lot.ts';
import type { StatePlace } from '../geography/places.ts';
import { rectangle, type Shape, simple, toDegrees } from '../geography/shape.ts';
import type { SuburbLand } from '../geography/suburb.ts';
import type { Truth } from '../truth.ts';
import { STATE_ZONES, type StateZones, type Zone } from './states.ts';
import { zoneRectangles } from './zones.ts';

/** Streams the zones of one state; a state without a layer writes nothing and has no zone codes. */
export class ZoneWriter {
  private readonly kind: StateZones | null;
  private readonly writer: ShapefileWriter | null;
  private readonly file: string;
  private readonly truth: Truth;
  private serial = 0;

  constructor(folder: string, place: StatePlace, truth: Truth) {
    this.kind = STATE_ZONES[place.code] ?? null;
    this.truth = truth;
    this.file = `planning/${this.kind?.path}.shp`;
    if (this.kind === null) {
      this.writer = null;
      return;
    }
    const path = join(folder, 'planning', this.kind.path);
    mkdirSync(dirname(path), { recursive: true });
    this.writer = new ShapefileWriter(path, this.kind.fields, this.kind.crs.prj);
  }

  /** Published code of the zone of a block; empty where the state has no layer. */
  code(use: BlockUse): string {
    return this.kind === null ? '' : this.kind.zones[use][0];
  }

  /** The zones of a suburb, and where the layer holds proposals, one over its first block. */
  suburb(frame: Frame, land: SuburbLand, lga: string): void {
    if (this.kind === null) return;
    const { zones, proposals } = this.kind;
    for (const { zone, x0, y0, x1, y1 } of zoneRectangles(land, ({ use }) => zones[use])) {
      this.write(frame, simple(rectangle(x0, y0, x1, y1)), zone, lga, true);
    }
    if (!proposals) return;
    const { x0, y0, x1, y1 } = land.blocks[0]!;
    this.write(frame, simple(rectangle(x0, y0, x1, y1)), zones.dense, lga, false);
    this.truth.drop(this.file, 'not_gazetted');
  }

  rural(frame: Frame, outline: Shape, lga: string): void {
    if (this.kind !== null) this.write(frame, outline, this.kind.zones.rural, lga, true);
  }

  close(): void {
    if (this.writer === null) return;
    this.writer.close();
    this.truth.count(this.file, this.writer.count);
  }

  private write(frame: Frame, shape: Shape, zone: Zone, lga: string, in_force: boolean): void {
    const rings = toDegrees(frame, shape);
    this.kind!.crs.fromGda2020(rings.coords);
    this.writer!.write(rings, this.kind!.row({ serial: ++this.serial, zone, lga, in_force }));
  }
}

import type { Bbox } from '../../schema/grid.ts';
import { bboxOf } from '../../transforms/geo/geometry.ts';
import { decodeAnyWkb } from '../../transforms/geo/wkb.ts';
import { GDA2020 } from './exported_geometry.ts';

/** Names of GeoParquet by WKB type, from 1. */
const TYPES = [
  'Point',
  'LineString',
  'Polygon',
  'MultiPoint',
  'MultiLineString',
  'MultiPolygon',
  'GeometryCollection',
] as const;

const typeOf = (wkb: Uint8Array): (typeof TYPES)[number] => {
  const view = new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength);
  return TYPES[view.getUint32(1, wkb[0] === 1) - 1]!;
};

/** Fields of the column `bbox`, in the order of a bounding box. */
export const BBOX_FIELDS = ['xmin', 'ymin', 'xmax', 'ymax'] as const;

/** Collects the types and the bounding box of a file's geometries for its GeoParquet metadata. */
export class WrittenGeometry {
  readonly #types = new Set<string>();
  #bbox: Bbox | null = null;

  /** Adds a geometry. Returns its bounding box; null: it is empty. */
  add(wkb: Uint8Array): Bbox | null {
    this.#types.add(typeOf(wkb));
    const { coords } = decodeAnyWkb(wkb).geometry;
    const box = coords.length === 0 ? null : bboxOf(coords);
    const all = this.#bbox;
    if (box !== null)
      this.#bbox =
        all === null
          ? box
          : [
              Math.min(all[0], box[0]),
              Math.min(all[1], box[1]),
              Math.max(all[2], box[2]),
              Math.max(all[3], box[3]),
            ];
    return box;
  }

  /** Returns the value of the key `geo`. */
  json(): string {
    const bbox = Object.fromEntries(BBOX_FIELDS.map((field) => [field, ['bbox', field]]));
    const geometry = {
      encoding: 'WKB',
      geometry_types: [...this.#types].sort(),
      crs: GDA2020,
      ...(this.#bbox === null ? {} : { bbox: this.#bbox }),
      covering: { bbox },
    };
    return JSON.stringify({ version: '1.1.0', primary_column: 'geometry', columns: { geometry } });
  }
}

import type { parcelRecord } from '../../../schema/records/parcel.ts';
import type { Row } from '../../../schema/table.ts';
import type { MultiPolygon } from '../../../transforms/geo/geometry.ts';
import { decodeWkb } from '../../../transforms/geo/wkb.ts';

/** Radius in which adjoining parcels are read, metres: the maximum tolerance that the configuration allows. */
export const ADJOINING_M = 1;

/** Columns of a parcel that are needed to find its neighbours. */
export const SHAPE_COLUMNS = ['parcel_id', 'min_lon', 'min_lat', 'max_lon', 'max_lat', 'geom'] as const;

/** A parcel as read, sorted by its id. */
export type ShapeRow = Pick<Row<typeof parcelRecord>, (typeof SHAPE_COLUMNS)[number]>;

const shapeOf = ({ geom }: { geom: Uint8Array }): MultiPolygon => decodeWkb(geom);

/** Decodes the shapes of parcels, GDA2020 degrees, in row order. */
export const shapesOf = (rows: readonly { geom: Uint8Array }[]): MultiPolygon[] => rows.map(shapeOf);

export interface OccupiedParcels {
  /** Number of each row's parcel among the shapes; -1: none, or not among them. */
  readonly numberOf: Int32Array;
  /** 1: a row is on the shape with this number. */
  readonly isSubject: Uint8Array;
}

export function occupied(
  rows: readonly { parcel_id: string | null }[],
  shapes: readonly ShapeRow[],
): OccupiedParcels {
  const byId = new Map<string, number>();
  for (let i = 0; i < shapes.length; i++) byId.set(shapes[i]!.parcel_id, i);
  const numberOf = new Int32Array(rows.length).fill(-1);
  const isSubject = new Uint8Array(shapes.length);
  for (let i = 0; i < rows.length; i++) {
    const { parcel_id } = rows[i]!;
    const number = parcel_id === null ? undefined : byId.get(parcel_id);
    if (number === undefined) continue;
    numberOf[i] = number;
    isSubject[number] = 1;
  }
  return { numberOf, isSubject };
}

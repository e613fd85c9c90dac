import { cellOf } from '../../schema/grid.ts';
import type { PlaceCategory, placePieceRecord } from '../../schema/records/place.ts';
import type { Row } from '../../schema/table.ts';
import { bboxOf, type MultiPolygon } from '../../transforms/geo/geometry.ts';
import { interiorPoint } from '../../transforms/geo/interior_point.ts';
import { cutIntoCells } from '../../transforms/geo/pieces.ts';
import { encodeWkb } from '../../transforms/geo/wkb.ts';

export type PlacePieceRow = Row<typeof placePieceRecord>;

/** A place from its source, in GDA2020 degrees. */
export interface Place {
  /** Number of its row, feature or element in the file, from 1. */
  readonly source_no: number;
  readonly place_id: string;
  readonly category: PlaceCategory;
  readonly name: string | null;
  /** A point, or an area. */
  readonly at: readonly [lon: number, lat: number] | MultiPolygon;
  /** False if its row in the file is also a place of another category. */
  readonly is_only: boolean;
}

/** Returns the area of a place; null: it is a point. */
export const areaOf = ({ at }: Place): MultiPolygon | null => ('coords' in at ? at : null);

/** Yields the rows of a place: one for a point, one for each grid cell that an area touches. */
export function* placeRows(osmPlace: Place): Iterable<PlacePieceRow> {
  const { source_no, place_id, category, name } = osmPlace;
  const area = areaOf(osmPlace);
  const [lon, lat] = area === null ? (osmPlace.at as readonly [number, number]) : interiorPoint(area);
  const shared = { load_id: 0, source_no, place_id, category, name, lon, lat };
  if (area === null) {
    yield {
      ...shared,
      cell: cellOf(lon, lat),
      min_lon: lon,
      min_lat: lat,
      max_lon: lon,
      max_lat: lat,
      geom: null,
    };
    return;
  }
  for (const { cell, geometry } of cutIntoCells(area)) {
    const [min_lon, min_lat, max_lon, max_lat] = bboxOf(geometry.coords);
    yield { ...shared, cell, min_lon, min_lat, max_lon, max_lat, geom: encodeWkb(geometry) };
  }
}

/** Returns the bytes of a row besides its numbers. */
export const bytesOfRow = (row: PlacePieceRow): number => row.geom?.length ?? 0;

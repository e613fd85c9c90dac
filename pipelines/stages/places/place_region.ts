import type { regionPieceRecord } from '../../../schema/records/region.ts';
import type { AreaCodes } from '../../../schema/serving/area_level.ts';
import { STATE_OF_DIGIT } from '../../../schema/states.ts';
import type { Row } from '../../../schema/table.ts';
import { buildPointLookup } from '../../../transforms/geo/point_lookup.ts';

/** Columns of region pieces for locating a place, and the condition on them. */
export const PLACE_REGION_COLUMNS = ['cell', 'edition', 'year', 'code', 'sa3', 'ste', 'geom'] as const;
export const PLACE_REGION_WHERE = { level: 'SA2' } as const;

/** Columns and condition for locating a place at every level of the suburb endpoints. */
export const PLACE_AREA_COLUMNS = [...PLACE_REGION_COLUMNS, 'level', 'name'] as const;
export const PLACE_AREA_WHERE = { level: ['SA2', 'SAL', 'LGA', 'POA'] } as const;

type SA2Piece = Pick<Row<typeof regionPieceRecord>, (typeof PLACE_REGION_COLUMNS)[number]>;
type AreaPiece = Pick<Row<typeof regionPieceRecord>, (typeof PLACE_AREA_COLUMNS)[number]>;

export interface PlaceRegion {
  state: string | null;
  sa2: string | null;
  sa3: string | null;
}

/** Returns a function that finds the piece containing a point: the newest edition and year, then the lowest code. */
function newestAt<P extends SA2Piece>(pieces: readonly P[]): (lon: number, lat: number) => P | null {
  const lookup = buildPointLookup(pieces.map((piece) => piece.geom));
  return (lon, lat) => {
    let best: P | null = null;
    for (const i of lookup.all(lon, lat)) {
      const piece = pieces[i]!;
      const newer =
        best === null ||
        piece.edition > best.edition ||
        (piece.edition === best.edition &&
          (piece.year > best.year || (piece.year === best.year && piece.code < best.code)));
      if (newer) best = piece;
    }
    return best;
  };
}

/** Finds the SA2 that contains a point, with its state and SA3. */
export function placeRegions(pieces: readonly SA2Piece[]): (lon: number, lat: number) => PlaceRegion {
  const at = newestAt(pieces);
  return (lon, lat) => {
    const regions = at(lon, lat);
    if (regions === null) return { state: null, sa2: null, sa3: null };
    return {
      state: STATE_OF_DIGIT[regions.ste ?? regions.code[0]!] ?? null,
      sa2: regions.code,
      sa3: regions.sa3,
    };
  };
}

/** Finds the areas of every level that contain a point; null at a level: outside its boundaries. */
export function placeAreas(
  pieces: readonly AreaPiece[],
): (lon: number, lat: number) => AreaCodes & { state: string | null } {
  const of = (level: string) => pieces.filter((piece) => piece.level === level);
  const regionAt = placeRegions(of('SA2'));
  const [suburbAt, councilAt, postalAt] = ['SAL', 'LGA', 'POA'].map((level) => newestAt(of(level)));
  return (lon, lat) => ({
    ...regionAt(lon, lat),
    sal: suburbAt!(lon, lat)?.name ?? null,
    lga: councilAt!(lon, lat)?.code ?? null,
    poa: postalAt!(lon, lat)?.code ?? null,
  });
}

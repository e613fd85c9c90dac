import type { regionPieceRecord } from '../../schema/records/region.ts';
import { STATE_OF_DIGIT } from '../../schema/states.ts';
import type { Row } from '../../schema/table.ts';
import { buildPointLookup } from '../../transforms/point_lookup.ts';

/** Columns of region pieces by which a place is located, and the condition on them. */
export const PLACE_REGION_COLUMNS = ['cell', 'edition', 'year', 'code', 'sa3', 'ste', 'geom'] as const;
export const PLACE_REGION_WHERE = "level = 'SA2'";

type SA2Piece = Pick<Row<typeof regionPieceRecord>, (typeof PLACE_REGION_COLUMNS)[number]>;

export interface PlaceRegion {
  state: string | null;
  sa2: string | null;
  sa3: string | null;
}

/** Finds the SA2 that a point lies in, with its state and SA3: of the newest edition and year that hold the point. */
export function placeRegions(pieces: readonly SA2Piece[]): (lon: number, lat: number) => PlaceRegion {
  const lookup = buildPointLookup(pieces.map((piece) => piece.geom));
  return (lon, lat) => {
    let best: SA2Piece | null = null;
    for (const i of lookup.all(lon, lat)) {
      const piece = pieces[i]!;
      const newer =
        best === null ||
        piece.edition > best.edition ||
        (piece.edition === best.edition &&
          (piece.year > best.year || (piece.year === best.year && piece.code < best.code)));
      if (newer) best = piece;
    }
    if (best === null) return { state: null, sa2: null, sa3: null };
    return { state: STATE_OF_DIGIT[best.ste ?? best.code[0]!] ?? null, sa2: best.code, sa3: best.sa3 };
  };
}

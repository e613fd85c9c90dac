import type { regionPieceRecord } from '../../../schema/records/region.ts';
import type { Row } from '../../../schema/table.ts';
import { geodesicAreaSqm } from '../../../transforms/geo/area.ts';
import { interiorPoint } from '../../../transforms/geo/interior_point.ts';
import { buildPointLookup } from '../../../transforms/geo/point_lookup.ts';
import { decodeWkb } from '../../../transforms/geo/wkb.ts';
import type { LocatingRegion } from '../../../transforms/regions/locate.ts';

/** Levels that the ABS composes of whole mesh blocks, outside the main structure. */
const AREA_LEVELS = ['SAL', 'LGA', 'POA'] as const;
/** Levels of the pieces that `addMeshBlockAreas` needs. */
export const MESH_BLOCK_AREA_LEVELS = ['MB', ...AREA_LEVELS] as const;

type LocatingPiece = LocatingRegion & Pick<Row<typeof regionPieceRecord>, 'geom'>;

/** The suburbs, LGAs and postal areas that contain a mesh block, and the piece of it that decided them. */
interface MeshBlockAreas {
  readonly year: number;
  readonly area_sqm: number;
  readonly areas: readonly LocatingRegion[];
}

/** Mesh blocks by edition and code (`meshBlockKey`). */
export type AreasByMeshBlock = Map<string, MeshBlockAreas>;

export const meshBlockKey = (edition: number, code: string): string => `${edition}:${code}`;

/**
 * Adds the areas of the mesh blocks of one cell: those at an interior point of each mesh block, because areas are composed of whole mesh
 * blocks. Of a mesh block in several cells the largest piece of the newest year decides, then the cell added first.
 */
export function addMeshBlockAreas(areasOf: AreasByMeshBlock, pieces: readonly LocatingPiece[]): void {
  const others = pieces.filter(({ level }) => level !== 'MB');
  const lookup = buildPointLookup(others.map(({ geom }) => geom));
  const areas = others.map(({ geom: _, ...area }) => area);
  for (const { level, edition, code, year, geom } of pieces) {
    if (level !== 'MB') continue;
    const key = meshBlockKey(edition, code);
    const before = areasOf.get(key);
    if (before && before.year > year) continue;
    const shape = decodeWkb(geom);
    const area_sqm = geodesicAreaSqm(shape);
    if (before && before.year === year && before.area_sqm >= area_sqm) continue;
    const indexes = lookup.all(...interiorPoint(shape));
    areasOf.set(key, { year, area_sqm, areas: Array.from(indexes, (i) => areas[i]!) });
  }
}

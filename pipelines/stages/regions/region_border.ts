import { regionBorderPartAsset } from '../../../schema/assets/region_border_part.ts';
import { groupBy } from '../../../schema/group_by.ts';
import { regionPieceRecord } from '../../../schema/records/region.ts';
import { AREA_LEVELS, type AreaLevel } from '../../../schema/serving/area_level.ts';
import { regionNeighbourTable } from '../../../schema/serving/region_neighbour.ts';
import type { Row } from '../../../schema/table.ts';
import { decodeWkb } from '../../../transforms/geo/wkb.ts';
import { adjoiningParcels } from '../../../transforms/property/neighbours.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';
import { stage } from '../../engine/stage.ts';

/** Region boundaries come from one file and match. Pieces that only meet at the edge of a cell share a few metres at most. */
const BORDER = { tolerance_m: 0.5, min_shared_m: 5 } as const;

type BorderPiece = Pick<
  Row<typeof regionPieceRecord>,
  'edition' | 'year' | 'code' | 'name' | 'sa3' | 'sa3_name' | 'geom'
>;
type RegionName = { area: string; code: string; name: string | null };

const byCode = ({ code, name }: BorderPiece): RegionName => ({ area: code, code, name });

/** For each level: the level of the pieces with its shapes, and the area that a piece belongs to. SA3 shapes are SA2 pieces. */
const AREA_OF: Readonly<
  Record<AreaLevel, { shapes: string; area: (piece: BorderPiece) => RegionName | null }>
> = {
  SAL: {
    shapes: 'SAL',
    area: ({ code, name }) => (name === null ? null : { area: name, code, name }),
  },
  SA2: { shapes: 'SA2', area: byCode },
  SA3: {
    shapes: 'SA2',
    area: ({ sa3, sa3_name }) => (sa3 === null ? null : { area: sa3, code: sa3, name: sa3_name }),
  },
  LGA: { shapes: 'LGA', area: byCode },
  POA: { shapes: 'POA', area: byCode },
};

/** Returns the pieces with the newest boundaries among pieces of one level. */
function newest(pieces: readonly BorderPiece[]): BorderPiece[] {
  const age = ({ edition, year }: BorderPiece): number => edition * 10_000 + year;
  const latest = pieces.reduce((max, piece) => Math.max(max, age(piece)), 0);
  return pieces.filter((piece) => age(piece) === latest);
}

/** Finds pairs of pieces that share a boundary, with its length in metres. Each pair appears in both orders. */
function borders(pieces: readonly BorderPiece[]): { a: BorderPiece; b: BorderPiece; shared_m: number }[] {
  const shapes = pieces.map((piece) => ({ id: piece.code, geometry: decodeWkb(piece.geom) }));
  return adjoiningParcels(
    shapes,
    shapes.map((_, i) => i),
    BORDER,
  )
    .filter((pair) => !pair.corner)
    .map(({ a, b, shared_m }) => ({ a: pieces[a]!, b: pieces[b]!, shared_m }));
}

export const regionBorderPartStage = stage({
  name: 'region_border_part',
  version: 3,
  doc: 'The boundaries that suburbs and regions share in one cell, of the newest edition there.',
  subject: 'piece',
  inputs: {
    piece: input(
      regionPieceRecord,
      ['cell', 'edition', 'year', 'level', 'code', 'name', 'sa3', 'sa3_name', 'geom'],
      { kind: 'own' },
      { level: ['SAL', 'SA2', 'LGA', 'POA'] },
    ),
  },
  output: regionBorderPartAsset,
  params: () => ({ AREA_LEVELS }),
  compute({ piece }, { cell, emit }) {
    let out = 0;
    const pairs = new Map<string, ReturnType<typeof borders>>();
    for (const [level, all] of groupBy(piece, (row) => row.level)) {
      const current = newest(all);
      out += current.length;
      pairs.set(level, borders(current));
    }
    for (const level of AREA_LEVELS) {
      const { shapes, area: areaOf } = AREA_OF[level];
      const shared = new Map<string, Row<typeof regionBorderPartAsset>>();
      for (const { a, b, shared_m } of pairs.get(shapes) ?? []) {
        const area = areaOf(a)?.area;
        const other = areaOf(b);
        if (area === undefined || other === null || area === other.area) continue;
        const { area: neighbour, code: neighbour_code, name: neighbour_name } = other;
        const key = JSON.stringify([area, neighbour]);
        const sharedM = shared.get(key)?.shared_m ?? 0;
        const row = { cell, level, area, neighbour, neighbour_code, neighbour_name };
        shared.set(key, { ...row, shared_m: sharedM + shared_m });
      }
      for (const row of shared.values()) emit(row);
    }
    const older = piece.length - out;
    const drops: Record<string, number> = older > 0 ? { older_edition: older } : {};
    return { account: { in: piece.length, out, drops } };
  },
});

export const serveRegionNeighbourStage = sqlStage({
  name: 'serve_region_neighbour',
  doc: 'Rows of serving.region_neighbour.',
  subject: 'part',
  inputs: {
    part: input(regionBorderPartAsset, Object.keys(regionBorderPartAsset.columns) as [], { kind: 'all' }),
  },
  output: regionNeighbourTable,
  sql: `
    SELECT level, area, neighbour,
      (array_agg(neighbour_code ORDER BY cell DESC))[1] AS neighbour_code,
      (array_agg(neighbour_name ORDER BY cell DESC))[1] AS neighbour_name,
      floor(sum(shared_m ORDER BY cell) + 0.5) AS shared_m
    FROM part GROUP BY level, area, neighbour`,
});

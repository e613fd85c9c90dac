import { regionBorderPartAsset } from '../../schema/assets/region.ts';
import { NO_CELL } from '../../schema/grid.ts';
import { regionPieceRecord } from '../../schema/records/region.ts';
import { AREA_LEVELS, type AreaLevel } from '../../schema/serving/area_level.ts';
import { regionNeighbourTable } from '../../schema/serving/region_neighbour.ts';
import type { Row } from '../../schema/table.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';
import { adjoiningParcels } from '../../transforms/neighbours.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { groupBy } from './by_key.ts';

/** Boundaries of regions come from one file and fit; pieces that only meet at the rim of a cell share a few metres at most. */
const BORDER = { tolerance_m: 0.5, min_shared_m: 5 } as const;

type Piece = Pick<
  Row<typeof regionPieceRecord>,
  'edition' | 'year' | 'code' | 'name' | 'sa3' | 'sa3_name' | 'geom'
>;
type Named = { area: string; code: string; name: string | null };

const byCode = ({ code, name }: Piece): Named => ({ area: code, code, name });

/** Shapes of the levels that have pieces of their own, and the area that one belongs to; an SA3 is made of its SA2. */
const AREA_OF: Readonly<Record<AreaLevel, { shapes: string; area: (piece: Piece) => Named | null }>> = {
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

/** The pieces of the newest boundaries among those of one level. */
function newest(pieces: readonly Piece[]): Piece[] {
  const age = ({ edition, year }: Piece): number => edition * 10_000 + year;
  const latest = pieces.reduce((max, piece) => Math.max(max, age(piece)), 0);
  return pieces.filter((piece) => age(piece) === latest);
}

/** Pairs of pieces that share a boundary, with its length; each pair stands both ways. */
function borders(pieces: readonly Piece[]): { a: Piece; b: Piece; shared_m: number }[] {
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
  version: 2,
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
    const current = new Map(
      [...groupBy(piece, (row) => row.level)].map(([level, own]) => [level, newest(own)]),
    );
    const pairs = new Map([...current].map(([level, own]) => [level, borders(own)]));
    const sums = new Map<string, Row<typeof regionBorderPartAsset>>();
    for (const level of AREA_LEVELS) {
      const { shapes, area: areaOf } = AREA_OF[level];
      for (const { a, b, shared_m } of pairs.get(shapes) ?? []) {
        const area = areaOf(a)?.area;
        const other = areaOf(b);
        if (area === undefined || other === null || area === other.area) continue;
        const key = JSON.stringify([level, area, other.area]);
        const known = sums.get(key)?.shared_m ?? 0;
        sums.set(key, {
          cell,
          level,
          area,
          neighbour: other.area,
          neighbour_code: other.code,
          neighbour_name: other.name,
          shared_m: known + shared_m,
        });
      }
    }
    const out = [...current.values()].reduce((sum, own) => sum + own.length, 0);
    const drops: Record<string, number> = out < piece.length ? { older_edition: piece.length - out } : {};
    for (const row of sums.values()) emit(row);
    return { account: { in: piece.length, out, drops } };
  },
});

export const serveRegionNeighbourStage = stage({
  name: 'serve_region_neighbour',
  version: 2,
  doc: 'Rows of serving.region_neighbour.',
  subject: 'part',
  by: 'whole',
  inputs: {
    part: input(
      regionBorderPartAsset,
      ['cell', 'level', 'area', 'neighbour', 'neighbour_code', 'neighbour_name', 'shared_m'],
      { kind: 'all' },
    ),
  },
  output: regionNeighbourTable,
  params: () => ({ AREA_LEVELS }),
  compute({ part }, { emit }) {
    const pairs = new Map<string, Row<typeof regionNeighbourTable>>();
    for (const { cell: _cell, ...row } of part) {
      const key = JSON.stringify([row.level, row.area, row.neighbour]);
      const known = pairs.get(key)?.shared_m ?? 0;
      pairs.set(key, { ...row, cell: NO_CELL, shared_m: known + row.shared_m });
    }
    for (const row of pairs.values()) emit({ ...row, shared_m: Math.round(row.shared_m) });
    return { account: { in: part.length, out: part.length, drops: {} } };
  },
});

import { regionPieceRecord } from '../../schema/records/region.ts';
import { AREA_LEVELS, type AreaLevel, areaColumns } from '../../schema/serving/area_level.ts';
import { regionNeighbourTable } from '../../schema/serving/region_neighbour.ts';
import { col, nullable, type Row } from '../../schema/table.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';
import { adjoiningParcels } from '../../transforms/neighbours.ts';
import { input } from '../engine/input.ts';
import { groupBy } from './by_key.ts';
import { last, sum } from './measures.ts';
import { rollup } from './rollup.ts';

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

export const {
  asset: regionBorderPartAsset,
  part: regionBorderPartStage,
  whole: serveRegionNeighbourStage,
} = rollup({
  params: { AREA_LEVELS },
  parts: {
    name: 'region_border_part',
    doc: 'The boundary that two suburbs or regions of one level share in one grid cell.',
    by: { ...areaColumns, neighbour: col('text', 'Area of the same level.') },
    measures: [
      last({
        neighbour_code: col('text', 'ABS code of that area.'),
        neighbour_name: nullable('text', 'ABS name of that area; null: the level has no names.'),
      }),
      sum({ shared_m: col('float8', 'Length of the shared boundary in the cell, metres.') }),
    ],
  },
  part: {
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
    dropped: 'older_edition',
    gather({ piece }, add) {
      let dropped = piece.length;
      const pairs = new Map<string, ReturnType<typeof borders>>();
      for (const [level, all] of groupBy(piece, (row) => row.level)) {
        const current = newest(all);
        dropped -= current.length;
        pairs.set(level, borders(current));
      }
      for (const level of AREA_LEVELS) {
        const { shapes, area: areaOf } = AREA_OF[level];
        for (const { a, b, shared_m } of pairs.get(shapes) ?? []) {
          const area = areaOf(a)?.area;
          const other = areaOf(b);
          if (area === undefined || other === null || area === other.area) continue;
          const { area: neighbour, code: neighbour_code, name: neighbour_name } = other;
          add({ level, area, neighbour, neighbour_code, neighbour_name, shared_m });
        }
      }
      return dropped;
    },
  },
  whole: {
    name: 'serve_region_neighbour',
    version: 2,
    output: regionNeighbourTable,
    rows: (total) => [{ ...total, shared_m: Math.round(total.shared_m) }],
  },
});

import { suburbBorderPartAsset } from '../../schema/assets.ts';
import { NO_CELL } from '../../schema/grid.ts';
import { regionPieceRecord } from '../../schema/records/region.ts';
import { suburbNeighbourTable } from '../../schema/serving/suburb_neighbour.ts';
import type { Row } from '../../schema/table.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';
import { adjoiningParcels } from '../../transforms/neighbours.ts';
import { input, stage } from '../engine/stage.ts';

/** Boundaries of suburbs come from one file and fit; pieces that only meet at the rim of a cell share a few metres at most. */
const BORDER = { tolerance_m: 0.5, min_shared_m: 5 } as const;

export const suburbBorderPartStage = stage({
  name: 'suburb_border_part',
  version: 1,
  doc: 'The boundaries that suburbs share in one cell, of the newest edition there.',
  subject: 'piece',
  inputs: {
    piece: input(
      regionPieceRecord,
      ['cell', 'edition', 'year', 'code', 'name', 'geom'],
      { kind: 'own' },
      "level = 'SAL' AND name IS NOT NULL",
    ),
  },
  output: suburbBorderPartAsset,
  compute({ piece }, { cell }) {
    const edition = piece.reduce((max, row) => Math.max(max, row.edition), 0);
    const suburbs = piece.filter((row) => row.edition === edition);
    const shapes = suburbs.map((row) => ({ id: row.code, geometry: decodeWkb(row.geom) }));
    const rows = adjoiningParcels(
      shapes,
      shapes.map((_, i) => i),
      BORDER,
    )
      .filter((pair) => !pair.corner && suburbs[pair.a]!.name !== suburbs[pair.b]!.name)
      .map(({ a, b, shared_m }) => ({
        cell,
        sal: suburbs[a]!.name!,
        neighbour_sal: suburbs[b]!.name!,
        shared_m,
      }));
    const older = piece.length - suburbs.length;
    const drops: Record<string, number> = older > 0 ? { older_edition: older } : {};
    return { rows, account: { in: piece.length, out: suburbs.length, drops } };
  },
});

export const serveSuburbNeighbourStage = stage({
  name: 'serve_suburb_neighbour',
  version: 1,
  doc: 'Rows of serving.suburb_neighbour.',
  subject: 'part',
  by: 'whole',
  inputs: {
    part: input(suburbBorderPartAsset, ['cell', 'sal', 'neighbour_sal', 'shared_m'], { kind: 'all' }),
  },
  output: suburbNeighbourTable,
  compute({ part }) {
    const pairs = new Map<string, Row<typeof suburbNeighbourTable>>();
    for (const { sal, neighbour_sal, shared_m } of part) {
      const key = `${sal}|${neighbour_sal}`;
      const known = pairs.get(key)?.shared_m ?? 0;
      pairs.set(key, { sal, neighbour_sal, cell: NO_CELL, shared_m: known + shared_m });
    }
    const rows = [...pairs.values()].map((row) => ({ ...row, shared_m: Math.round(row.shared_m) }));
    return { rows, account: { in: part.length, out: part.length, drops: {} } };
  },
});

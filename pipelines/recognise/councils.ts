import { join } from 'node:path';
import { type Bbox, unionBox } from '../../schema/grid.ts';
import { regionPieceRecord } from '../../schema/records/region.ts';
import type { Row } from '../../schema/table.ts';
import { adapterNamed } from '../../sources/index.ts';
import { findFiles } from '../../store/loads/files.ts';
import { bboxOf } from '../../transforms/geo/geometry.ts';
import { decodeWkb } from '../../transforms/geo/wkb.ts';
import { PiecesAtPoints } from '../stages/planning/pieces_at_points.ts';

type RegionPieceRow = Row<typeof regionPieceRecord>;

export interface Council {
  readonly code: string;
  readonly name: string;
  readonly box: Bbox;
}

/** Councils of the boundaries in a folder. */
export interface Councils {
  /** Returns the council at a point, GDA2020 degrees; null: none. */
  readonly at: (lon: number, lat: number) => Council | null;
}

/** A dataset of ABS boundaries: its files relative to the folder, and its options. */
interface Boundaries {
  readonly id: string;
  readonly path: readonly string[];
  readonly crs: string | null;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Reads the council boundaries of a dataset; null: it has none. */
export async function readCouncils(folder: string, dataset: Boundaries): Promise<Councils | null> {
  const adapter = adapterNamed('asgs');
  const paths = await findFiles(
    dataset.path.map((path) => join(folder, path)),
    folder,
  );
  const files = paths.map((path) => ({ path, bytes: 0, sha256: '0'.repeat(64) }));
  const { id, crs, options } = dataset;
  const { release, parts } = await adapter.discover({ id, files, release: null, crs, options });
  const pieces: RegionPieceRow[] = [];
  for (const part of parts) {
    reading: for await (const { records = [] } of adapter.readPart(release, part, {}))
      for (const { table, rows } of records) {
        const regions = rows as readonly { readonly level?: string }[];
        // A part has one level.
        if (regions.some(({ level }) => level !== 'LGA')) break reading;
        if (table.name === regionPieceRecord.name) pieces.push(...(rows as unknown as RegionPieceRow[]));
      }
  }
  return pieces.length === 0 ? null : councilsOf(pieces);
}

function councilsOf(pieces: readonly RegionPieceRow[]): Councils {
  const newest = Math.max(...pieces.map(({ year }) => year));
  const current = pieces.filter(({ year }) => year === newest);
  const councils = new Map<string, Council>();
  for (const { code, name, geom } of current) {
    const box = bboxOf(decodeWkb(geom).coords) as Bbox;
    const council = councils.get(code);
    councils.set(code, {
      code,
      name: name ?? code,
      box: council === undefined ? box : unionBox([council.box, box]),
    });
  }
  const atPoints = new PiecesAtPoints(current);
  return {
    at: (lon, lat) => {
      const [first] = atPoints.at(lon, lat);
      return first === undefined ? null : councils.get(current[first]!.code)!;
    },
  };
}

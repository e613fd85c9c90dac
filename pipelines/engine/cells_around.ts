import Flatbush from 'flatbush';
import type { Bbox } from '../../schema/grid.ts';
import type { CellDigest } from './plan_view.ts';

interface CellBoxes {
  readonly cells: readonly number[];
  /** Null: no cell has a box. */
  readonly tree: Flatbush | null;
}

/** Boxes cached by the recorded state of a table, which is a new map after anything in the table was computed. */
const boxesOfContent = new WeakMap<ReadonlyMap<number, CellDigest>, CellBoxes>();

function boxesOf(content: ReadonlyMap<number, CellDigest>): CellBoxes {
  const cached = boxesOfContent.get(content);
  if (cached !== undefined) return cached;
  const boxed = [...content].filter(([, { extent }]) => extent !== null);
  const tree = boxed.length === 0 ? null : new Flatbush(boxed.length);
  for (const [, { extent }] of boxed) tree!.add(...(extent as Bbox));
  tree?.finish();
  const boxes = { cells: boxed.map(([cell]) => cell), tree };
  boxesOfContent.set(content, boxes);
  return boxes;
}

/** Finds cells whose recorded bounding box meets a box, ascending. A cell's bounding box covers its rows and may extend beyond the cell. */
export function cellsAround(
  content: ReadonlyMap<number, CellDigest>,
  [west, south, east, north]: Bbox,
): number[] {
  const { cells, tree } = boxesOf(content);
  const hits = tree?.search(west, south, east, north) ?? [];
  return hits.map((i) => cells[i]!).sort((a, b) => a - b);
}

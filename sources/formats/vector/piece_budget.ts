import { CELL_DEG } from '../../../schema/grid.ts';
import { bboxOf } from '../../../transforms/geo/geometry.ts';
import type { Features, Problem, Shape } from '../feature.ts';

/** Maximum cells that one feature may touch: Western Australia, with its whole coast, touches 100,000. */
const FEATURE_MAX = 150_000;
/** Maximum cells that the features of a file may touch: the continent once, plus 50 for each feature, plus one for each vertex. */
const FILE_BASE = 400_000;
const FOR_EACH_FEATURE = 50;

/**
 * Computes twice the area inside rings in square degrees, less holes, by the direction of the rings; and the length of their edges, in
 * degrees.
 */
function extentOf(coords: Float64Array, ends: readonly number[]): { area: number; length: number } {
  let area = 0;
  let length = 0;
  let start = 0;
  for (const end of ends) {
    let ring = 0;
    for (let i = start + 1; i < end; i++) {
      const [x0, y0, x1, y1] = [coords[2 * i - 2]!, coords[2 * i - 1]!, coords[2 * i]!, coords[2 * i + 1]!];
      ring += x0 * y1 - x1 * y0;
      length += Math.abs(x1 - x0) + Math.abs(y1 - y0);
    }
    area += ring / 2;
    start = end;
  }
  return { area: Math.abs(area), length };
}

/** Estimates the maximum grid cells that a shape touches, from its area and edge length, without cutting it. */
export function cellsTouched(shape: Shape): number {
  if (shape.kind === 'none' || shape.kind === 'reject') return 0;
  const { coords } = shape.geometry;
  if (shape.kind === 'point') return coords.length / 2;
  const [west, south, east, north] = bboxOf(coords);
  const box = (Math.ceil((east - west) / CELL_DEG) + 1) * (Math.ceil((north - south) / CELL_DEG) + 1);
  const ends = shape.kind === 'polygon' ? shape.geometry.ringEnds : shape.geometry.lineEnds;
  const { area, length } = extentOf(coords, ends);
  const inside = shape.kind === 'polygon' ? area / CELL_DEG ** 2 : 0;
  return Math.min(
    box * (shape.kind === 'polygon' ? 1 : 4),
    Math.ceil(inside + length / CELL_DEG) + ends.length,
  );
}

/**
 * Limits the pieces of a file's features, so that a few rectangles over the continent do not become millions of rows. Beyond the limit a
 * feature is a reject.
 */
export class PieceBudget {
  #budgetLeft = FILE_BASE;

  /** Charges a shape that is cut `copies` times. Returns the shape, or a reject if it exceeds the budget of its file. */
  bounded(shape: Shape, copies = 1): Shape {
    const cells = cellsTouched(shape) * copies;
    if (cells === 0 || shape.kind === 'none' || shape.kind === 'reject') return shape;
    const vertices = shape.geometry.coords.length / 2;
    const budgetLeft = this.#budgetLeft + FOR_EACH_FEATURE + vertices;
    const extent = bboxOf(shape.geometry.coords);
    const reject = (bound: number, of: string): Shape => ({
      kind: 'reject',
      reject: {
        code: 'too_many_pieces',
        message: `the feature touches about ${cells} cells of the grid with ${vertices} vertices, ${of} ${bound}`,
        extent,
      } satisfies Problem,
    });
    if (cells > FEATURE_MAX + vertices) return reject(FEATURE_MAX + vertices, 'and may touch');
    if (cells > budgetLeft) return reject(Math.floor(budgetLeft), 'and the features before it have left it');
    this.#budgetLeft = Math.min(budgetLeft - cells, FILE_BASE + FOR_EACH_FEATURE * 1_000_000);
    return shape;
  }
}

/** Limits the features of a batch: each one and all together stay within the budget. */
export function withinBudget(batch: Features, budget: PieceBudget): Features {
  let lastShape: { row: number; shape: Shape } | null = null;
  return {
    first: batch.first,
    count: batch.count,
    problem: (row) => batch.problem(row),
    dropOf: (row) => batch.dropOf(row),
    text: (row, field) => batch.text(row, field),
    number: (row, field) => batch.number(row, field),
    id: (row, field) => batch.id(row, field),
    // A shape that is requested twice is charged once.
    shape: (row) => {
      if (lastShape?.row !== row) lastShape = { row, shape: budget.bounded(batch.shape(row)) };
      return lastShape.shape;
    },
  };
}

import { type Bbox, BOUNDS, CELL_DEG, cellBbox, inAustralia } from '../../schema/grid.ts';
import type { Plane } from '../geo/plane.ts';
import { groupSubjects, type SubjectGroups } from '../geo/subject_groups.ts';

/** Fine cells per side of a grid cell: about 92 by 116 m in Melbourne. Halved, up to five times, if there would be too many. */
const PER_CELL = 48;
const MAX_FINE_CELLS = 4_000_000;

/** Increase of the sampled length error, as a fraction, to cover positions between samples. */
const SLACK = 1e-3;

/**
 * Fine grid under a layer: each grid cell of `schema/grid.ts` in a region, divided into `per` by `per` fine cells. Columns and rows
 * count from the region's south-west corner; `first_col` and `first_row` are the country-wide numbers of that corner.
 */
export interface FineGrid {
  readonly west: number;
  readonly south: number;
  readonly step_deg: number;
  readonly per: number;
  readonly first_col: number;
  readonly first_row: number;
  readonly cols: number;
  readonly rows: number;
  /** Bounds of the width and height of a fine cell on the plane. */
  readonly width_min_m: number;
  readonly width_max_m: number;
  readonly height_min_m: number;
  readonly height_max_m: number;
  /** Relative error of lengths computed from these, because the grid is slightly rotated and bent on the plane. */
  readonly slack: number;
}

/** Ranges of fine columns and rows, both ends included; empty if the last is below the first. */
export interface FineRange {
  c0: number;
  c1: number;
  r0: number;
  r1: number;
}

const fineOf = (value: number, origin: number, step: number): number => Math.floor((value - origin) / step);

/** Samples the steps of one fine cell on the plane over the region. */
function sampleSteps(region: Bbox, step: number, plane: Plane) {
  const bounds = {
    width_min_m: Infinity,
    width_max_m: 0,
    height_min_m: Infinity,
    height_max_m: 0,
    slack: SLACK,
  };
  for (let i = 0; i <= 2; i++) {
    for (let j = 0; j <= 2; j++) {
      const lon = region[0] + ((region[2] - region[0]) * i) / 2;
      const lat = region[1] + ((region[3] - region[1]) * j) / 2;
      const ex = plane.x(lon + step, lat) - plane.x(lon, lat);
      const ey = plane.y(lon + step, lat) - plane.y(lon, lat);
      const nx = plane.x(lon, lat + step) - plane.x(lon, lat);
      const ny = plane.y(lon, lat + step) - plane.y(lon, lat);
      const width = Math.hypot(ex, ey);
      const height = Math.hypot(nx, ny);
      bounds.width_min_m = Math.min(bounds.width_min_m, width);
      bounds.width_max_m = Math.max(bounds.width_max_m, width);
      bounds.height_min_m = Math.min(bounds.height_min_m, height);
      bounds.height_max_m = Math.max(bounds.height_max_m, height);
      bounds.slack = Math.max(
        bounds.slack,
        SLACK + 2 * Math.abs(ey / width),
        SLACK + 2 * Math.abs(nx / height),
      );
    }
  }
  return bounds;
}

/** Builds the fine grid over a region in degrees; `plane` must be accurate for all of it. */
export function fineGrid(region: Bbox, plane: Plane): FineGrid {
  let per = PER_CELL;
  for (;;) {
    const step_deg = CELL_DEG / per;
    const first_col = fineOf(region[0], BOUNDS.minLon, step_deg);
    const first_row = fineOf(region[1], BOUNDS.minLat, step_deg);
    const cols = fineOf(region[2], BOUNDS.minLon, step_deg) - first_col + 1;
    const rows = fineOf(region[3], BOUNDS.minLat, step_deg) - first_row + 1;
    if (per % 2 === 0 && cols * rows > MAX_FINE_CELLS) {
      per /= 2;
      continue;
    }
    const west = BOUNDS.minLon + first_col * step_deg;
    const south = BOUNDS.minLat + first_row * step_deg;
    return {
      west,
      south,
      step_deg,
      per,
      first_col,
      first_row,
      cols,
      rows,
      ...sampleSteps(region, step_deg, plane),
    };
  }
}

/** Returns the fine column of a longitude; outside the region below 0 or at least `cols`. */
export const fineCol = (grid: FineGrid, lon: number): number => Math.floor((lon - grid.west) / grid.step_deg);

/** Returns the fine row of a latitude; outside the region below 0 or at least `rows`. */
export const fineRow = (grid: FineGrid, lat: number): number =>
  Math.floor((lat - grid.south) / grid.step_deg);

/** Returns the fine cells of a grid cell in the region; for a negative cell (a feature that was not cut) the whole region. */
export function fineRangeOfCell(grid: FineGrid, cell: number): FineRange {
  if (cell < 0) return { c0: 0, c1: grid.cols - 1, r0: 0, r1: grid.rows - 1 };
  const [west, south] = cellBbox(cell);
  const c0 = Math.round((west - BOUNDS.minLon) / CELL_DEG) * grid.per - grid.first_col;
  const r0 = Math.round((south - BOUNDS.minLat) / CELL_DEG) * grid.per - grid.first_row;
  return {
    c0: Math.max(c0, 0),
    c1: Math.min(c0 + grid.per, grid.cols) - 1,
    r0: Math.max(r0, 0),
    r1: Math.min(r0 + grid.per, grid.rows) - 1,
  };
}

/** Subjects grouped by the fine cell of one point of each; the fine cells may be outside the grid. */
export interface FineGroups extends SubjectGroups {
  readonly cols: Int32Array;
  readonly rows: Int32Array;
}

/**
 * Groups subjects by the fine cell of their anchor (degrees, flat pairs). A subject with a NaN anchor is in no group; one with
 * `alone` set is a group of its own.
 */
export function groupByFineCell(
  grid: FineGrid,
  anchors: Float64Array,
  isAlone: Uint8Array | null,
): FineGroups {
  const count = anchors.length / 2;
  const cols = new Int32Array(count);
  const rows = new Int32Array(count);
  const sortedItems = new Int32Array(count);
  let n = 0;
  for (let i = 0; i < count; i++) {
    const lon = anchors[i * 2]!;
    const lat = anchors[i * 2 + 1]!;
    if (!inAustralia(lon, lat)) continue;
    cols[i] = fineCol(grid, lon);
    rows[i] = fineRow(grid, lat);
    sortedItems[n++] = i;
  }
  return { ...groupSubjects(sortedItems.subarray(0, n), cols, rows, isAlone), cols, rows };
}

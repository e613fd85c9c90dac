/** Coordinates and ring ends of a feature, in the CRS of the file. `ringEnds` counts vertices, exclusive. */
export interface ShapeGeometry {
  readonly coords: Float64Array;
  readonly ringEnds: number[];
}

/** A run of features. Row numbers count from 0 inside the run. */
export class ShpRun {
  count = 0;
  /** Coordinates of all features of the run in one array, so that one datum shift transforms them all. */
  coords = new Float64Array(0);
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #problems = new Map<number, string>();
  readonly #rings: number[] = [];
  readonly #ringStarts: number[] = [0];

  /** Returns the geometry; null for a null shape and for a shape with a problem. */
  geometry(row: number): ShapeGeometry | null {
    const from = this.#starts[row]!;
    const to = this.#ends[row]!;
    if (from === to) return null;
    return {
      coords: this.coords.subarray(from * 2, to * 2),
      ringEnds: this.#rings.slice(this.#ringStarts[row], this.#ringStarts[row + 1]),
    };
  }

  /** Returns what is wrong with the bytes of the feature; null: nothing. */
  problem(row: number): string | null {
    return this.#problems.get(row) ?? null;
  }

  /** Adds a ring end to the feature that the next `add` closes. */
  addRing(end: number): void {
    this.#rings.push(end);
  }

  /** Discards the rings since the last feature. Returns false, for the caller to return. */
  dropRings(): false {
    this.#rings.length = this.#ringStarts[this.count]!;
    return false;
  }

  /** Closes a feature, whose vertices are [from, to) of the run. */
  add(from: number, to: number, problem: string | null): void {
    if (problem !== null) this.#problems.set(this.count, problem);
    this.#starts.push(from);
    this.#ends.push(to);
    this.#ringStarts.push(this.#rings.length);
    this.count++;
  }
}

/** Position of the x, y pairs of a shape in the buffer. Null: a null shape. Text: what is wrong with it. */
export type ParsedShape = { from: number; points: number } | string | null;

/** Checks every count of a record against its length before using it; ring ends go to the run. */
export function parseShape(
  view: DataView,
  at: number,
  bytes: number,
  fileType: number,
  run: ShpRun,
): ParsedShape {
  const type = view.getInt32(at, true);
  if (type === 0) return null;
  if (type !== fileType) return `shape type ${type} in a file of type ${fileType}`;
  const family = type % 10;
  if (family === 1) return bytes < 20 ? `a point of ${bytes} bytes` : { from: at + 4, points: 1 };
  const fixed = family === 8 ? 40 : 44;
  if (bytes < fixed) return `a record of ${bytes} bytes, a shape of type ${type} has at least ${fixed}`;
  const parts = family === 8 ? 0 : view.getInt32(at + 36, true);
  const points = view.getInt32(at + fixed - 4, true);
  const z = type > 10 && type < 20 ? 16 + 8 * points : 0;
  if (parts < 0 || points < 0 || fixed + 4 * parts + 16 * points + z > bytes) {
    return `${parts} parts and ${points} points do not fit a record of ${bytes} bytes`;
  }
  if (points === 0) return null;
  if (family !== 8 && !addRings(view, at + fixed, parts, points, run)) {
    return `part starts do not ascend from 0 to ${points} points`;
  }
  return { from: at + fixed + 4 * parts, points };
}

/** Appends the ring ends of the next feature of the run; false: the part starts are not in order. */
function addRings(view: DataView, at: number, parts: number, points: number, run: ShpRun): boolean {
  if (parts === 0 || view.getInt32(at, true) !== 0) return false;
  let last = 0;
  for (let part = 1; part < parts; part++) {
    const start = view.getInt32(at + 4 * part, true);
    if (start < last || start > points) return run.dropRings();
    if (start > last) run.addRing(start);
    last = start;
  }
  if (last < points) run.addRing(points);
  return true;
}

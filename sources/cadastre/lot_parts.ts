import type { MultiPolygon } from '../../transforms/geo/geometry.ts';
import { joinPolygons, polygonsOf } from '../../transforms/geo/geometry.ts';
import { unionOf } from '../../transforms/geo/union.ts';
import { RepeatedKeys } from '../release/repeated_keys.ts';

/** A lot, with the feature number and identifier of its first part. */
export interface WholeLot {
  readonly feature: number;
  readonly id: string;
  readonly lotPlan: string | null;
  readonly geometry: MultiPolygon;
  readonly repaired: string | null;
  /** Number of rows merged into the lot. */
  readonly rows: number;
}

/** Result of the first pass: numbers of the rows that another part of their lot follows. */
export type FollowedParts = ReadonlySet<number>;

/** Records the lot of each kept row, in file order; 24 bytes a row. */
export class LotSurvey {
  readonly #keys = new RepeatedKeys();

  /** Adds a row. Null: it has no lot, so it is its own parcel. Its key is then its number, which no lot has. */
  add(lotPlan: string | null, feature: number): void {
    this.#keys.add(lotPlan ?? `#${feature}`, Number.NEGATIVE_INFINITY);
  }

  followed(): FollowedParts {
    return this.#keys.replaced();
  }
}

/** Merges the rows of one lot. Memory: the parts of lots whose last part has not been read yet. */
export class LotParts {
  readonly #followed: FollowedParts;
  readonly #held = new Map<string, WholeLot[]>();

  constructor(followed: FollowedParts) {
    this.#followed = followed;
  }

  /**
   * Adds a row with its number among the rows that the survey kept, from 0. Returns the lot once all its parts are read; null: the row
   * waits.
   */
  take(part: WholeLot, kept: number): WholeLot | null {
    const isFollowed = this.#followed.has(kept);
    const { lotPlan } = part;
    if (lotPlan === null) return part;
    const held = this.#held.get(lotPlan);
    if (isFollowed) {
      if (held === undefined) this.#held.set(lotPlan, [part]);
      else held.push(part);
      return null;
    }
    this.#held.delete(lotPlan);
    return held === undefined ? part : united([...held, part]);
  }

  /** Lots whose last row had no shape, in order of their first part. */
  *rest(): Generator<WholeLot> {
    for (const parts of this.#held.values()) yield united(parts);
    this.#held.clear();
  }
}

const united = (parts: readonly WholeLot[]): WholeLot => ({
  ...parts[0]!,
  ...unitedParts(parts),
  rows: parts.length,
});

/** Merges the shapes of several pieces, and lists what was repaired in any of them. */
export function unitedParts(
  parts: readonly Pick<WholeLot, 'geometry' | 'repaired'>[],
): Pick<WholeLot, 'geometry' | 'repaired'> {
  const repairs = new Set(parts.flatMap(({ repaired }) => repaired?.split('+') ?? []));
  const shapes = parts.map(({ geometry }) => geometry);
  const whole = unionOf(shapes);
  // the area of such a lot counts what its pieces share twice
  if (whole === null) repairs.add('parts_not_united');
  return {
    geometry: whole ?? joinPolygons(shapes.flatMap(polygonsOf)),
    repaired: repairs.size === 0 ? null : [...repairs].sort().join('+'),
  };
}

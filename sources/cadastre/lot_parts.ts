import type { MultiPolygon } from '../../transforms/geo/geometry.ts';
import { unionOf } from '../../transforms/geo/union.ts';
import { RepeatedKeys } from '../release/repeated_keys.ts';

/** A lot with the feature that names it: the first of its parts. */
export interface WholeLot {
  readonly feature: number;
  readonly id: string;
  readonly lotPlan: string | null;
  readonly geometry: MultiPolygon;
  readonly repaired: string | null;
  /** Rows that it was made of. */
  readonly rows: number;
}

/** What is known of the parts of lots after the first reading: numbers of the rows that another part of their lot follows. */
export type FollowedParts = ReadonlySet<number>;

/** Notes the lot of each row that is kept, in file order; 24 bytes a row. */
export class LotSurvey {
  readonly #keys = new RepeatedKeys();

  /** Null: a row without a lot, which stands by itself. The key is then its own number, which no lot has. */
  add(lotPlan: string | null, feature: number): void {
    this.#keys.add(lotPlan ?? `#${feature}`, Number.NEGATIVE_INFINITY);
  }

  followed(): FollowedParts {
    return this.#keys.replaced();
  }
}

/** Unites the rows of one lot. Memory: the parts of lots whose last part has not come yet. */
export class LotParts {
  readonly #followed: FollowedParts;
  readonly #held = new Map<string, WholeLot[]>();

  constructor(followed: FollowedParts) {
    this.#followed = followed;
  }

  /** Takes a row with its number among those that the survey kept, from 0; gives its lot once all parts are there, null where the row is held. */
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

  /** Lots whose last row had no shape, in the order in which they began. */
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

/** The ground of several pieces together, and what was repaired of any of them. */
export function unitedParts(
  parts: readonly Pick<WholeLot, 'geometry' | 'repaired'>[],
): Pick<WholeLot, 'geometry' | 'repaired'> {
  const repairs = new Set(parts.flatMap(({ repaired }) => repaired?.split('+') ?? []));
  return {
    geometry: unionOf(parts.map(({ geometry }) => geometry)),
    repaired: repairs.size === 0 ? null : [...repairs].sort().join('+'),
  };
}

import type { MultiPolygon } from '../../transforms/geo/geometry.ts';
import { unionOf } from '../../transforms/geo/union.ts';
import { RepeatedKeys } from '../release/repeated_keys.ts';

/** A lot, with the feature number and identifier of its first part. */
export interface WholeLot {
  readonly feature: number;
  readonly id: string;
  readonly lotPlan: string | null;
  readonly geometry: MultiPolygon;
  readonly repaired: string | null;
}

/** The pieces of one lot in file order, and their union. Null: they overlap and cannot be united, so that their area is unknown. */
export interface UnitedLot {
  readonly pieces: readonly WholeLot[];
  readonly lot: WholeLot | null;
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
  readonly #pieces = new Map<string, WholeLot[]>();

  constructor(followed: FollowedParts) {
    this.#followed = followed;
  }

  /**
   * Adds a row with its number among the rows that the survey kept, from 0. Returns the lot once all its parts are read; null: the row
   * waits.
   */
  take(part: WholeLot, keptCount: number): UnitedLot | null {
    const isFollowed = this.#followed.has(keptCount);
    const { lotPlan } = part;
    if (lotPlan === null) return united([part]);
    const pieces = this.#pieces.get(lotPlan);
    if (isFollowed) {
      if (pieces === undefined) this.#pieces.set(lotPlan, [part]);
      else pieces.push(part);
      return null;
    }
    this.#pieces.delete(lotPlan);
    return united([...(pieces ?? []), part]);
  }

  /** Lots whose last row had no shape, in order of their first part. */
  *rest(): Generator<UnitedLot> {
    for (const parts of this.#pieces.values()) yield united(parts);
    this.#pieces.clear();
  }
}

export function united(pieces: readonly WholeLot[]): UnitedLot {
  if (pieces.length === 1) return { pieces, lot: pieces[0]! };
  const union = unitedParts(pieces);
  return { pieces, lot: union === null ? null : { ...pieces[0]!, ...union } };
}

/** Merges the shapes of several pieces, and lists what was repaired in any of them. Null: see UnitedLot. */
export function unitedParts(
  parts: readonly Pick<WholeLot, 'geometry' | 'repaired'>[],
): Pick<WholeLot, 'geometry' | 'repaired'> | null {
  const geometry = unionOf(parts.map((part) => part.geometry));
  if (geometry === null) return null;
  const repairs = new Set(parts.flatMap(({ repaired }) => repaired?.split('+') ?? []));
  return { geometry, repaired: repairs.size === 0 ? null : [...repairs].sort().join('+') };
}

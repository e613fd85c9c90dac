import type { AuditCheck } from '../../report/report.ts';
import { type Acceptance, judge } from '../gates.ts';

/** Returns the gate name of a table whose values are recomputed. */
export const independentGate = (table: string): string => `independent:${table}`;

/** Returns whether a gate compares published values with recomputed ones. */
export const isIndependent = ({ check }: AuditCheck): boolean => check.startsWith(independentGate(''));

/** Allowed difference of distances: metres, and a share of the distance. */
const ABSOLUTE_M = 0.01;
const RELATIVE = 1e-5;

/** Allowed difference of areas, a share. */
export const AREA_SHARE = 1e-5;

/** Maximum examples in the message of a gate. */
const SHOWN = 3;

const allowed = (metres: number): number => ABSOLUTE_M + RELATIVE * metres;
const words = (value: number | null): string => (value === null ? 'none' : String(Number(value.toFixed(4))));

/** Counts the published values of a table that were recomputed, and those that differ. */
export class Facts {
  compared = 0;
  /** Facts at a limit, such as the search radius, where the allowed difference decides, and those that Turf cannot compute. */
  unclear = 0;
  readonly differing: string[] = [];
  /** Sentences about facts that could not be found again. */
  readonly notes: string[] = [];
  #worst = 0;
  #worstText = '';

  /** Compares flags; null: a limit is so near that either value is right. */
  flag(key: string, published: boolean, recomputed: boolean | null): void {
    if (recomputed === null) this.unclear++;
    else this.#add(published === recomputed, `${key} ${published}, recomputed ${recomputed}`);
  }

  /** Compares values with a maximum difference; `rounded`: the published one is a whole number; NaN: Turf cannot compute it. */
  value(key: string, published: number | null, expected: number | null, most: number, rounded = false): void {
    const text = `${key} ${words(published)}, recomputed ${words(expected)}`;
    if (Number.isNaN(expected)) this.unclear++;
    else if (published === null || expected === null) this.#add(published === expected, text);
    else {
      const off = Math.max(0, Math.abs(published - expected) - (rounded ? 0.5 : 0));
      if (off / most > this.#worst) [this.#worst, this.#worstText] = [off / most, text];
      this.#add(off <= most, text);
    }
  }

  /** Compares metres to the nearest thing within a radius. Null or Infinity: none is within it. */
  distance(
    key: string,
    published: number | null,
    recomputed: number,
    within_m: number,
    rounded = false,
  ): void {
    const least = Math.min(published ?? Infinity, recomputed);
    const isOne = (published === null) !== (recomputed === Infinity);
    if (isOne && least > within_m - allowed(within_m) - (rounded ? 0.5 : 0)) this.unclear++;
    else this.value(key, published, recomputed === Infinity ? null : recomputed, allowed(least), rounded);
  }

  #add(isSame: boolean, text: string): void {
    this.compared++;
    if (!isSame) this.differing.push(text);
  }

  gate(table: string, sample: string, accepted: Acceptance): AuditCheck {
    const { compared, unclear, differing, notes } = this;
    const publishedText =
      unclear === 0 ? '' : ` ${unclear} facts at a limit, or that cannot be computed, are not compared.`;
    if (compared === 0) {
      const none = `Nothing to compare in ${sample}.${publishedText}${notes.map((note) => ` ${note}`).join('')}`;
      return { check: independentGate(table), table, status: 'nothing', message: none };
    }
    const recomputedText =
      differing.length === 0
        ? 'none differs'
        : `${differing.length} differ, for example ${differing.slice(0, SHOWN).join('; ')}`;
    const worst =
      this.#worst === 0
        ? ''
        : ` The largest difference is ${(this.#worst * 100).toFixed(1)} % of the allowed one: ${this.#worstText}.`;
    const how = table === 'parcel' ? 'read again by other readers' : 'recomputed by Turf';
    const message = `${compared} facts of ${sample} ${how}: ${recomputedText}.${worst}${publishedText}${notes.map((note) => ` ${note}`).join('')}`;
    return judge(independentGate(table), table, differing.length === 0, message, accepted);
  }
}

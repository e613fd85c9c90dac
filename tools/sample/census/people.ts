import type { Random } from '../random.ts';
import { CENSUS_COLUMNS, type CensusBase, MEDIANS } from './columns.ts';

/** Persons below which the ABS publishes no median. */
const LEAST_FOR_MEDIAN = 10;

/** The people of a region: the counts of CENSUS_COLUMNS, and medians weighted by persons so that regions can be added. */
export class People {
  readonly counts = new Int32Array(CENSUS_COLUMNS.length);
  readonly #weighted = new Float64Array(MEDIANS.length);

  get persons(): number {
    return this.count('G01', 'Tot_P_P');
  }

  count(file: string, name: string): number {
    return this.counts[CENSUS_COLUMNS.findIndex((each) => each.file === file && each.name === name)]!;
  }

  add(other: People): void {
    for (let i = 0; i < this.counts.length; i++) this.counts[i]! += other.counts[i]!;
    for (let i = 0; i < MEDIANS.length; i++) this.#weighted[i]! += other.#weighted[i]!;
  }

  /** G02 of the region; 0 where it has too few people. */
  medians(): number[] {
    const { persons } = this;
    return MEDIANS.map(([, , , digits], i) =>
      persons < LEAST_FOR_MEDIAN ? 0 : Number((this.#weighted[i]! / persons).toFixed(digits)),
    );
  }

  /** Unemployment and participation of G43, per cent with one decimal; 0 where nobody is counted. */
  percentages(): number[] {
    const percent = (part: string, whole: string): number => {
      const base = this.count('G43', whole);
      return base === 0 ? 0 : Number(((100 * this.count('G43', part)) / base).toFixed(1));
    };
    return [
      percent('lfs_Unmplyed_lookng_for_wrk_P', 'lfs_Tot_LF_P'),
      percent('lfs_Tot_LF_P', 'P_15_yrs_over_P'),
    ];
  }

  /**
   * The people of an SA1 with this many dwellings. `wealth` is about -2 to 2; where `isEstate`, a third of the dwellings are
   * public housing. Parts do not add up to totals, as in the Census.
   */
  static of(dwellings: number, wealth: number, isEstate: boolean, random: Random): People {
    const people = new People();
    const occupied = Math.round(dwellings * 0.91);
    const persons = Math.round(occupied * (2.2 + 0.6 * random.next()));
    const bases: Record<CensusBase, number> = {
      persons,
      adults: Math.round(persons * 0.82),
      households: occupied,
      occupied,
      dwellings,
    };
    CENSUS_COLUMNS.forEach(({ name, base, weight, tilt }, i) => {
      const jitter = weight === 1 ? 1 : 0.85 + 0.3 * random.next();
      const share = name === 'R_ST_h_auth_Total' && isEstate ? 0.33 : weight * Math.exp(tilt * wealth);
      people.counts[i] = Math.round(bases[base] * Math.min(1.3, share) * jitter);
    });
    MEDIANS.forEach(([, usual, factor], i) => {
      people.#weighted[i] = persons * usual * factor ** wealth * (0.97 + 0.06 * random.next());
    });
    return people;
  }
}

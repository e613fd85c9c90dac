import { MIN_PEERS } from './stats/peers.ts';

/** One campus as the ranking sees it. */
export interface RankedCampus {
  readonly school_id: number;
  /** Campus whose figures it shares; itself for a school of one campus. */
  readonly head_id: number;
  /** Null: unknown; the campus is compared with the nation. */
  readonly state: string | null;
  /** Primary, Secondary, Combined or Special; null: unknown, and then it is compared with no one. */
  readonly level: string | null;
  /** The higher the better; null: not known. */
  readonly score: number | null;
}

/** Place of a school among its peers. */
export interface SchoolRank {
  /** 0 for the lowest of the peers, 1 for the highest; equal scores share their mean place. */
  readonly rank: number;
  readonly label: RankBand;
  /** Peers: schools of its level in its state, or in the nation where its state has too few. */
  readonly peers: 'state' | 'nation';
  /** Schools it was compared with, itself included. */
  readonly peer_count: number;
}

/** Text bands of a rank, the best first. Source: our choice; the specification says that labels are text bands. */
export const RANK_BANDS = ['top 10%', 'above average', 'average', 'below average', 'bottom 10%'] as const;
export type RankBand = (typeof RANK_BANDS)[number];

/** Band of a rank from 0 to 1: the outer tenths, the middle fifth (0.4 to 0.6), and what lies between. */
export function bandOf(rank: number): RankBand {
  if (rank >= 0.9) return 'top 10%';
  if (rank > 0.6) return 'above average';
  if (rank >= 0.4) return 'average';
  return rank > 0.1 ? 'below average' : 'bottom 10%';
}

/**
 * Rank of each value among all of them, 0 for the lowest and 1 for the highest: (place - 1) / (count - 1), equal values sharing
 * their mean place. A single value has rank 0.5. NaN is not allowed.
 */
export function percentileRanks(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((a, b) => values[a]! - values[b]! || a - b);
  const ranks = new Array<number>(values.length);
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to + 1 < order.length && values[order[to + 1]!] === values[order[from]!]) to++;
    const rank = order.length === 1 ? 0.5 : (from + to) / 2 / (order.length - 1);
    for (let i = from; i <= to; i++) ranks[order[i]!] = rank;
    from = to + 1;
  }
  return ranks;
}

/** The schools of the campuses, one for each head, with the score that counts for all its campuses. */
function schoolsOf(campuses: readonly RankedCampus[]): Map<number, RankedCampus> {
  const schools = new Map<number, RankedCampus>();
  for (const campus of [...campuses].sort((a, b) => a.school_id - b.school_id)) {
    const known = schools.get(campus.head_id);
    const isHead = campus.school_id === campus.head_id;
    if (known === undefined) schools.set(campus.head_id, campus);
    else if (isHead) schools.set(campus.head_id, { ...campus, score: campus.score ?? known.score });
    else if (known.score === null) schools.set(campus.head_id, { ...known, score: campus.score });
  }
  return schools;
}

const groupOf = <T>(items: Iterable<T>, keyOf: (item: T) => string | null): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === null) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
};

/**
 * Rank of every campus by score, by its identifier; campuses without a rank are absent. A school counts once, however many
 * campuses it has: its head's score counts, else that of the campus with the lowest identifier that has one. Peers are the schools
 * of the same level in the same state; fewer than `min_peers` of them: those of the nation; fewer of these too: no rank.
 */
export function rankSchools(
  campuses: readonly RankedCampus[],
  min_peers: number = MIN_PEERS,
): Map<number, SchoolRank> {
  const schools = schoolsOf(campuses);
  const scored = [...schools.values()].filter(({ score, level }) => score !== null && level !== null);
  const byHead = new Map<number, SchoolRank>();
  const rankWithin = (groups: Map<string, RankedCampus[]>, peers: SchoolRank['peers']): void => {
    for (const group of groups.values()) {
      if (group.length < Math.max(2, min_peers)) continue;
      const ranks = percentileRanks(group.map(({ score }) => score!));
      group.forEach(({ head_id }, i) => {
        const rank = ranks[i]!;
        byHead.set(head_id, { rank, label: bandOf(rank), peers, peer_count: group.length });
      });
    }
  };
  rankWithin(
    groupOf(scored, ({ level }) => level),
    'nation',
  );
  // A rank within the state takes the place of that within the nation.
  rankWithin(
    groupOf(scored, ({ level, state }) => (state === null ? null : `${state} ${level}`)),
    'state',
  );
  const ranks = new Map<number, SchoolRank>();
  for (const { school_id, head_id } of campuses) {
    const rank = byHead.get(head_id);
    if (rank !== undefined) ranks.set(school_id, rank);
  }
  return ranks;
}

/** Measures of a school for one year. */
export interface YearMeasures {
  readonly school_id: number;
  readonly year: number;
  readonly attendance_rate: number | null;
  readonly naplan_mean: number | null;
  readonly icsea: number | null;
}

/** Each measure of a school in the latest year that states it; null: never stated. */
export function latestMeasures(
  rows: readonly YearMeasures[],
): Map<number, Pick<YearMeasures, 'attendance_rate' | 'naplan_mean' | 'icsea'>> {
  const latest = new Map<number, Pick<YearMeasures, 'attendance_rate' | 'naplan_mean' | 'icsea'>>();
  for (const { school_id, attendance_rate, naplan_mean, icsea } of [...rows].sort(
    (a, b) => b.year - a.year,
  )) {
    const known = latest.get(school_id);
    latest.set(school_id, {
      attendance_rate: known?.attendance_rate ?? attendance_rate,
      naplan_mean: known?.naplan_mean ?? naplan_mean,
      icsea: known?.icsea ?? icsea,
    });
  }
  return latest;
}

/** A campus with what its socio-economic rank can come from. */
export interface SocioeconomicCampus extends Omit<RankedCampus, 'score'> {
  /** Null: not licensed or not stated. */
  readonly icsea: number | null;
  /** IRSAD percentile in Australia, 1 to 100, of its SA1; null: excluded or not known. */
  readonly sa1_irsad_percentile: number | null;
  /** The same of its SA2. */
  readonly sa2_irsad_percentile: number | null;
}

/** Socio-economic rank and where it comes from. */
export interface SocioeconomicRank {
  readonly rank: number;
  readonly label: RankBand;
  readonly source: 'icsea' | 'seifa';
}

/**
 * Socio-economic rank of every campus, by its identifier: by ICSEA among its peers as in `rankSchools`; where that gives none, the
 * IRSAD percentile of the place of its head (of the SA1, else of the SA2), taken at the middle of the percentile. The two are not
 * compared with one another: `source` says which it is.
 */
export function rankSocioeconomic(
  campuses: readonly SocioeconomicCampus[],
  min_peers: number = MIN_PEERS,
): Map<number, SocioeconomicRank> {
  const byIcsea = rankSchools(
    campuses.map((campus) => ({ ...campus, score: campus.icsea })),
    min_peers,
  );
  const percentileOf = ({ sa1_irsad_percentile, sa2_irsad_percentile }: SocioeconomicCampus) =>
    sa1_irsad_percentile ?? sa2_irsad_percentile;
  const places = new Map(campuses.map((campus) => [campus.school_id, percentileOf(campus)]));
  const ranks = new Map<number, SocioeconomicRank>();
  for (const campus of campuses) {
    const ranked = byIcsea.get(campus.school_id);
    if (ranked !== undefined) {
      ranks.set(campus.school_id, { rank: ranked.rank, label: ranked.label, source: 'icsea' });
      continue;
    }
    const percentile = places.get(campus.head_id) ?? percentileOf(campus);
    if (percentile === null) continue;
    const rank = (percentile - 0.5) / 100;
    ranks.set(campus.school_id, { rank, label: bandOf(rank), source: 'seifa' });
  }
  return ranks;
}

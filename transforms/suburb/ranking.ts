import { MIN_PEERS } from '../stats/peers.ts';

/** One area with the figure that it is ranked by; null: it has none, and is not ranked. */
export interface Ranked {
  key: string;
  state: string;
  value: number | null;
}

/** Place of an area among its peers: those with a figure. */
export interface Rank {
  /** 1 is the first; equal values share the better rank. */
  rank: number;
  /** Number of peers, the area itself among them. */
  of: number;
  /** Share of peers that it is not behind: 1 for the first, 1 / of for the last alone. */
  fraction: number;
}

/** Ranks within the state and the nation; null without a figure, and among fewer than MIN_PEERS. */
export interface Ranks {
  state: Rank | null;
  nation: Rank | null;
}

/** Whether the highest or the lowest value is first. */
export type RankOrder = 'high_first' | 'low_first';

function ranksOf(areas: readonly Ranked[], order: RankOrder): Map<string, Rank> {
  const sign = order === 'high_first' ? -1 : 1;
  const valued = areas.flatMap(({ key, value }) =>
    value !== null && Number.isFinite(value) ? [{ key, value: sign * value }] : [],
  );
  valued.sort((a, b) => a.value - b.value);
  const ranks = new Map<string, Rank>();
  const of = valued.length;
  if (of < MIN_PEERS) return ranks;
  let rank = 1;
  valued.forEach(({ key, value }, i) => {
    if (i > 0 && value !== valued[i - 1]!.value) rank = i + 1;
    ranks.set(key, { rank, of, fraction: (of - rank + 1) / of });
  });
  return ranks;
}

/**
 * Ranks of areas by their figure, by key, within their state and the nation. Keys must be unique. Areas of one dwelling type
 * and one figure should be given; those without a figure are no peers. O(n log n).
 */
export function rankAreas(areas: readonly Ranked[], order: RankOrder): Map<string, Ranks> {
  const nation = ranksOf(areas, order);
  const states = new Map<string, Ranked[]>();
  for (const area of areas) {
    const own = states.get(area.state);
    if (own) own.push(area);
    else states.set(area.state, [area]);
  }
  const byState = new Map([...states].map(([state, own]) => [state, ranksOf(own, order)]));
  return new Map(
    areas.map(({ key, state }) => [
      key,
      { state: byState.get(state)!.get(key) ?? null, nation: nation.get(key) ?? null },
    ]),
  );
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bandOf,
  latestMeasures,
  percentileRanks,
  type RankedCampus,
  rankSchools,
  rankSocioeconomic,
  type SocioeconomicCampus,
} from '../../transforms/school_rank.ts';

const campus = (school_id: number, score: number | null, more: Partial<RankedCampus> = {}): RankedCampus => ({
  school_id,
  head_id: school_id,
  state: 'VIC',
  level: 'Primary',
  score,
  ...more,
});
const many = (count: number, first: number, more: Partial<RankedCampus> = {}): RankedCampus[] =>
  Array.from({ length: count }, (_, i) => campus(first + i, 500 + i, more));

describe('bandOf', () => {
  it.each([
    [1, 'top 10%'],
    [0.9, 'top 10%'],
    [0.8999, 'above average'],
    [0.6, 'average'],
    [0.4, 'average'],
    [0.3999, 'below average'],
    [0.1001, 'below average'],
    [0.1, 'bottom 10%'],
    [0, 'bottom 10%'],
  ])('%d is %s', (rank, band) => expect(bandOf(rank)).toBe(band));
});

describe('percentileRanks', () => {
  it.each([
    [[], []],
    [[7], [0.5]],
    [
      [1, 2, 3],
      [0, 0.5, 1],
    ],
    [
      [3, 1, 2],
      [1, 0, 0.5],
    ],
    [
      [5, 5],
      [0.5, 0.5],
    ],
    [
      [1, 2, 2, 3],
      [0, 0.5, 0.5, 1],
    ],
    [
      [2, 2, 2, 9],
      [1 / 3, 1 / 3, 1 / 3, 1],
    ],
  ])('of %j', (values, ranks) => expect(percentileRanks(values)).toEqual(ranks));

  it('is the mean over the others of 1 where lower, a half where equal', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 2, maxLength: 60 }), (values) => {
        const ranks = percentileRanks(values);
        values.forEach((value, i) => {
          const others = values.filter((_, j) => j !== i);
          const sum = others.reduce(
            (total, other) => total + (other < value ? 1 : other === value ? 0.5 : 0),
            0,
          );
          expect(ranks[i]).toBeCloseTo(sum / others.length, 12);
        });
      }),
      { seed: 5, numRuns: 200 },
    );
  });
});

describe('rankSchools', () => {
  it('compares with schools of the same level in the same state', () => {
    const ranks = rankSchools([
      ...many(11, 1),
      ...many(11, 101, { level: 'Secondary' }),
      ...many(11, 201, { state: 'NSW' }),
    ]);
    for (const first of [1, 101, 201]) {
      expect(ranks.get(first)).toEqual({ rank: 0, label: 'bottom 10%', peers: 'state', peer_count: 11 });
      expect(ranks.get(first + 5)).toMatchObject({ rank: 0.5, label: 'average' });
      expect(ranks.get(first + 10)).toMatchObject({ rank: 1, label: 'top 10%' });
    }
  });

  it('compares with the nation where the state has too few, and ranks none where that has too few', () => {
    const ranks = rankSchools([
      ...many(4, 1),
      ...many(3, 101, { state: 'NT' }),
      ...many(4, 201, { level: 'Special' }),
    ]);
    expect(ranks.get(1)).toMatchObject({ peers: 'nation', peer_count: 7 });
    expect(ranks.get(103)).toMatchObject({ peers: 'nation', peer_count: 7 });
    expect(ranks.has(201)).toBe(false);
    expect(rankSchools(many(9, 1), 9).get(9)).toMatchObject({ peers: 'state', rank: 1 });
  });

  it.each([
    ['unknown score', campus(99, null)],
    ['unknown level', campus(99, 700, { level: null })],
  ])('gives no rank to a school of %s', (_what, school) => {
    const ranks = rankSchools([...many(10, 1), school]);
    expect(ranks.has(99)).toBe(false);
    expect(ranks.get(1)).toMatchObject({ peer_count: 10 });
  });

  it('counts a school once and gives its rank to all its campuses', () => {
    const schools = many(10, 1);
    const ranks = rankSchools([
      ...schools,
      campus(50, 900),
      campus(51, 100, { head_id: 50, level: 'Secondary', state: 'NSW' }),
      campus(60, null),
      campus(62, 800, { head_id: 60 }),
      campus(61, null, { head_id: 60 }),
      campus(71, 450, { head_id: 70 }),
    ]);
    expect(ranks.get(50)).toMatchObject({ rank: 1, peer_count: 13 });
    expect(ranks.get(51)).toEqual(ranks.get(50));
    expect(ranks.get(60)).toMatchObject({ rank: 11 / 12 });
    expect(ranks.get(61)).toEqual(ranks.get(62));
    expect(ranks.get(71)).toMatchObject({ rank: 0 });
  });

  it('does not depend on the order of the campuses', () => {
    const score = fc.option(fc.integer({ min: 0, max: 9 }), { nil: null });
    const made = fc.record({
      head: fc.integer({ min: 0, max: 20 }),
      score,
      state: fc.constantFrom('VIC', 'NT', null),
    });
    fc.assert(
      fc.property(fc.array(made, { maxLength: 50 }), fc.integer(), (list, turn) => {
        const campuses = list.map(({ head, score, state }, i) => campus(i, score, { head_id: head, state }));
        const at = campuses.length === 0 ? 0 : Math.abs(turn) % campuses.length;
        const turned = [...campuses.slice(at), ...campuses.slice(0, at)];
        const sorted = (ranks: ReturnType<typeof rankSchools>) => [...ranks].sort(([a], [b]) => a - b);
        expect(sorted(rankSchools(turned, 3))).toEqual(sorted(rankSchools(campuses, 3)));
      }),
      { seed: 6, numRuns: 200 },
    );
  });
});

describe('latestMeasures', () => {
  it('takes each measure of the latest year that states it', () => {
    const none = { attendance_rate: null, naplan_mean: null, icsea: null };
    const measures = latestMeasures([
      { school_id: 1, year: 2023, attendance_rate: 90, naplan_mean: 500, icsea: 1000 },
      { school_id: 1, year: 2025, ...none, attendance_rate: 92 },
      { school_id: 1, year: 2024, ...none, naplan_mean: 510 },
      { school_id: 2, year: 2024, ...none },
    ]);
    expect(measures.get(1)).toEqual({ attendance_rate: 92, naplan_mean: 510, icsea: 1000 });
    expect(measures.get(2)).toEqual(none);
  });
});

describe('rankSocioeconomic', () => {
  const place = (school_id: number, more: Partial<SocioeconomicCampus> = {}): SocioeconomicCampus => ({
    school_id,
    head_id: school_id,
    state: 'VIC',
    level: 'Primary',
    icsea: null,
    sa1_irsad_percentile: null,
    sa2_irsad_percentile: null,
    ...more,
  });

  it('goes by ICSEA where it is known, else by the SA1, else by the SA2 of the head', () => {
    const ranks = rankSocioeconomic([
      ...Array.from({ length: 10 }, (_, i) => place(i + 1, { icsea: 950 + i, sa1_irsad_percentile: 50 })),
      place(20, { sa1_irsad_percentile: 100, sa2_irsad_percentile: 3 }),
      place(21, { sa2_irsad_percentile: 1 }),
      place(22, { head_id: 20, sa1_irsad_percentile: 40 }),
      place(23, { head_id: 99, sa1_irsad_percentile: 40 }),
      place(24),
    ]);
    expect(ranks.get(10)).toEqual({ rank: 1, label: 'top 10%', source: 'icsea' });
    expect(ranks.get(20)).toEqual({ rank: 0.995, label: 'top 10%', source: 'seifa' });
    expect(ranks.get(21)).toEqual({ rank: 0.005, label: 'bottom 10%', source: 'seifa' });
    expect(ranks.get(22)).toEqual(ranks.get(20));
    expect(ranks.get(23)).toMatchObject({ rank: 0.395, label: 'below average' });
    expect(ranks.has(24)).toBe(false);
  });

  it('goes by the place where too few schools have an ICSEA', () => {
    const ranks = rankSocioeconomic([
      place(1, { icsea: 1000, sa1_irsad_percentile: 50 }),
      place(2, { icsea: 900 }),
    ]);
    expect([...ranks]).toEqual([[1, { rank: 0.495, label: 'average', source: 'seifa' }]]);
  });
});

import { expect, it } from 'vitest';
import { schoolRankStage } from '../../../pipelines/stages/school_rank.ts';
import { computed } from '../computed.ts';

const school = (school_id: number, more: Record<string, unknown> = {}) => ({
  school_id,
  head_id: school_id,
  state: 'VIC',
  level: 'Primary',
  sa1: `2010110010${school_id % 10}`,
  icsea: null,
  ...more,
});
const seifa = (level: string, code: string, irsad_percentile: number | null) => ({
  year: 2021,
  level,
  code,
  irsad_percentile,
});

function ranksOf(schools: ReturnType<typeof school>[], areas: ReturnType<typeof seifa>[]) {
  const { rows } = computed(schoolRankStage, { school: schools, measure: [], seifa: areas });
  return Object.fromEntries(
    rows.map((row) => [row.school_id, [row.socioeconomic_rank, row.socioeconomic_source]]),
  );
}

it('takes the percentile of the SA1, else of the SA2, where there is no ICSEA', () => {
  const ranks = ranksOf(
    [school(1), school(2), school(3, { sa1: null }), school(4, { head_id: 1 })],
    [seifa('SA1', '20101100101', 91), seifa('SA1', '20101100102', null), seifa('SA2', '201011001', 40)],
  );
  expect(ranks).toEqual({
    1: [0.905, 'seifa'],
    2: [0.395, 'seifa'],
    3: [null, null],
    // a campus counts as its head
    4: [0.905, 'seifa'],
  });
});

it('ranks by ICSEA among the schools that have it, and says which it is for each', () => {
  const schools = Array.from({ length: 11 }, (_, i) => school(10 + i, { icsea: 1000 + i }));
  const ranks = ranksOf([...schools, school(1)], [seifa('SA2', '201011001', 40)]);
  expect(ranks[10]).toEqual([0, 'icsea']);
  expect(ranks[15]).toEqual([0.5, 'icsea']);
  expect(ranks[20]).toEqual([1, 'icsea']);
  expect(ranks[1]).toEqual([0.395, 'seifa']);
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schoolRankStage } from '../../../../pipelines/stages/places/school_rank.ts';
import { seededRandom } from '../../../../tools/sample/random.ts';
import { createDatabase, type TestDatabase } from '../../../database.ts';
import { statementRows } from '../../statement.ts';

const SA2 = '201011001';

const school = (school_id: number, more: Record<string, unknown> = {}) => ({
  school_id,
  head_id: school_id,
  state: 'VIC',
  level: 'Primary',
  is_special: false,
  sa1: `${SA2}0${school_id % 10}`,
  icsea: null as number | null,
  ...more,
});
type School = ReturnType<typeof school>;

/** Schools one after the other, each with a higher ICSEA than the one before. */
const many = (count: number, first: number, more: Record<string, unknown> = {}): School[] =>
  Array.from({ length: count }, (_, i) => school(first + i, { icsea: 950 + i, ...more }));

const seifa = (level: string, code: string, irsad_percentile: number | null, year = 2021) => ({
  year,
  level,
  code,
  irsad_percentile,
});

describe('ranks of schools', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase();
  });

  afterAll(() => database?.drop());

  async function rowsOf(
    schools: readonly School[],
    areas: readonly ReturnType<typeof seifa>[] = [],
    measure: readonly Record<string, unknown>[] = [],
  ): Promise<Map<unknown, Record<string, unknown>>> {
    const rows = await statementRows(database, schoolRankStage, { school: schools, measure, seifa: areas });
    expect(rows).toHaveLength(schools.length);
    return new Map(rows.map((row) => [row.school_id, row]));
  }

  async function ranksOf(
    ...given: Parameters<typeof rowsOf>
  ): Promise<Record<number, [rank: number | null, source: string | null]>> {
    const rows = await rowsOf(...given);
    return Object.fromEntries(
      [...rows].map(([id, row]) => [id, [row.socioeconomic_rank, row.socioeconomic_source]]),
    );
  }

  it('use the SEIFA percentile of the SA1, else of the SA2, from the latest year, if ICSEA is missing', async () => {
    const ranks = await ranksOf(
      [
        school(1),
        school(2),
        school(3, { sa1: null }),
        school(4, { head_id: 1 }),
        school(5, { head_id: 3 }),
        school(6, { head_id: 99 }),
      ],
      [
        seifa('SA1', `${SA2}01`, 91),
        seifa('SA1', `${SA2}01`, 5, 2016),
        seifa('SA1', `${SA2}02`, null),
        seifa('SA2', SA2, 40),
      ],
    );
    expect(ranks).toEqual({
      1: [0.905, 'seifa'],
      2: [0.395, 'seifa'],
      3: [null, null],
      // A campus counts as its head, where that has a place.
      4: [0.905, 'seifa'],
      5: [0.395, 'seifa'],
      6: [0.395, 'seifa'],
    });
  });

  it('are by ICSEA among the schools that have it, and say which it is for each', async () => {
    const ranks = await ranksOf([...many(11, 10), school(1)], [seifa('SA2', SA2, 40)]);
    expect(ranks[10]).toEqual([0, 'icsea']);
    expect(ranks[15]).toEqual([0.5, 'icsea']);
    expect(ranks[20]).toEqual([1, 'icsea']);
    expect(ranks[1]).toEqual([0.395, 'seifa']);
  });

  it('have labels in bands: the outer tenths, the middle fifth, and two between', async () => {
    const rows = await rowsOf(many(11, 0));
    expect([...Array(11).keys()].map((i) => rows.get(i)!.socioeconomic_label)).toEqual([
      ...['bottom 10%', 'bottom 10%', 'below average', 'below average'],
      ...['average', 'average', 'average'],
      ...['above average', 'above average', 'top 10%', 'top 10%'],
    ]);
  });

  it('are the mean over the others of 1 where lower, a half where equal', async () => {
    const { int } = seededRandom(5, 'ranks');
    for (let round = 0; round < 20; round++) {
      const schools = Array.from({ length: 5 + int(40) }, (_, i) => school(i, { icsea: 950 + int(12) }));
      const ranks = await ranksOf(schools);
      for (const { school_id, icsea } of schools) {
        const others = schools.filter((other) => other.school_id !== school_id);
        const sum = others.reduce(
          (total, other) => total + (other.icsea! < icsea! ? 1 : other.icsea === icsea ? 0.5 : 0),
          0,
        );
        expect(ranks[school_id]![0]).toBeCloseTo(sum / others.length, 12);
      }
    }
  });

  it('compare with schools of the same level in the same state', async () => {
    const ranks = await ranksOf([
      ...many(11, 1),
      ...many(11, 101, { level: 'Secondary' }),
      ...many(11, 201, { state: 'NSW' }),
      ...many(11, 301, { is_special: true }),
    ]);
    for (const first of [1, 101, 201, 301]) {
      expect(ranks[first]![0]).toBe(0);
      expect(ranks[first + 10]![0]).toBe(1);
    }
  });

  it('compare with the nation if the state has fewer than five, and are null if the nation has fewer', async () => {
    const ranks = await ranksOf([
      ...many(4, 1),
      ...many(3, 101, { state: 'NT', icsea: 940 }),
      ...many(1, 151, { state: null, icsea: 900 }),
      ...many(4, 201, { level: 'Secondary' }),
    ]);
    expect(ranks[4]![0]).toBe(1);
    expect(ranks[1]![0]).toBe(4 / 7);
    expect(ranks[151]![0]).toBe(0);
    expect(ranks[201]![0]).toBeNull();
  });

  it.each([
    ['ICSEA', school(99)],
    ['level', school(99, { icsea: 999, level: null })],
  ])('are none for a school of unknown %s, which is no peer', async (_what, unknown) => {
    const ranks = await ranksOf([...many(11, 1), unknown]);
    expect(ranks[99]).toEqual([null, null]);
    expect(ranks[6]![0]).toBe(0.5);
  });

  it('count a school once and give its rank to all its campuses', async () => {
    const ranks = await ranksOf([
      ...many(10, 1),
      school(50, { icsea: 1100 }),
      school(51, { icsea: 100, head_id: 50, level: 'Secondary', state: 'NSW' }),
      school(60),
      school(62, { icsea: 1000, head_id: 60 }),
      school(61, { head_id: 60 }),
      school(71, { icsea: 900, head_id: 70 }),
    ]);
    expect(ranks[50]![0]).toBe(1);
    expect(ranks[51]).toEqual(ranks[50]);
    expect(ranks[60]![0]).toBe(11 / 12);
    expect(ranks[61]).toEqual(ranks[62]);
    expect(ranks[71]![0]).toBe(0);
  });

  it('take each measure of the latest year that states it, before the ICSEA of the school', async () => {
    const schools = many(5, 1);
    const rows = await rowsOf(
      schools,
      [],
      [
        { school_id: 1, year: 2023, attendance_rate: 90, naplan_mean: 500, icsea: 2000 },
        { school_id: 1, year: 2025, attendance_rate: 92 },
        { school_id: 1, year: 2024, naplan_mean: 510 },
        ...[2, 3, 4, 5].map((school_id) => ({ school_id, year: 2024, naplan_mean: 503 + school_id })),
      ],
    );
    expect(rows.get(1)).toMatchObject({
      attendance_rate: 92,
      naplan_rank: 1,
      naplan_label: 'top 10%',
      socioeconomic_rank: 1,
    });
    expect(rows.get(2)).toMatchObject({ attendance_rate: null, naplan_rank: 0, socioeconomic_rank: 0 });
  });
});

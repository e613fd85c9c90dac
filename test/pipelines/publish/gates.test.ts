import { describe, expect, it } from 'vitest';
import {
  type Acceptance,
  acceptableGates,
  type TableChange,
  tableGates,
} from '../../../pipelines/publish/gates.ts';
import { configSchema } from '../../../schema/config.ts';
import { propertyTable } from '../../../schema/serving/property.ts';
import type { Delta } from '../../../store/journal/differences.ts';

const NONE: Acceptance = { gates: [], reason: '' };

const delta = (before: number, after: number, more: Partial<Delta> = {}): Delta => ({
  inserted: Math.max(0, after - before),
  updated: 0,
  deleted: Math.max(0, before - after),
  rows_before: before,
  rows_after: after,
  base: before === 0,
  isListed: before > 0,
  hasOtherRows: false,
  ...more,
});

const change = (more: Partial<TableChange>): TableChange => ({
  table: propertyTable,
  delta: delta(100, 100),
  facts: { states: { VIC: 100 }, nulls: { sal: 0 } },
  before: { states: { VIC: 100 }, nulls: { sal: 0 } },
  quartiles: {},
  first: [],
  ...more,
});

/** The tables of these tests are small: all are judged, but where the floor is what is tested. */
const failing = (of: Partial<TableChange>, gates: object = {}, accepted = NONE): string[] =>
  tableGates(
    change(of),
    configSchema.parse({ gates: { judged_rows_min: 0, ...gates }, datasets: {} }),
    accepted,
  )
    .filter((check) => check.status !== 'pass')
    .map(({ check, status, message }) => `${status} ${check} ${message}`);

describe('gates', () => {
  it('pass what changes little', () => {
    expect(failing({})).toEqual([]);
    expect(failing({ delta: delta(100, 119) })).toEqual([]);
    expect(failing({ delta: delta(0, 100), before: undefined })).toEqual([]);
  });

  it('pass where more properties have a value, and so no reason why not', () => {
    const facts = (land_area_reason: number) => ({ states: {}, nulls: { land_area_reason } });
    expect(failing({ before: facts(10), facts: facts(90) })).toEqual([]);
    const held = { null_share_max: { land_area_reason: 0.5 } };
    expect(failing({ before: facts(10), facts: facts(90) }, { tables: { property: held } })).toHaveLength(1);
  });

  it.each<[string, Partial<TableChange>, object, RegExp]>([
    [
      'rows',
      { delta: delta(100, 79) },
      {},
      /^fail rows:property 100 → 79 rows, -21\.00 % \(limit 20\.00 %\)/,
    ],
    [
      'rows of one table',
      { delta: delta(100, 90) },
      { tables: { property: { rows_change_max: 0.05 } } },
      /rows:property .*limit 5\.00 %/,
    ],
    [
      'rows touched',
      { delta: delta(100, 100, { updated: 60 }) },
      { rows_touched_max: 0.5 },
      /^fail changed:property 60\.00 % of the rows/,
    ],
    [
      'nulls',
      { facts: { states: {}, nulls: { sal: 30 } }, before: { states: {}, nulls: { sal: 10 } } },
      {},
      /^fail nulls:property\.sal .* rose by 20\.00 %, from 10\.00 % to 30\.00 %/,
    ],
    [
      'medians',
      {
        quartiles: {
          land_area_sqm: {
            before: { low: 500, median: 600, high: 700, values: 100 },
            after: { low: 50, median: 60, high: 70, values: 100 },
          },
        },
      },
      {},
      /^fail median:property\.land_area_sqm .*600 → 60, −90\.0 % \(limit/,
    ],
    [
      'coverage',
      { facts: { states: { VIC: 100 }, nulls: {} }, before: { states: { VIC: 100, NT: 4 }, nulls: {} } },
      {},
      /^fail coverage:property\.NT 4 → 0 rows in NT, -100\.00 %/,
    ],
    [
      'fewest of thousands of rows, which have separators',
      { delta: delta(0, 19_396), before: undefined },
      { tables: { property: { rows_min: 999_999 } } },
      /^fail rows:property 19,396 rows, 980,603 below the minimum of 999,999\./,
    ],
    [
      'thousands of rows in a state',
      {
        delta: delta(250_000, 250_000),
        facts: { states: { VIC: 1234 }, nulls: {} },
        before: { states: { VIC: 250_000 }, nulls: {} },
      },
      {},
      /^fail coverage:property\.VIC 250,000 → 1,234 rows in VIC, /,
    ],
    [
      'fewest rows, at the first publication',
      { delta: delta(0, 90), before: undefined },
      { tables: { property: { rows_min: 100 } } },
      /^fail rows:property 90 rows, 10 below the minimum of 100/,
    ],
    [
      'fewest rows of a state, at the first publication',
      { delta: delta(0, 90), before: undefined },
      { tables: { property: { states_min: { NSW: 5 } } } },
      /^fail coverage:property\.NSW 0 rows in NSW, 5 below the minimum of 5/,
    ],
    [
      'most nulls, at the first publication',
      { delta: delta(0, 100), before: undefined, facts: { states: {}, nulls: { sal: 30 } } },
      { tables: { property: { null_share_max: { sal: 0.1 } } } },
      /^fail nulls:property\.sal 30\.00 % nulls in sal, 20\.00 % above/,
    ],
  ])('refuse: %s', (_, of, gates, message) => {
    const found = failing(of, gates);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(message);
    const name = found[0]!.split(' ')[1]!;
    const known: readonly string[] = acceptableGates([propertyTable], ['VIC', 'NSW', 'NT']);
    expect(known).toContain(name);
    const taken = { gates: [name], reason: 'as announced' };
    const accepted = failing(of, gates, taken);
    expect(accepted[0]).toMatch(/^accepted .*Accepted: as announced$/);
  });

  it('let a first delivery add rows and change values, but remove nothing', () => {
    const first = ['sales_nsw'];
    const land = {
      before: { low: 500, median: 600, high: 700, values: 100 },
      after: { low: 50, median: 60, high: 70, values: 100 },
    };
    const facts = { states: { VIC: 100, NSW: 60 }, nulls: { sal: 60 } };
    const grown: Partial<TableChange> = { delta: delta(100, 160), facts, quartiles: { land_area_sqm: land } };
    expect(failing(grown).map((text) => text.split(' ')[1])).toEqual([
      'rows:property',
      'nulls:property.sal',
      'median:property.land_area_sqm',
    ]);
    expect(failing({ ...grown, first })).toEqual([]);
    const judging = configSchema.parse({ gates: { judged_rows_min: 0 }, datasets: {} });
    const [rows] = tableGates(change({ ...grown, first }), judging, NONE);
    expect(rows!.message).toMatch(/First delivery of sales_nsw\.$/);
    const shrunk = failing({
      first,
      delta: delta(100, 60),
      facts: { states: { VIC: 60 }, nulls: { sal: 30 } },
    });
    expect(shrunk.map((text) => text.split(' ')[1])).toEqual([
      'rows:property',
      'nulls:property.sal',
      'coverage:property.VIC',
    ]);
  });

  it('measure the shift of a median by the spread where the median is small', () => {
    const quartiles = (before: number, after: number) => ({
      lon: {
        before: { low: -10, median: before, high: 10, values: 100 },
        after: { low: -10, median: after, high: 10, values: 100 },
      },
    });
    expect(failing({ quartiles: quartiles(0, 1) })).toEqual([]);
    expect(failing({ quartiles: quartiles(0, 6) })).toEqual([
      expect.stringContaining('0 → 6, 30.00 % of the range between its quartiles, 20 (limit'),
    ]);
    const flat = {
      before: { low: 0, median: 0, high: 0, values: 100 },
      after: { low: 0, median: 1, high: 1, values: 100 },
    };
    expect(failing({ quartiles: { confidence: flat } })[0]).toContain('0 → 1 (limit 25.00 %)');
    const gone = {
      before: { low: 1, median: 2, high: 3, values: 100 },
      after: { low: null, median: null, high: null, values: 0 },
    };
    expect(failing({ quartiles: { confidence: gone } })).toEqual([]);
  });

  it('pass replaced rows by default, and report a share above rows_touched_max', () => {
    const replaced = { delta: delta(1000, 1000, { inserted: 400, updated: 600, deleted: 400 }) };
    expect(failing(replaced)).toEqual([]);
    expect(failing(replaced, { rows_touched_max: 0.99 })[0]).toContain('100.00 % of the rows change');
  });

  describe('with too few rows', () => {
    const shift = (values: number) => ({
      before: { low: 500, median: 600, high: 700, values },
      after: { low: 50, median: 60, high: 70, values },
    });
    /** A change beyond every limit of a table of so many rows, half of them in one state. */
    const big = (rows: number): Partial<TableChange> => ({
      delta: delta(rows, rows * 0.5, { inserted: rows, deleted: rows }),
      before: { states: { VIC: rows }, nulls: { sal: 0 } },
      facts: { states: { VIC: rows * 0.4 }, nulls: { sal: rows * 0.3 } },
      quartiles: { land_area_sqm: shift(rows * 0.5) },
    });
    const of = (rows: number, gates: object = {}): string[] =>
      failing(big(rows), { rows_touched_max: 0.9, ...gates });

    it('have status too_few below the minimum of rows, and fail above it', () => {
      const few = of(100, { judged_rows_min: 200 });
      expect(few.map((text) => text.split(' ').slice(0, 2).join(' '))).toEqual([
        'too_few rows:property',
        'too_few changed:property',
        'too_few nulls:property.sal',
        'too_few median:property.land_area_sqm',
        'too_few coverage:property.VIC',
      ]);
      expect(few[0]).toBe(
        'too_few rows:property 100 → 50 rows, -50.00 % (limit 20.00 %). Too few rows to judge: 100, minimum 200 (judged_rows_min).',
      );
      expect(of(400, { judged_rows_min: 200 }).every((text) => text.startsWith('fail '))).toBe(true);
    });

    it('use a default minimum, or that of the table', () => {
      const grown = { ...change({ delta: delta(2, 3), before: undefined }) };
      const [rows] = tableGates(grown, configSchema.parse({ datasets: {} }), NONE);
      expect(rows).toMatchObject({ check: 'rows:property', status: 'too_few' });
      const own = { tables: { property: { judged_rows_min: 2 } } };
      const [judged] = tableGates(grown, configSchema.parse({ gates: own, datasets: {} }), NONE);
      expect(judged).toMatchObject({ check: 'rows:property', status: 'fail' });
    });

    it('apply absolute limits of the operator in spite of few rows', () => {
      const gates = {
        judged_rows_min: 200,
        tables: {
          property: { rows_min: 100, states_min: { VIC: 100 }, null_share_max: { sal: 0.1 } },
        },
      };
      expect(of(100, gates).filter((text) => text.startsWith('fail '))).toHaveLength(3);
    });
  });
});

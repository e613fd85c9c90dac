import { describe, expect, it } from 'vitest';
import { acceptableDatasetGates, datasetGates } from '../../../pipelines/publish/dataset_gates.ts';
import { configSchema } from '../../../schema/config.ts';
import type { InputAccount } from '../../../sources/adapter.ts';

const account = (more: Partial<InputAccount>): InputAccount => ({
  file: 'overlays.shp',
  table: 'hazard_piece',
  rows_in: 100,
  records: 90,
  rejects: 0,
  drops: { other_class: 10 },
  ...more,
});

const judged = (accounts: InputAccount[], gates: object = {}, accept: string[] = []): string[] =>
  datasetGates([{ dataset: 'heritage_tas', accounts }], configSchema.parse({ gates, datasets: {} }), {
    gates: accept,
    reason: 'as announced',
  }).map(({ check, status, message }) => `${status} ${check} ${message}`);

describe('gates of datasets with a field map', () => {
  it('refuse a map that loads no row of its delivery, and say what became of the rows', () => {
    const none = account({
      records: 0,
      drops: { other_class: 60, unknown_class: 40 },
      unknown: { 'A code': 40 },
    });
    expect(judged([none])).toEqual([
      'fail loaded:heritage_tas 0 of 100 rows loaded (at least 1 required); dropped: other_class (60), unknown_class (40); rejected: 0.',
      'fail unknown:heritage_tas 40 of 100 rows, 40.00 %, have a class missing from the field map (limit 5.00 %): A code (40).',
    ]);
    expect(judged([none], {}, acceptableDatasetGates(['heritage_tas']))[0]).toMatch(
      /^accepted .* Accepted: as announced$/,
    );
    const limits = { datasets: { heritage_tas: { records_min: 0, unknown_share_max: 0.5 } } };
    expect(judged([none], limits).map((text) => text.split(' ')[0])).toEqual(['pass', 'pass']);
  });

  it('refuse a delivery without rows, unless the configuration allows it', () => {
    const empty = account({ rows_in: 0, records: 0, drops: {} });
    expect(judged([empty])).toEqual([expect.stringMatching(/^fail loaded:heritage_tas 0 of 0 rows/)]);
    expect(judged([empty, account({})])).toEqual([expect.stringMatching(/^pass loaded/)]);
    const limits = { datasets: { heritage_tas: { records_min: 0 } } };
    expect(judged([empty], limits)).toEqual([expect.stringMatching(/^pass loaded/)]);
  });

  it('refuse more rejected rows of a file or table than are allowed, few rejects apart', () => {
    const stop = (file: string, rows_in: number, rejects: number): InputAccount =>
      account({ file, table: 'stop', rows_in, records: rows_in - rejects, rejects, drops: {} });
    expect(judged([stop('stops.txt', 1000, 50)])).toEqual([
      'pass rejects:heritage_tas rejected rows (limit 5.00 %): stops.txt (stop) 50 of 1,000, 5.00 %; table stop 50 of 1,000, 5.00 %.',
    ]);
    // One file of many is too bad, though the table as a whole is not.
    expect(judged([stop('a.txt', 10_000, 0), stop('b.txt', 100, 6)])).toEqual([
      'fail rejects:heritage_tas rejected rows (limit 5.00 %): b.txt (stop) 6 of 100, 6.00 %.',
    ]);
    // The files are small, and the table is too bad.
    expect(judged(Array.from({ length: 10 }, (_, i) => stop(`${i}.txt`, 20, 2)))[0]).toMatch(
      /^fail rejects:heritage_tas rejected rows \(limit 5\.00 %\): table stop 20 of 200, 10\.00 %\.$/,
    );
    expect(judged([stop('stops.txt', 3, 1)])[0]).toMatch(/^too_few /);
    const limits = { datasets: { heritage_tas: { rejects_share_max: 0.1 } } };
    expect(judged([stop('b.txt', 100, 6)], limits)[0]).toMatch(/^pass /);
    expect(judged([stop('b.txt', 100, 6)], {}, acceptableDatasetGates(['heritage_tas']))[0]).toMatch(
      /^accepted /,
    );
  });

  it('pass a small share of unknown classes, and tables without a map', () => {
    expect(judged([account({ unknown: { X: 3, Y: 2 } })])[1]).toMatch(/^pass unknown.*X \(3\), Y \(2\)\.$/);
    expect(judged([account({ unknown: { X: 6 } })])[1]).toMatch(/^fail unknown/);
    expect(judged([account({ table: 'market_event', records: 0 })])).toEqual([]);
  });
});

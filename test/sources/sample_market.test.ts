import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { marketEventRecord } from '../../schema/records/market_event.ts';
import { adapterNamed } from '../../sources/index.ts';
import { SALES_TAS } from '../../tools/sample/config.ts';
import { generateSampleCountry } from '../../tools/sample/generate.ts';
import { truthOf } from '../tools/sample/sample_files.ts';
import { type DatasetResult, readDataset } from './read_dataset.ts';
import { datasetOf } from './release_folder.ts';

const DATASETS = [
  ['listings', 'listings', 'listings'],
  ['reaxml_sa', 'reaxml', 'reaxml'],
  ['nsw_psi', 'nsw_psi', 'nsw_psi'],
  ['sales_tas', 'sales_csv', 'sales'],
] as const;
const OPTIONS: Readonly<Record<string, Record<string, unknown>>> = { sales_tas: SALES_TAS };

let out: string;
const results = new Map<string, DatasetResult>();
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'sample-market-'));
  await generateSampleCountry({ properties: 3000, seed: 5, out });
  for (const [id, adapter, folder] of DATASETS)
    results.set(
      id,
      await readDataset(
        adapterNamed(adapter),
        await datasetOf(join(out, folder), { id, options: OPTIONS[id] ?? {} }),
      ),
    );
});
afterAll(() => rm(out, { recursive: true, force: true }));

const totals = (rows: readonly Record<string, string>[], key: string): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const row of rows)
    sums[`${row.file} ${row[key]}`] = (sums[`${row.file} ${row[key]}`] ?? 0) + Number(row.rows);
  return sums;
};

describe('the market of the sample country', () => {
  it.each(DATASETS)('%s: events, prices and homes are those of the truth', (id) => {
    const truth = new Map(
      truthOf(out, 'market_events')
        .filter(({ event_key }) => event_key!.startsWith(`${id}|`))
        .map((row) => [row.event_key!, row]),
    );
    expect(truth.size).toBeGreaterThan(50);
    const rows = results
      .get(id)!
      .rowsOf(marketEventRecord)
      .filter(({ source_id }) => source_id !== 'TWICE');
    expect(rows.map(({ event_key }) => event_key).sort()).toEqual([...truth.keys()].sort());
    for (const row of rows) {
      const known = truth.get(row.event_key)!;
      expect([row.event_key, row.channel]).toEqual([row.event_key, known.channel]);
      // a later event of REAXML tells the price that the listing asks
      if (known.price !== '')
        expect([row.event_key, row.price]).toEqual([row.event_key, Number(known.price)]);
      if (row.bedrooms !== null)
        expect([row.bedrooms, row.bathrooms, row.parking].map(String)).toEqual([
          known.bedrooms,
          known.bathrooms,
          known.parking,
        ]);
    }
  });

  it('rows, rejects and drops are those of the truth', () => {
    const rejects: Record<string, number> = {};
    const drops: Record<string, number> = {};
    const rows: Record<string, number> = {};
    for (const [id, , folder] of DATASETS) {
      for (const { file, rows_in, drops: dropped, rejects: rejected } of results.get(id)!.accounts) {
        rows[`${folder}/${file}`] = (rows[`${folder}/${file}`] ?? 0) + rows_in;
        for (const [name, count] of Object.entries(dropped)) drops[`${folder}/${file} ${name}`] = count;
        if (rejected > 0) expect(['listings', 'sales']).toContain(folder);
      }
      for (const { file, code } of results.get(id)!.rejects)
        rejects[`${folder}/${file} ${code}`] = (rejects[`${folder}/${file} ${code}`] ?? 0) + 1;
    }
    const ours = (row: Record<string, string>): boolean =>
      /^(listings|reaxml|nsw_psi|sales)\//.test(row.file!);
    expect(rejects).toEqual(totals(truthOf(out, 'rejects').filter(ours), 'code'));
    expect(drops).toEqual(totals(truthOf(out, 'drops').filter(ours), 'name'));
    const counted = truthOf(out, 'rows').filter(ours);
    expect(rows).toEqual(Object.fromEntries(counted.map((row) => [row.file, Number(row.rows)])));
  });

  it('is of ten years, with no more than five events a home, on homes alone', () => {
    const events = truthOf(out, 'market_events').filter(
      ({ event_key }) => !/^(nsw_psi|sales_tas)\|/.test(event_key!),
    );
    const perHome = new Map<string, number>();
    for (const { gnaf_pid } of events) perHome.set(gnaf_pid!, (perHome.get(gnaf_pid!) ?? 0) + 1);
    expect(Math.max(...perHome.values())).toBeLessThanOrEqual(5);
    expect(events.length).toBeGreaterThan(3000);
    const days = events.map(({ event_key }) => event_key!.slice(-10)).sort();
    expect(days[0]! >= '2016-07-01' && days.at(-1)! <= '2026-06-30').toBe(true);
    const principals = new Set(
      truthOf(out, 'properties')
        .filter(
          ({ alias_principal, is_live, primary_secondary }) =>
            alias_principal === 'P' && is_live === 'true' && primary_secondary !== 'P',
        )
        .map(({ gnaf_pid }) => gnaf_pid),
    );
    expect([...perHome.keys()].filter((pid) => !principals.has(pid))).toEqual([]);
  });

  it('has prices that rise, and fall with the type', () => {
    const sold = truthOf(out, 'market_events').filter(
      ({ event_key, price }) =>
        event_key!.includes('|sold|') && price !== '' && !/^(nsw_psi|sales_tas)\|/.test(event_key!),
    );
    const median = (of: (row: Record<string, string>) => boolean): number => {
      const prices = sold
        .filter(of)
        .map(({ price }) => Number(price))
        .sort((a, b) => a - b);
      return prices[prices.length >> 1]!;
    };
    const year = (row: Record<string, string>): string => row.event_key!.slice(-10, -6);
    const house = (row: Record<string, string>): boolean => row.property_type === 'house';
    expect(median((row) => house(row) && year(row) >= '2024')).toBeGreaterThan(
      1.2 * median((row) => house(row) && year(row) <= '2018'),
    );
    expect(median(house)).toBeGreaterThan(median((row) => row.property_type === 'apartment'));
  });
});

import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunReport } from '../../pipelines/report/report.ts';
import { readRun } from '../../pipelines/views/run_reports.ts';
import { LARGE } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';

/** A zone is read where the point lies on the property, or where its parcel is known. */
const isOnParcel = (row: Record<string, string>): boolean =>
  row.parcel_method !== 'none' ||
  (row.lon !== '' && !['STL', 'LOC'].includes(row.geocode_type!) && (Number(row.geocode_level) & 1) === 1);

describe('the sample country against its known truth', () => {
  let database: TestDatabase;
  let report: RunReport;
  let dir: string;
  let truth: Record<string, string>[];
  const read = (name: string): Record<string, string>[] =>
    parse(readFileSync(join(dir, 'truth', `${name}.csv`)), { columns: true });

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(LARGE));
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    ({ report } = await readRun(client, 1).finally(() => client.end()));
    truth = read('properties').filter((row) => row.alias_principal === 'P' && row.is_live === 'true');
  });

  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('publishes exactly the live principals', async () => {
    expect(report.error).toBeNull();
    const served = await database.query<{ gnaf_pid: string }>('SELECT gnaf_pid FROM serving.property');
    expect(served.map((row) => row.gnaf_pid).sort()).toEqual(truth.map((row) => row.gnaf_pid).sort());
  });

  it('has a property in each of the eight states and territories', async () => {
    const states = await database.query<{ state: string }>(
      'SELECT DISTINCT state FROM serving.property ORDER BY state',
    );
    expect(states.map((row) => row.state)).toEqual(['ACT', 'NSW', 'NT', 'QLD', 'SA', 'TAS', 'VIC', 'WA']);
  });

  it('finds the parcel of every address, by the way the truth says', async () => {
    const rows = await database.query<{ gnaf_pid: string; parcel_id: string | null; parcel_method: string }>(
      'SELECT gnaf_pid, parcel_id, parcel_method FROM serving.property',
    );
    const served = new Map(rows.map((row) => [row.gnaf_pid, `${row.parcel_method} ${row.parcel_id ?? ''}`]));
    const wrong = truth
      .map((row) => ({
        pid: row.gnaf_pid!,
        is: row.parcel_method === 'none' ? 'none ' : `${row.parcel_method} ${row.parcel_id}`,
      }))
      .filter(({ pid, is }) => served.get(pid) !== is)
      .map(({ pid, is }) => `${pid}: ${served.get(pid)} instead of ${is}`);
    expect(wrong).toEqual([]);
  });

  it('locates every address in its regions', async () => {
    const rows = await database.query(
      'SELECT gnaf_pid, mesh_block, sa1, sa2, sal_code AS sal, lga, poa FROM serving.property_profile',
    );
    const served = new Map(rows.map((row) => [row.gnaf_pid, row]));
    const disagreeing = new Set(read('mesh_block_disagreements').map((row) => row.gnaf_pid!));
    // An address without coordinates has regions if the address file links it to a mesh block.
    const pointless = truth.filter(({ lon }) => lon === '');
    const linked = pointless.filter(({ gnaf_pid }) => served.get(gnaf_pid!)!.mesh_block !== null);
    expect(linked.length).toBeGreaterThan(0.9 * pointless.length);
    const pointed = truth.filter(({ lon }) => lon !== '');
    for (const row of [...pointed, ...linked].filter(({ gnaf_pid }) => !disagreeing.has(gnaf_pid!))) {
      const got = served.get(row.gnaf_pid!)!;
      for (const level of ['mesh_block', 'sa1', 'sa2', 'sal', 'lga', 'poa']) {
        expect(got[level] ?? '', `${row.gnaf_pid} ${level}`).toBe(row[level]);
      }
    }
  });

  it('says where the mesh block of the address file and the point disagree', async () => {
    const rows = await database.query<{ gnaf_pid: string }>(
      'SELECT gnaf_pid FROM serving.property_profile WHERE NOT agrees',
    );
    const live = new Set(truth.map((row) => row.gnaf_pid));
    const expected = read('mesh_block_disagreements')
      .map((row) => row.gnaf_pid)
      .filter((pid) => live.has(pid));
    expect(rows.map((row) => row.gnaf_pid).sort()).toEqual(expected.sort());
  });

  it('has the zone of every address that has one', async () => {
    const rows = await database.query<{ gnaf_pid: string; code: string }>(
      'SELECT gnaf_pid, code FROM serving.property_zoning',
    );
    const served = new Map(rows.map((row) => [row.gnaf_pid, row.code]));
    const wrong = truth
      .map((row) => ({ pid: row.gnaf_pid!, code: isOnParcel(row) ? row.zone_code : '' }))
      .filter(({ pid, code }) => (served.get(pid) ?? '') !== code)
      .map(({ pid, code }) => `${pid}: ${served.get(pid)} instead of ${code}`);
    expect(wrong).toEqual([]);
  });

  it('classifies retirement villages, shops, farms, schools and towers, and values only the tower units', async () => {
    const rows = await database.query<{
      gnaf_pid: string;
      type: string | null;
      value: number | null;
    }>(
      `SELECT gnaf_pid, dwelling_type AS type, predicted_price AS value FROM serving.property LEFT JOIN serving.property_avm USING (gnaf_pid)`,
    );
    const served = new Map(rows.map((row) => [row.gnaf_pid, row]));
    const inhabitants: Record<string, (row: Record<string, string>) => boolean> = {
      village: ({ building_name, flat_number }) =>
        building_name!.includes('RETIREMENT VILLAGE') && flat_number !== '',
      shop: ({ flat_type }) => flat_type === 'SHOP',
      school: ({ building_name }) => /\bSCHOOL$/.test(building_name!),
      // A lot without a street number is land.
      farm: ({ parcel_area_sqm, number_first }) => Number(parcel_area_sqm) > 1e6 && number_first !== '',
      tower: ({ building_name, level_type }) => level_type !== '' && !building_name!.includes('VILLAGE'),
    };
    const told = Object.entries(inhabitants).map(([who, is]) => {
      const there = truth.filter(is).map((row) => served.get(row.gnaf_pid!)!);
      // A suburb in seven has a school on a block of its own.
      expect(there.length, who).toBeGreaterThan(who === 'school' ? 1 : 20);
      const types = [...new Set(there.map(({ type }) => type))].join();
      return `${who}: ${types}, ${there.some(({ value }) => value !== null) ? 'valued' : 'no value'}`;
    });
    expect(told).toEqual([
      'village: retirement, no value',
      'shop: other, no value',
      'school: other, no value',
      'farm: house, no value',
      'tower: unit, valued',
    ]);
  });

  it('has the adjoining parcels of the sampled suburbs', async () => {
    const rows = await database.query<{ a: string; b: string; shared_m: number; is_corner: boolean }>(
      `SELECT DISTINCT parcel_id AS a, neighbour_parcel_id AS b, shared_m, is_corner
       FROM serving.property_neighbour JOIN serving.property USING (gnaf_pid)`,
    );
    const pairs = new Map(rows.map((row) => [`${row.a}|${row.b}`, row]));
    const listed = read('adjoining').filter((row) => row.borderline === 'false');
    const served = await database.query<{ parcel_id: string }>(
      'SELECT DISTINCT parcel_id FROM serving.property WHERE parcel_id IS NOT NULL',
    );
    const isServed = new Set(served.map((row) => row.parcel_id));
    const expected = listed.filter((row) => isServed.has(row.parcel_a!));
    expect(expected.length).toBeGreaterThan(3000);
    // Corners whose boundaries also overlap by a few centimetres share up to a metre within the tolerance: either answer holds.
    const clear = expected.filter((row) => {
      const shared = pairs.get(`${row.parcel_a}|${row.parcel_b}`)?.shared_m ?? 0;
      return shared < 0.5 || shared > 1;
    });
    expect(clear.length).toBeGreaterThan(expected.length * 0.99);
    const wrong = clear.filter((row) => {
      const there = pairs.get(`${row.parcel_a}|${row.parcel_b}`);
      return (there !== undefined && !there.is_corner) !== (row.corner === 'false');
    });
    expect(wrong).toEqual([]);
  });

  it('balances against the rejects and drops of the truth', async () => {
    const byCode = new Map<string, number>();
    for (const row of read('rejects')) byCode.set(row.code!, (byCode.get(row.code!) ?? 0) + Number(row.rows));
    const reported = new Map<string, number>();
    for (const reject of report.rejects)
      reported.set(reject.code, (reported.get(reject.code) ?? 0) + reject.rows);
    expect(Object.fromEntries(reported)).toEqual(Object.fromEntries(byCode));
    for (const dataset of report.datasets) {
      for (const account of dataset.accounts) {
        const dropped = Object.values(account.drops).reduce((sum, n) => sum + n, 0);
        expect(account.records + account.rejects + dropped, account.file).toBe(account.rows_in);
      }
    }
  });
});

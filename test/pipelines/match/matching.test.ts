import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeclaredReader } from '../../../pipelines/engine/declared_reader.ts';
import {
  answer,
  type MatchRequest,
  matchRequest,
  readAddressIndex,
  requestsOfCsv,
} from '../../../pipelines/match/matching.ts';
import { ADDRESS_INPUTS, readAddressSections } from '../../../pipelines/stages/events/address_sections.ts';
import { readStoredSections, STORED_INDEX } from '../../../pipelines/stages/events/stored_index.ts';
import { openPool } from '../../../store/database.ts';
import type { AddressIndex } from '../../../transforms/address/match/address_index.ts';
import { pipeline } from '../../cli/fixture.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { sampleFolder } from '../../published_sample.ts';
import { configureFeed, writeFeed } from '../market_feed.ts';
import { refreshSample } from '../sample_run.ts';

describe('matching with the addresses of a database', () => {
  let database: TestDatabase;
  let dir: string;
  let addresses: { gnaf_pid: string; label: string; state: string }[];

  const read = async (state: string | null): Promise<AddressIndex> => {
    const pool = openPool(database.url, 1);
    const client = await pool.connect();
    try {
      return await readAddressIndex(client, state);
    } finally {
      client.release();
      await pool.end();
    }
  };
  const run = (args: string[]) =>
    pipeline([
      'match',
      '--config',
      join(dir, 'config.yaml'),
      '--set',
      `database.url=${database.url}`,
      ...args,
    ]);

  beforeAll(async () => {
    dir = await sampleFolder();
    await configureFeed(dir);
    await writeFeed(dir, 'events.csv', [
      {
        source: 'agency',
        source_id: 'A1',
        event_type: 'listed',
        channel: 'sale',
        event_date: '2024-12-30',
        address: '1 Nowhere Road',
      },
    ]);
    database = await createDatabase();
    await refreshSample(database, dir);
    addresses = await database.query(
      `SELECT gnaf_pid, label, state FROM record.address WHERE is_live AND alias_principal = 'P' ORDER BY gnaf_pid`,
    );
  });

  afterAll(async () => {
    await database.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('holds every address, and finds each by its label or says that two have it', async () => {
    const index = await read(null);
    const [{ rows } = { rows: 0 }] = await database.query<{ rows: number }>(
      'SELECT count(*)::int AS rows FROM record.address',
    );
    expect(index.addresses.size).toBe(rows);
    expect(index.gaps).toEqual({ unknown_locality: 0, unknown_street: 0, unknown_address: 0 });
    const counts = { right: 0, wrong: 0, parent: 0, ambiguous: 0, no_match: 0 };
    for (const { label, gnaf_pid } of addresses) {
      const found = answer(index, { line: 1, input: { text: label }, hints: {} });
      if (found.status !== 'matched') counts[found.status]++;
      else counts[found.gnaf_pid === gnaf_pid ? 'right' : 'wrong']++;
    }
    expect(counts.wrong).toBe(0);
    expect(counts.right / addresses.length).toBeGreaterThan(0.97);
  });

  it('holds one state where one is asked for', async () => {
    const states = [...new Set(addresses.map(({ state }) => state))];
    const [{ rows } = { rows: 0 }] = await database.query<{ rows: number }>(
      'SELECT count(*)::int AS rows FROM record.address WHERE state = $1',
      [states[0]],
    );
    expect((await read(states[0]!)).addresses.size).toBe(rows);
    await expect(read('OT')).rejects.toMatchObject({ code: 'no_addresses' });
    await expect(read("V'C")).rejects.toMatchObject({ code: 'config_invalid' });
  });

  it('has the index of each state with events stored as it would be built', async () => {
    const states = await database.query<{ state: string | null; state_partition: number }>(
      'SELECT state, state_partition FROM asset.match_state ORDER BY state_partition',
    );
    expect(states.length).toBeGreaterThan(2);
    expect(states.at(-1)).toEqual({ state: null, state_partition: -3_000_000 });
    const pool = openPool(database.url, 1);
    const client = await pool.connect();
    try {
      const stored = new DeclaredReader(client, { inputs: STORED_INDEX });
      const records = new DeclaredReader(client, { inputs: ADDRESS_INPUTS });
      for (const { state } of states)
        expect(await readStoredSections(stored, state)).toEqual(await readAddressSections(records, state));
    } finally {
      client.release();
      await pool.end();
    }
  });

  it('builds the index where what is stored is of other addresses', async () => {
    const [{ state, state_partition } = { state: '', state_partition: 0 }] = await database.query<{
      state: string;
      state_partition: number;
    }>(
      'SELECT state, state_partition FROM asset.match_state WHERE state IS NOT NULL ORDER BY state_partition LIMIT 1',
    );
    const { size } = (await read(state)).addresses;
    await database.query(
      `DELETE FROM asset.address_index WHERE state_partition = ${state_partition} AND no = 0`,
    );
    await expect(read(state)).rejects.toThrow('The index has no section');
    await database.query(
      `UPDATE control.partition SET fingerprint = jsonb_set(fingerprint, '{inputs,address}', '"other"')
       WHERE stage = 'address_index' AND cell = ${state_partition}`,
    );
    expect((await read(state)).addresses.size).toBe(size);
  });

  it('reads texts, fields and evidence of a CSV file', async () => {
    const path = join(dir, 'texts.csv');
    await writeFile(
      path,
      '\ufeffid,where,suburb,lon,lat,lot_plan\r\n1,"12 Smith St",Fitzroy,144.9,x,1\\PS1\r\n2,5 Short\r\n',
    );
    const requests: MatchRequest[] = [];
    for await (const request of requestsOfCsv(path, 'where')) requests.push(request);
    expect(requests.map(({ line }) => line)).toEqual([2, 3]);
    expect(requests[0]!.input).toMatchObject({ text: '12 Smith St', suburb: 'Fitzroy', postcode: null });
    expect(requests[0]!.hints).toEqual({ lon: 144.9, lat: null, lot_plan: '1\\PS1' });
    expect(requests[1]!.input).toMatchObject({ text: '5 Short', suburb: null });
    const all = async (column: string): Promise<void> => {
      for await (const _ of requestsOfCsv(path, column));
    };
    await expect(all('address')).rejects.toMatchObject({ code: 'missing_column' });
    expect(matchRequest({ address: '' }, 'address', 1).input.text).toBeNull();
  });

  it('prints a line of evidence for each address, and a summary', async () => {
    const { label, gnaf_pid } = addresses.find((each) => /^\d+ /.test(each.label))!;
    const path = join(dir, 'addresses.csv');
    await writeFile(path, `address\n"${label}"\n"1 Nowhere ""Road"", Atlantis VIC 3999"\n`);
    const csv = await run(['--file', path]);
    expect(csv.code, csv.stderr).toBe(0);
    const [header, first, second] = csv.stdout.split('\n');
    expect(header).toBe(
      'line,address,status,gnaf_pid,score,rule,margin,label,runner_up,runner_up_score,parent_pid',
    );
    expect(first).toContain(`matched,${gnaf_pid},1,exact`);
    expect(second).toBe('3,"1 Nowhere ""Road"", Atlantis VIC 3999",no_match,,0,locality_unknown,0,,,,');
    expect(csv.stderr).toContain('2 addresses against');
    const json = await run(['--file', path, '--json']);
    const lines = json.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ line: 2, status: 'matched', gnaf_pid, score: 1 });
    expect(lines[1]).toMatchObject({ status: 'no_match', gnaf_pid: null, candidates: [] });
  });
});

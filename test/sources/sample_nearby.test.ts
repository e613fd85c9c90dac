import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { placePieceRecord } from '../../schema/records/place.ts';
import { stopRecord } from '../../schema/records/stop.ts';
import type { InputAccount, SourceAdapter } from '../../sources/adapter.ts';
import { osmAdapter } from '../../sources/places/osm/adapter.ts';
import { overtureAdapter } from '../../sources/places/overture/adapter.ts';
import { placesCsvAdapter } from '../../sources/places/places_csv/adapter.ts';
import { gtfsAdapter } from '../../sources/transport/gtfs/adapter.ts';
import { stopsAdapter } from '../../sources/transport/stops/adapter.ts';
import { PLACES_NT } from '../../tools/sample/config.ts';
import { generateSampleCountry } from '../../tools/sample/generate.ts';
import { truthOf } from '../tools/sample/sample_files.ts';
import { adapterConformance, readPart } from './conformance.ts';
import { datasetOf } from './release_folder.ts';

let out: string;
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'sample-nearby-'));
  await generateSampleCountry({ properties: 3000, seed: 5, out });
});
afterAll(() => rm(out, { recursive: true, force: true }));

const DATASETS: readonly (readonly [
  id: string,
  SourceAdapter,
  folder: string,
  options: Record<string, unknown>,
])[] = [
  ['gtfs', gtfsAdapter, 'transport/national', {}],
  ['gtfs_vic', gtfsAdapter, 'transport/vic', { state: 'VIC' }],
  ['stops_tas', stopsAdapter, 'transport/tas', { mode: 'bus' }],
  ['places', osmAdapter, 'places/osm', {}],
  ['places_tas', osmAdapter, 'places/tas', {}],
  ['places_wa', overtureAdapter, 'places/wa', { regions: ['AU-WA'] }],
  ['places_nt', placesCsvAdapter, 'places/nt', { field_map: PLACES_NT.field_map }],
];

interface Read {
  rows: Record<string, unknown>[];
  rejects: Record<string, number>;
  accounts: InputAccount[];
}

async function readAll(
  id: string,
  adapter: SourceAdapter,
  folder: string,
  options: Record<string, unknown>,
): Promise<Read> {
  const { release, parts } = await adapter.discover(await datasetOf(join(out, folder), { id, options }));
  const all: Read = { rows: [], rejects: {}, accounts: [] };
  for (const part of parts) {
    const { rows, rejects, accounts } = await readPart(adapter, release, part);
    for (const [table, held] of rows) if (!table.name.startsWith('coverage_')) all.rows.push(...held);
    for (const { file, code } of rejects) {
      const key = `${folder}/${file} ${code}`;
      all.rejects[key] = (all.rejects[key] ?? 0) + 1;
    }
    all.accounts.push(...accounts);
  }
  return all;
}

describe.each(DATASETS)('%s on the sample country', (id, adapter, folder, options) => {
  adapterConformance(id, async () => ({
    adapter,
    dataset: await datasetOf(join(out, folder), { id, options }),
  }));

  it('drops and rejects exactly what the truth says, of all rows', async () => {
    const { rejects, accounts } = await readAll(id, adapter, folder, options);
    const counted = (table: string, key: string): Record<string, number> =>
      Object.fromEntries(
        truthOf(out, table)
          .filter((row) => row.file!.startsWith(`${folder}/`))
          .map((row) => [`${row.file} ${row[key]}`, Number(row.rows)]),
      );
    const drops: Record<string, number> = {};
    const rows: Record<string, number> = {};
    for (const account of accounts) {
      for (const [name, count] of Object.entries(account.drops))
        drops[`${folder}/${account.file} ${name}`] = count;
      const key = `${folder}/${account.file} undefined`;
      rows[key] = (rows[key] ?? 0) + account.rows_in;
    }
    expect(drops).toEqual(counted('drops', 'name'));
    expect(rejects).toEqual(counted('rejects', 'code'));
    expect(rows).toEqual(counted('rows', 'nothing'));
  });
});

it('gives every stop of the truth, and no other', async () => {
  const found = new Map<string, Record<string, unknown>>();
  for (const [id, adapter, folder, options] of DATASETS.filter((each) => each[1].tables[0] === stopRecord)) {
    for (const row of (await readAll(id, adapter, folder, options)).rows)
      found.set(`${row.stop_id} ${row.mode}`, row);
  }
  const truth = truthOf(out, 'stops');
  expect([...found.keys()].sort()).toEqual(truth.map((row) => `${row.stop_id} ${row.mode}`).sort());
  expect(new Set(truth.map((row) => row.mode)).size).toBe(4);
  for (const { stop_id, mode, label, lon, lat } of truth) {
    const row = found.get(`${stop_id} ${mode}`)!;
    expect(row.label).toBe(label);
    expect(row.lon as number).toBeCloseTo(Number(lon), 7);
    expect(row.lat as number).toBeCloseTo(Number(lat), 7);
  }
});

it('gives every place of the truth, and no other', async () => {
  const found = new Map<string, Record<string, unknown>>();
  let pieces = 0;
  for (const [id, adapter, folder, options] of DATASETS.filter(
    (each) => each[1].tables[0] === placePieceRecord,
  )) {
    for (const row of (await readAll(id, adapter, folder, options)).rows) {
      found.set(`${row.place_id} ${row.category}`, row);
      pieces++;
    }
  }
  const truth = truthOf(out, 'places');
  expect([...found.keys()].sort()).toEqual(truth.map((row) => `${row.place_id} ${row.category}`).sort());
  expect(new Set(truth.map((row) => row.category)).size).toBe(5);
  expect(pieces).toBeGreaterThan(found.size);
  for (const { place_id, category, name, shape, lon, lat } of truth) {
    const row = found.get(`${place_id} ${category}`)!;
    expect(row.name).toBe(name);
    expect(row.geom === null ? 'point' : 'area').toBe(shape);
    if (shape === 'area') continue;
    expect([row.lon, row.lat]).toEqual([Number(lon), Number(lat)]);
  }
});

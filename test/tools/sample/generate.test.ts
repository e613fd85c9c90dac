import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'shapefile';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import yauzl from 'yauzl';
import { generateSampleCountry, type SampleSummary } from '../../../tools/sample/generate.ts';
import { STATES } from '../../../tools/sample/geography/places.ts';
import { filesBelow, hashesBelow, truthOf } from './sample_files.ts';

const folder = mkdtempSync(join(tmpdir(), 'sample-country-'));
const first = join(folder, 'first');
let summary: SampleSummary;
const progress: number[] = [];

beforeAll(async () => {
  summary = await generateSampleCountry({
    properties: 3_000,
    seed: 7,
    out: first,
    onProgress: (done) => progress.push(done),
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Names and line counts (without header) of the members of the G-NAF zip, and the text of those that `keep` names. */
async function readZip(
  path: string,
  keep: RegExp,
): Promise<{ rows: Map<string, number>; texts: Map<string, string> }> {
  const rows = new Map<string, number>();
  const texts = new Map<string, string>();
  const zip = await yauzl.openPromise(path);
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    rows.set(entry.fileName, text.split('\r\n').length - 2);
    if (keep.test(entry.fileName)) texts.set(entry.fileName, text);
  }
  return { rows, texts };
}

describe('sample country of 3,000 properties', () => {
  it('is the same for the same seed, byte by byte, and another one for another seed', async () => {
    await generateSampleCountry({ properties: 3_000, seed: 7, out: join(folder, 'again') });
    expect(await hashesBelow(join(folder, 'again'))).toEqual(await hashesBelow(first));
    await generateSampleCountry({ properties: 3_000, seed: 8, out: join(folder, 'other') });
    const other = await hashesBelow(join(folder, 'other'));
    expect(other['truth/properties.csv']).not.toBe((await hashesBelow(first))['truth/properties.csv']);
  });

  it('has exactly the properties asked for, some in every state', () => {
    expect(summary.properties).toBe(3_000);
    expect(Object.keys(summary.states).sort()).toEqual(STATES.map(({ code }) => code).sort());
    for (const state of Object.values(summary.states)) expect(state.properties).toBeGreaterThan(0);
    expect(progress.at(-1)).toBe(3_000);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
  });

  it('lists the truth of every address, and the requested number of live principals', () => {
    const truth = truthOf(first, 'properties');
    expect(new Set(truth.map((row) => row.gnaf_pid)).size).toBe(truth.length);
    const live = truth.filter((row) => row.is_live === 'true' && row.alias_principal === 'P');
    expect(live).toHaveLength(3_000);
    const bad = truthOf(first, 'bad_rows').filter((row) => row.file!.includes('ADDRESS_DETAIL'));
    expect(truth.length + bad.length).toBe(summary.addresses);
  });

  it('zips G-NAF in its published tree, with the rows that the truth counts', async () => {
    const zip = join(first, 'gnaf', 'g-naf_nov25_allstates_gda2020_psv_1020.zip');
    const { rows, texts } = await readZip(zip, /ADDRESS_DETAIL|STREET_TYPE_AUT/);
    const counted = truthOf(first, 'rows').filter((row) => row.file!.startsWith('G-NAF/'));
    for (const { file, rows: expected } of counted) expect(rows.get(file!), file).toBe(Number(expected));
    expect([...rows.keys()].filter((name) => name.includes('/Standard/'))).toHaveLength(counted.length);
    for (const [name, text] of texts) {
      const [header, ...lines] = text.trimEnd().split('\r\n');
      expect(header!.split('|')).toHaveLength(name.includes('DETAIL') ? 35 : 3);
      const short = lines.filter((line) => line.split('|').length !== header!.split('|').length);
      expect(short.length, name).toBe(/(NSW|VIC)_ADDRESS_DETAIL/.test(name) ? 1 : 0);
    }
    expect(texts.get([...texts.keys()].find((name) => name.includes('STREET_TYPE'))!)).toContain(
      'AVENUE|AV|AV\r\n',
    );
  });

  it('writes shapefiles that the reference reader reads to the end, with the rows that the truth counts', async () => {
    const counted = new Map(truthOf(first, 'rows').map((row) => [row.file!, Number(row.rows)]));
    const shapefiles = filesBelow(first).filter((path) => path.endsWith('.shp'));
    expect(shapefiles.filter((path) => path.startsWith('cadastre/'))).toHaveLength(8);
    expect(shapefiles.filter((path) => path.startsWith('asgs/'))).toHaveLength(10);
    for (const path of shapefiles) {
      const source = await open(join(first, path), undefined, { encoding: 'utf-8' });
      let rows = 0;
      while (!(await source.read()).done) rows++;
      expect(rows, path).toBe(counted.get(path));
      expect(filesBelow(first)).toContain(path.replace('.shp', '.prj'));
    }
  });

  it('has every pattern of subdivision, and every kind of address', () => {
    const truth = truthOf(first, 'properties');
    const has = (what: string, test: (row: Record<string, string>) => boolean) =>
      expect(truth.some(test), what).toBe(true);
    has('alias', (row) => row.principal_pid !== '');
    has('retired', (row) => row.is_live === 'false');
    has('unit of a building', (row) => row.primary_pid !== '');
    has('range', (row) => row.number_last !== '');
    has('lot only', (row) => row.number_first === '' && row.lot_number !== '');
    has('level', (row) => row.level_type !== '');
    has('shop', (row) => row.flat_type === 'SHOP');
    has('suffix', (row) => row.number_first!.endsWith('A'));
    for (const type of ['PC', 'FCS', 'BC', 'GG', 'STL', 'LOC']) has(type, (row) => row.geocode_type === type);
    for (const method of ['legal_id', 'point_in_parcel', 'nearest'])
      has(method, (row) => row.parcel_method === method);
    has('rural', (row) => Number(row.parcel_area_sqm) > 4e8);
    const pairs = truthOf(first, 'adjoining');
    expect(pairs.some((row) => row.corner === 'true')).toBe(true);
    expect(pairs.some((row) => Number(row.shared_m) > 20_000)).toBe(true);
  });

  it('refuses fewer than 100 properties', async () => {
    await expect(
      generateSampleCountry({ properties: 99, seed: 1, out: join(folder, 'none') }),
    ).rejects.toThrow(/at least 100/);
  });
});

import { execFile, execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync, verify } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTRACT_VERSION } from '../../contract/service/version.ts';
import { localityTable } from '../../schema/serving/locality.ts';
import { propertyTable } from '../../schema/serving/property.ts';
import { propertyNeighbourTable } from '../../schema/serving/property_neighbour.ts';
import { regionShapeTable } from '../../schema/serving/region_shape.ts';
import { settingTable } from '../../schema/serving/setting.ts';
import { suburbTable } from '../../schema/serving/suburb.ts';
import type { Table } from '../../schema/table.ts';
import type { TestDatabase } from '../database.ts';
import { OPEN_GATES, refreshSample } from '../pipelines/sample_run.ts';
import { publishedSample } from '../published_sample.ts';
import { openFolder, pipeline } from './fixture.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PROPERTY = 'GAVIC900000001';
const run = promisify(execFile);

let folder: string;
let sample: string;
let database: TestDatabase;
beforeAll(async () => {
  folder = openFolder();
  ({ database, dir: sample } = await publishedSample());
});
afterAll(async () => {
  await database.drop();
  rmSync(sample, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
});

describe('the package of the read contract', () => {
  const NAME = 'property-data-contract';
  let home: string;
  beforeAll(async () => {
    home = join(folder, 'consumer');
    const modules = join(home, 'node_modules');
    mkdirSync(modules, { recursive: true });
    await run(process.execPath, ['tools/scripts/contract/pack.mjs', home], { cwd: ROOT });
    const [packed] = readdirSync(home).filter((name) => name.endsWith('.tgz'));
    execFileSync('tar', ['-xzf', join(home, packed!), '-C', modules]);
    execFileSync('mv', [join(modules, 'package'), join(modules, NAME)]);
    // Nothing else is there to be found.
    for (const name of ['kysely', 'pg', 'zod'])
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
    writeFileSync(join(home, 'package.json'), '{ "type": "module" }');
    for (const name of ['example.mjs', 'example.ts'])
      copyFileSync(join(modules, NAME, 'examples', name), join(home, name));
  });

  it('answers plain Node', async () => {
    const { stdout } = await run(process.execPath, ['example.mjs', database.url, PROPERTY], { cwd: home });
    expect(JSON.parse(stdout)).toMatchObject({
      contract: CONTRACT_VERSION,
      profile: { data: { state: 'VIC', mesh_block: expect.any(String) } },
    });
  });

  it('is typed: an example compiles strictly, runs, and a payload that is read wrongly does not compile', async () => {
    const compile = (file: string) =>
      run(
        process.execPath,
        [
          join(ROOT, 'node_modules/typescript/bin/tsc'),
          ...['--strict', '--target', 'es2023', '--module', 'nodenext', '--types', 'node', '--outDir', '.'],
          ...['--typeRoots', join(ROOT, 'node_modules/@types'), file],
        ],
        { cwd: home },
      );
    await compile('example.ts');
    const { stdout } = await run(process.execPath, ['example.js', database.url, PROPERTY], { cwd: home });
    const [first] = await database.query<{ gnaf_pid: string; land_area_sqm: number }>(
      'SELECT gnaf_pid, land_area_sqm FROM serving.property ORDER BY gnaf_pid LIMIT 1',
    );
    const said = JSON.parse(stdout);
    expect([said.sa2, said.properties[0]]).toEqual(['Springfield', first]);
    expect(said.properties).toHaveLength(3);
    writeFileSync(
      join(home, 'wrong.ts'),
      `import { ask, connect, profile } from '${NAME}';\nconst answer = await ask(profile, connect(''), '');\nif (answer.data !== null) console.log(answer.data.sa2_name);\n`,
    );
    const wrong = await compile('wrong.ts').catch((error) => error.stdout as string);
    expect(wrong).toContain("Property 'sa2_name' does not exist");
  });
});

describe('pipeline rejects', () => {
  it('suggests a name for an unknown dataset, and accepts a stage without rejects', async () => {
    const args = ['rejects', 'list', '--config', join(sample, 'config.yaml')];
    const named = (...flags: string[]) => pipeline([...args, ...flags], { DATABASE_URL: database.url });
    const wrong = await named('--dataset', 'gnav');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Did you mean gnaf?')]);
    const none = await named('--dataset', 'serve_setting');
    expect([none.code, none.stdout]).toEqual([0, 'no rejects\n']);
  });
});

describe('pipeline export', () => {
  const out = (name: string): string => join(folder, 'exports', name);
  const exported = (name: string, ...flags: string[]) =>
    pipeline(['export', '--out', out(name), ...flags], { DATABASE_URL: database.url });
  const manifestOf = (name: string) => JSON.parse(readFileSync(join(out(name), 'manifest.json'), 'utf8'));
  /** Rows as they are served, in the order of an export. */
  const served = ({ name, columns, primaryKey }: Table) => {
    const order = [...('state' in columns ? ['state'] : []), ...primaryKey].map(
      (each) => `${each} COLLATE "C"`,
    );
    return database.query<Record<string, unknown>>(
      `SELECT * FROM serving.${name} ORDER BY ${order.join(', ')}`,
    );
  };

  async function readParquet(file: string) {
    const bytes = readFileSync(file);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    // The bytes of a geometry, not what a reader makes of them.
    const rows = await parquetReadObjects({ file: buffer, compressors, geoparquet: false, utf8: false });
    return { rows, metadata: parquetMetadata(buffer) };
  }

  it('writes GeoParquet that equals the served rows, with a row group for each state', async () => {
    const { code, stderr, stdout } = await exported(
      'parquet',
      '--tables',
      'property,region_shape,suburb,locality',
    );
    expect([stderr, code]).toEqual([expect.any(String), 0]);
    expect(stdout).toMatch(/^publication 1 of \d{4}-.* not signed/);
    const { rows, metadata } = await readParquet(join(out('parquet'), 'property.parquet'));
    const property = await served(propertyTable);
    const places = rows.map(({ geometry }) => geometry as Uint8Array | null);
    expect(rows.map(({ geometry: _, bbox: __, ...row }) => row)).toEqual(property);
    const points = places.map(
      (wkb) => wkb && [Buffer.from(wkb).readDoubleLE(5), Buffer.from(wkb).readDoubleLE(13)],
    );
    expect(points).toEqual(property.map(({ lon, lat }) => (lon === null ? null : [lon, lat])));
    const states = new Set(property.map(({ state }) => state));
    expect(states.size).toBeGreaterThan(5);
    expect(metadata.row_groups).toHaveLength(states.size);
    const facts = Object.fromEntries(metadata.key_value_metadata!.map(({ key, value }) => [key, value]));
    expect(facts).toMatchObject({ table: 'property', publication: '1' });
    expect(JSON.parse(facts.geo!)).toMatchObject({
      version: '1.1.0',
      columns: { geometry: { encoding: 'WKB', crs: { id: { authority: 'EPSG', code: 7844 } } } },
    });
    const shapes = await readParquet(join(out('parquet'), 'region_shape.parquet'));
    const hex = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString('hex');
    const shapesServed = await served(regionShapeTable);
    expect(shapes.rows.map(({ geometry }) => hex(geometry))).toEqual(
      shapesServed.map(({ geom }) => hex(geom)),
    );
    // Lists and JSON come back as such.
    const suburbs = await readParquet(join(out('parquet'), 'suburb.parquet'));
    expect(suburbs.rows).toEqual(await served(suburbTable));
    const localities = await readParquet(join(out('parquet'), 'locality.parquet'));
    expect(localities.rows).toEqual(await served(localityTable));
  });

  it('names every file with its digest and every dataset with its licence, signed by the key that is given', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const key = join(folder, 'key.pem');
    writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const flags = ['--tables', 'property', '--format', 'csv', '--publication', '1', '--sign-key', key];
    expect((await exported('signed', ...flags)).code).toBe(0);
    const bytes = readFileSync(join(out('signed'), 'manifest.json'));
    const signature = readFileSync(join(out('signed'), 'manifest.json.sig'));
    expect(verify(null, bytes, publicKey, signature)).toBe(true);
    expect(verify(null, Buffer.concat([bytes, Buffer.from(' ')]), publicKey, signature)).toBe(false);
    const manifest = manifestOf('signed');
    const csv = readFileSync(join(out('signed'), 'property.csv'));
    const property = await served(propertyTable);
    expect(manifest).toMatchObject({
      publication: 1,
      format: 'csv',
      crs: 'EPSG:7844',
      files: [
        {
          table: 'property',
          rows: property.length,
          bytes: csv.length,
          sha256: createHash('sha256').update(csv).digest('hex'),
        },
      ],
      signed_by: createHash('sha256')
        .update(publicKey.export({ type: 'spki', format: 'der' }))
        .digest('hex'),
    });
    expect(manifest.datasets).toContainEqual(
      expect.objectContaining({
        dataset: 'gnaf',
        release: 'NOVEMBER 2025',
        licence: 'generated',
        attribution: expect.stringContaining('Geoscape'),
      }),
    );
    const [header, ...lines] = parse(csv) as string[][];
    expect(header).toEqual(Object.keys(property[0]!));
    expect(lines).toEqual(
      property.map((row) => Object.values(row).map((value) => (value === null ? '' : String(value)))),
    );
    // The same again is the same bytes, in place of the export before; a file that was changed is left.
    expect((await exported('signed', ...flags)).code).toBe(0);
    expect(readFileSync(join(out('signed'), 'manifest.json'))).toEqual(bytes);
    writeFileSync(join(out('signed'), 'property.csv'), 'mine');
    expect((await exported('signed', ...flags)).stderr).toContain('output_not_ours');
  });

  it('writes GeoJSON, and refuses what it cannot write before it writes anything', async () => {
    expect((await exported('geojson', '--tables', 'property', '--format', 'geojson')).code).toBe(0);
    const { features } = JSON.parse(readFileSync(join(out('geojson'), 'property.geojson'), 'utf8'));
    const property = await served(propertyTable);
    expect(features.map(({ properties }: { properties: object }) => properties)).toEqual(property);
    expect(features[0].geometry).toEqual({
      type: 'Point',
      coordinates: [property[0]!.lon, property[0]!.lat],
    });
    const refusals: [string[], string][] = [
      [['--tables', 'propety'], 'Did you mean property?'],
      [['--tables', 'suburb', '--format', 'geojson'], 'has no geometry'],
      [['--format', 'parket'], 'Did you mean parquet?'],
      [['--publication', '7'], 'There is no publication 7. The last one is 1.'],
      [['--tables', 'setting', '--sign-key', join(sample, 'config.yaml')], 'is not a private Ed25519 key'],
    ];
    for (const [flags, message] of refusals) {
      const { code, stderr } = await exported('refused', ...flags);
      expect([code, stderr]).toEqual([
        flags[0] === '--publication' ? 1 : 2,
        expect.stringContaining(message),
      ]);
    }
    expect(existsSync(out('refused'))).toBe(false);
  });

  it('exports an earlier publication unchanged after a later one', async () => {
    const files = (name: string) =>
      manifestOf(name).files.map(
        ({ table, rows, sha256 }: { table: string; rows: number; sha256: string }) => [table, rows, sha256],
      );
    const tables = ['--tables', 'setting,property_neighbour', '--format', 'csv'];
    expect((await exported('first', ...tables)).code).toBe(0);
    const changed = await refreshSample(database, sample, [
      ...OPEN_GATES,
      'hazards.radius_m=900',
      'neighbours.min_shared_m=30',
    ]);
    expect(changed).toMatchObject({ state: 'published', publication: 2 });
    expect((await exported('today', ...tables)).code).toBe(0);
    expect((await exported('then', ...tables, '--publication', '1')).code).toBe(0);
    expect(files('then')).toEqual(files('first'));
    const differ = files('today').filter(
      (file: unknown, i: number) => JSON.stringify(file) !== JSON.stringify(files('then')[i]),
    );
    expect(differ.map(([table]: string[]) => table)).toEqual(['setting', 'property_neighbour']);
    // What changed, applied to what was, is what there is.
    expect((await exported('changes', ...tables, '--since', '1')).code).toBe(0);
    expect(manifestOf('changes')).toMatchObject({ publication: 2, since: 1 });
    const rowsOf = (name: string, table: string): Record<string, string>[] =>
      parse(readFileSync(join(out(name), `${table}.csv`)), { columns: true });
    for (const { name, primaryKey } of [settingTable, propertyNeighbourTable] as Table[]) {
      const keyOf = (row: Record<string, string>) => primaryKey.map((column) => row[column]).join('|');
      const held = new Map(rowsOf('first', name).map((row) => [keyOf(row), row]));
      const changes = rowsOf('changes', name);
      expect([changes.length > 0, changes.length < held.size]).toEqual([true, true]);
      for (const { change, ...row } of changes) {
        const before = held.get(keyOf(row));
        expect([change, before === undefined]).toEqual([change, change === 'insert']);
        if (change === 'delete') held.delete(keyOf(row));
        else held.set(keyOf(row), row);
      }
      expect([...held.keys()].sort()).toEqual(rowsOf('today', name).map(keyOf).sort());
      for (const row of rowsOf('today', name)) expect(held.get(keyOf(row))).toEqual(row);
    }
    const none = await exported('none', '--since', '2');
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('the last one, which is 2')]);
    expect([manifestOf('today').publication, manifestOf('then').publication]).toEqual([2, 1]);
  });
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { effectiveConfig } from '../../cli/commands/doctor.ts';
import { type ConfigFlags, loadConfig } from '../../cli/load_config.ts';
import { EtlError } from '../../schema/errors.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a configuration file into a folder of its own. */
function file(text: string, name = 'pipeline.yaml'): string {
  const path = join(mkdtempSync(join(folder, 'case-')), name);
  writeFileSync(path, text);
  return path;
}

const load = (text: string, flags: ConfigFlags = {}, env: NodeJS.ProcessEnv = {}) =>
  loadConfig({ config: file(text), ...flags }, env);

/** The error that loading gives. */
async function errorOf(text: string, flags: ConfigFlags = {}, env: NodeJS.ProcessEnv = {}) {
  const error = await load(text, flags, env).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(EtlError);
  return error as EtlError;
}

describe('precedence', () => {
  const text = 'workers: 1\nparcel: { nearest_m: 1, legal_id_radius_m: 10 }\nbatch_rows: 10\n';

  it('takes flag over environment over file over default, with the origin of each', async () => {
    const loaded = await load(
      text,
      { workers: '4', set: ['parcel.nearest_m=3'] },
      { PIPELINE_WORKERS: '2', PIPELINE_PARCEL__NEAREST_M: '2', PIPELINE_BATCH_ROWS: '20' },
    );
    const { config, origins } = loaded;
    expect(config).toMatchObject({ workers: 4, batch_rows: 20, data_dir: '.data' });
    expect(config.parcel).toEqual({ nearest_m: 3, legal_id_radius_m: 10 });
    expect(Object.fromEntries(origins)).toEqual({
      workers: 'flag --workers',
      'parcel.nearest_m': 'flag --set',
      'parcel.legal_id_radius_m': 'file',
      batch_rows: 'environment PIPELINE_BATCH_ROWS',
    });
    const lines = new Map(effectiveConfig(loaded).map((line) => [line.path, line]));
    expect(lines.get('data_dir')).toEqual({ path: 'data_dir', value: '.data', origin: 'default' });
    expect(lines.get('workers')).toEqual({ path: 'workers', value: 4, origin: 'flag --workers' });
  });

  it('needs no file, and starts relative paths from the folder of the one it has', async () => {
    const none = await loadConfig({}, { PIPELINE_DATA_DIR: dirname(file('')) });
    expect(none).toMatchObject({ file: null, base: process.cwd(), config: { datasets: {} } });
    const path = file('workers: 1');
    const named = await loadConfig({}, { PIPELINE_CONFIG: path });
    expect(named).toMatchObject({ file: path, base: dirname(path), config: { workers: 1 } });
  });

  it('uses the configuration of the demo by default, prints its path, and ignores it for an external database', async () => {
    const data = dirname(file(''));
    mkdirSync(join(data, 'sample'));
    const demo = join(data, 'sample/config.yaml');
    writeFileSync(demo, 'workers: 3');
    const said: string[] = [];
    const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
    try {
      expect(await loadConfig({ dataDir: data }, {})).toMatchObject({ file: demo, config: { workers: 3 } });
      expect(said).toEqual([expect.stringMatching(/^configuration: \S*sample\/config\.yaml\n$/)]);
      await loadConfig({ dataDir: data, json: true }, {});
      expect(JSON.parse(said[1]!).configuration).toMatch(/sample\/config\.yaml$/);
      const url = 'postgresql://me@db.example/homes';
      expect((await loadConfig({ dataDir: data }, { DATABASE_URL: url })).file).toBeNull();
      expect((await loadConfig({ dataDir: data, set: [`database.url=${url}`] }, {})).file).toBeNull();
      await loadConfig({ dataDir: data, config: file('workers: 1') }, {});
      expect(said).toHaveLength(2);
    } finally {
      spy.mockRestore();
    }
  });

  it('takes an empty file as no settings, and empty variables as not set', async () => {
    const { config, origins } = await load('# nothing\n', {}, { PIPELINE_WORKERS: '', DATABASE_URL: '' });
    expect([config.workers, config.database.url, origins.size]).toEqual([0, null, 0]);
  });

  it('takes the database from DATABASE_URL', async () => {
    const url = 'postgresql://me@db.example/homes';
    const { config, origins } = await load('database: { url: postgresql://x/y }', {}, { DATABASE_URL: url });
    expect([config.database.url, origins.get('database.url')]).toEqual([url, 'environment DATABASE_URL']);
  });

  it('replaces a branch that is set as a whole, origin included', async () => {
    const loaded = await load(text, { set: ['parcel={nearest_m: 7}'] });
    expect(loaded.config.parcel).toEqual({ nearest_m: 7, legal_id_radius_m: 1000 });
    const line = effectiveConfig(loaded).find((each) => each.path === 'parcel.nearest_m');
    expect(line?.origin).toBe('flag --set');
  });

  const dataset = 'datasets: { asgs: { adapter: asgs, path: a.shp } }';
  it.each([
    ['release=2021', { release: '2021' }],
    ['attribution=Source: ABS', { attribution: 'Source: ABS' }],
    ['attribution="2021"', { attribution: '2021' }],
    ['crs=EPSG:7844', { crs: 'EPSG:7844' }],
    ['crs=null', { crs: null }],
    ['path=[ab].shp', { path: '[ab].shp' }],
    ['path=[a.shp, b.shp]', { path: ['a.shp', 'b.shp'] }],
    ['options.layers=[a]', { options: { layers: ['a'] } }],
    ['options={layers: a}', { options: { layers: 'a' } }],
  ])('reads --set datasets.asgs.%s as the schema wants it', async (setting, expected) => {
    const { config } = await load(dataset, { set: [`datasets.asgs.${setting}`] });
    expect(config.datasets.asgs).toMatchObject(expected);
  });
});

describe('unknown keys', () => {
  const dataset = (key: string): string => `datasets: { gnaf: { adapter: gnaf, path: x, ${key}: 1 } }`;
  it.each([
    ['top of a file', 'wrkers: 1', {}, {}, 'wrkers', 'workers'],
    ['branch of a file', 'parcel: { nearest: 1 }', {}, {}, 'parcel.nearest', 'parcel.nearest_m'],
    ['dataset of a file', dataset('relese'), {}, {}, 'datasets.gnaf.relese', 'datasets.gnaf.release'],
    ['environment', '', {}, { PIPELINE_WORKER: '1' }, 'worker', 'workers'],
    [
      'environment',
      '',
      {},
      { PIPELINE_GATES__ROW_CHANGE_MAX: '1' },
      'gates.row_change_max',
      'gates.rows_change_max',
    ],
    ['--set', '', { set: ['neighbors.tolerance_m=1'] }, {}, 'neighbors', 'neighbours'],
    ['--set', '', { set: ['database.uri=x'] }, {}, 'database.uri', 'database.url'],
    ['--set', '', { set: ['datasets.a.pth=x'] }, {}, 'datasets.a.pth', 'datasets.a.path'],
  ])('%s: names the nearest known key (%s)', async (_where, text, flags, env, key, nearest) => {
    const error = await errorOf(text, flags, env);
    expect(error.code).toBe('config_unknown_key');
    expect(error.details.key).toBe(key);
    expect(error.message).toContain(`unknown key ${key}.`);
    expect(error.message).toMatch(new RegExp(`Did you mean ${nearest.replaceAll('.', '\\.')}`));
  });

  it('names the source of an unknown key', async () => {
    const path = file('wrkers: 1');
    await expect(loadConfig({ config: path }, {})).rejects.toThrow(path);
    const error = await errorOf('', {}, { PIPELINE_WORKER: '1' });
    expect(error.message).toContain('environment PIPELINE_WORKER');
    expect((await errorOf('', { set: ['wrkers=1'] })).message).toContain('--set');
  });
});

describe('invalid values', () => {
  it.each([
    ['workers: -1', 'workers: '],
    ['workers: many', 'workers: '],
    ['batch_rows: 1.5', 'batch_rows: '],
    ['parcel: { nearest_m: 1000 }', 'parcel.nearest_m: '],
    ['parcel:', 'parcel: '],
    ['datasets: { gnaf: { path: x } }', 'datasets.gnaf.adapter: '],
    ['datasets: { gnaf: { adapter: gnaf, path: [] } }', 'datasets.gnaf.path: '],
    ['datasets: { gnaf: { adapter: gnaf, path: x, crs: GDA94 } }', 'datasets.gnaf.crs: is written EPSG:7844'],
    [
      'datasets: { G-NAF: { adapter: gnaf, path: x } }',
      'datasets.G-NAF: the name is lower-case letters, digits',
    ],
  ])('%s: names the path', async (text, message) => {
    const error = await errorOf(text);
    expect(error.code).toBe('config_invalid');
    expect(error.message).toContain(message);
  });

  it.each([
    ['ops: { token: short }', 'ops.token: String should have at least 16 characters'],
    ['ops: { webhook: { secret: "1" } }', 'ops.webhook.secret: String should have at least 16 characters'],
    ['ops: { port: 70000 }', 'ops.port: Input should be less than or equal to 65535'],
    ['ops: { port: near }', 'ops.port: Input should be a valid number, unable to parse text as one'],
    ['datasets: { gnaf: { path: x } }', 'datasets.gnaf.adapter: Field required'],
  ])('%s: says it in plain words', async (text, message) => {
    expect((await errorOf(text)).message).toContain(message);
  });

  it('says which override gave the value', async () => {
    const environment = await errorOf('', {}, { PIPELINE_WORKERS: 'lots' });
    expect(environment.message).toContain('workers (environment PIPELINE_WORKERS): ');
    expect((await errorOf('', { workers: 'lots' })).message).toContain('workers (flag --workers): ');
    expect((await errorOf('', { set: ['workers'] })).message).toContain('--set path.to.key=value');
  });
});

describe('files', () => {
  it.each([
    [
      'unclosed quote',
      'workers: 1\ndata_dir: "x\nbatch_rows: 2\n',
      /not valid YAML: .* at line \d+, column \d+/,
    ],
    ['duplicate key', 'workers: 1\nworkers: 2\n', /not valid YAML: Map keys must be unique at line 2/],
    ['tab', 'parcel:\n\tnearest_m: 1\n', /not valid YAML: .*line 2/],
    ['list', '- workers\n', /top level must be a mapping/],
    ['text', 'workers\n', /top level must be a mapping/],
  ])('%s: config_invalid with file and place', async (_name, text, message) => {
    const path = file(text);
    const error = await loadConfig({ config: path }, {}).catch((thrown: EtlError) => thrown);
    expect(error).toMatchObject({ code: 'config_invalid' });
    expect((error as EtlError).message).toContain(path);
    expect((error as EtlError).message).toMatch(message);
  });

  it('says that a file is missing', async () => {
    const path = join(folder, 'none.yaml');
    const error = await loadConfig({ config: path }, {}).catch((thrown: EtlError) => thrown);
    expect(error).toMatchObject({ code: 'config_missing', message: expect.stringContaining(path) });
  });

  it.each([['workers=[1'], ['workers={']])('--set %s: names the path', async (setting) => {
    const error = await errorOf('', { set: [setting] });
    expect(error).toMatchObject({ code: 'config_invalid', message: expect.stringContaining('workers') });
  });
});

describe('secrets', () => {
  const SECRET = 'hunter2';
  const URL = `postgresql://me:${SECRET}@db.example:5432/homes?sslmode=require&sslpassword=${SECRET}`;

  it('are masked in the effective configuration', async () => {
    const text = [
      'datasets:',
      '  gnaf:',
      '    adapter: gnaf',
      `    path: [x, "https://me:${SECRET}@files.example/gnaf.zip"]`,
      `    options: { api_token: ${SECRET}, nested: { db_password: ${SECRET}, list: [{ secret: ${SECRET} }] },`,
      `      empty_token: null, url: "https://x.example/?token=1&key=${SECRET}" }`,
    ].join('\n');
    const lines = effectiveConfig(await load(text, {}, { DATABASE_URL: URL }));
    expect(JSON.stringify(lines)).not.toContain(SECRET);
    const values = Object.fromEntries(lines.map((line) => [line.path, line.value]));
    expect(values['database.url']).toContain('me:***@db.example:5432/homes');
    expect(values['datasets.gnaf.options.api_token']).toBe('***');
    expect(values['datasets.gnaf.options.nested.db_password']).toBe('***');
    expect(values['datasets.gnaf.options.empty_token']).toBeNull();
    expect(values['datasets.gnaf.path']).toEqual(['x', 'https://me:***@files.example/gnaf.zip']);
  });

  it('are not shown in the error for an invalid URL', async () => {
    const error = await load('', {}, { DATABASE_URL: `host=x password=${SECRET}` }).catch((each) => each);
    expect(error.code).toBe('config_invalid');
    expect(JSON.stringify([error.message, error.details])).not.toContain(SECRET);
  });

  it.each([
    ['YAML', `database:\n  url: "${URL}\nworkers: 1\n`, {}, {}],
    ['YAML of an option', `datasets: { a: { options: { token: ${SECRET}, b: [ } } }`, {}, {}],
    ['unknown key of a file', `database: { ulr: "${URL}" }`, {}, {}],
    ['invalid value', `database: { url: ["${URL}"] }`, {}, {}],
    ['--set without a key', '', { set: [URL] }, {}],
    ['--set of an unknown key', '', { set: [`database.password=${SECRET}`] }, {}],
    ['variable of an unknown key', '', {}, { PIPELINE_DATABASE__PASSWORD: SECRET }],
    ['variable that is not YAML', '', {}, { PIPELINE_WORKERS: `[${URL}` }],
  ])('do not show in errors: %s', async (_name, text, flags, env) => {
    const { message, details, cause } = await errorOf(text, flags, env);
    expect(message + JSON.stringify(details) + String(cause)).not.toContain(SECRET);
  });
});

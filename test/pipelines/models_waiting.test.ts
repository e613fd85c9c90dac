import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pipeline } from '../cli/fixture.ts';
import { VICTORIA } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';
import { acceptSample, OPEN_GATES, refreshSample } from './sample_run.ts';

/** A model with the given types of its columns. */
const model = (columns: Record<string, string>, key: string): string => `/*
table: home_state
doc: State of each property.
inputs: [property]
key: [${key}]
columns:
${Object.entries(columns)
  .map(([name, type]) => `  ${name}: { type: ${type}, doc: ${name}. }\n`)
  .join('')}*/
SELECT ${Object.entries(columns)
  .map(([name, type]) => `${name === 'n' ? 1 : name}::${type} AS ${name}`)
  .join(', ')} FROM property
`;
const FIRST = model({ gnaf_pid: 'text', state: 'text', n: 'int4' }, 'gnaf_pid');

describe('a changed model that waits for its gate', () => {
  let database: TestDatabase;
  let dir: string;
  let first: number;

  const write = (text: string): Promise<void> => writeFile(join(dir, 'models', 'home_state.sql'), text);
  const refresh = (set: string[] = [], options = {}) =>
    refreshSample(database, dir, [...OPEN_GATES, 'workers=1', ...set], options);
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await pipeline([...args, '--config', join(dir, 'config.yaml')], {
      DATABASE_URL: database.url,
    });
    expect([args.join(' '), code, code === 0 ? '' : stderr]).toEqual([args.join(' '), 0, '']);
    return stdout;
  };
  const digest = async (...flags: string[]): Promise<string> =>
    /^ *home_state .*$/m.exec(await run('digest', ...flags))![0];

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(VICTORIA));
    await mkdir(join(dir, 'models'), { recursive: true });
    await write(FIRST);
    first = (await refresh()).publication!;
  });
  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it.each<[what: string, text: string]>([
    ['another type', model({ gnaf_pid: 'text', state: 'text', n: 'text' }, 'gnaf_pid')],
    ['one more column', model({ gnaf_pid: 'text', state: 'text', n: 'int4', postcode: 'text' }, 'gnaf_pid')],
    ['one column less and another key', model({ gnaf_pid: 'text', state: 'text' }, 'state, gnaf_pid')],
  ])('is read with the columns of before: %s', async (_, text) => {
    await write(FIRST);
    const before = await digest();
    expect(before).not.toMatch(/ 0 +0+/);
    await write(text);
    expect((await refresh()).state).toBe('refused');
    expect(await digest()).toBe(before);
    expect(await digest('--as-of', String(first))).toBe(before);
    expect(await digest('--as-of', '1')).toMatch(/ 0 +0+/);
    const out = join(dir, 'export');
    await run('export', '--tables', 'home_state', '--format', 'csv', '--out', out);
    await run('export', '--tables', 'home_state', '--publication', String(first), '--out', out);
    await run('diff', '1', String(first), '--table', 'home_state');
    expect(
      JSON.parse(await run('explain', 'GAVIC900000001', '--as-of', String(first), '--json')),
    ).toMatchObject({
      serving: { home_state: [{ gnaf_pid: 'GAVIC900000001', n: 1 }] },
    });
    await run('explain', 'GAVIC900000001', 'home_state.n');
    await run('rollback', '--to', '1', '--reason', 'test');
    await run('rollback', '--to', String(first), '--reason', 'test');
    expect(await digest()).toBe(before);
  });

  it('does not stop a refresh of other tables', async () => {
    await write(model({ gnaf_pid: 'text', n: 'int2' }, 'gnaf_pid'));
    const before = await digest();
    const set = ['neighbours.min_shared_m=40'];
    expect((await refresh(set, { tables: ['property', 'property_neighbour'] })).state).toBe('refused');
    const report = await acceptSample(database, dir, ['rollback'], [...OPEN_GATES, ...set]);
    expect([report.error, report.state]).toEqual([null, 'published']);
    expect(await digest()).toBe(before);
  });
});

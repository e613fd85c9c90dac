import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { suggestNames } from '../../cli/suggest_regions.ts';
import type { TestDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';
import { pipeline } from './fixture.ts';

const NAMES = [
  'Richmond (NSW)',
  'Richmond (Qld)',
  'Richmond (Yarra - Vic.)',
  'Richmond (Kingborough - Tas.)',
  'Richmond Hill (NSW)',
  'Brunswick (Vic.)',
  'Brunswick East',
  'Fitzroy (Vic.)',
];

describe('suggested suburb names', () => {
  it.each([
    ['Richmond (Vic.)', 'Richmond (Yarra - Vic.)', 4],
    ['richmond', 'Richmond (Kingborough - Tas.)', 4],
    ['Richmnd', 'Richmond (Kingborough - Tas.)', 4],
    ['Brunswik', 'Brunswick (Vic.)', 1],
    ['fitzroi', 'Fitzroy (Vic.)', 1],
  ])('%s', (typed, first, count) => {
    const found = suggestNames(typed, NAMES);
    expect([found[0], found.length]).toEqual([first, count]);
  });

  it('are empty if no name is similar', () => expect(suggestNames('Woolloomooloo', NAMES)).toEqual([]));
});

describe('get with an unknown suburb', () => {
  let database: TestDatabase;
  let dir: string;
  beforeAll(async () => {
    ({ database, dir } = await publishedSample());
  });
  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('suggests suburbs of that name on standard error, and answers unknown_suburb', async () => {
    const [suburb] = await database.query<{ name: string }>(
      `SELECT name FROM serving.search_area WHERE level = 'SAL' AND name LIKE '% (%' ORDER BY name LIMIT 1`,
    );
    const bare = suburb!.name.replace(/ \(.*/, '');
    const asked = (name: string) =>
      pipeline(['get', 'suburb/profile', name, '--json', '--config', join(dir, 'config.yaml')], {
        DATABASE_URL: database.url,
      });
    const { code, stdout, stderr } = await asked(bare);
    expect([code, JSON.parse(stdout).no_data]).toEqual([0, 'unknown_suburb']);
    expect(stderr).toMatch(/^Did you mean /m);
    expect(stderr).toContain(suburb!.name);
    expect((await asked(suburb!.name)).stderr).not.toContain('Did you mean');
    expect((await asked('Zzyzx Springs Nowhere')).stderr).not.toContain('Did you mean');
  });
});

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestDatabase } from '../database.ts';
import { copySample, editTable } from '../pipelines/damage.ts';
import { OPEN_GATES } from '../pipelines/sample_run.ts';
import { publishedSample } from '../published_sample.ts';
import { pipeline } from './fixture.ts';

describe('commands of the candidate', () => {
  let parent: string;
  let dir: string;
  let changed: string;
  let database: TestDatabase;

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'candidate-cli-'));
    ({ database, dir } = await publishedSample());
    changed = await copySample(dir, parent);
    await editTable(changed, 'VIC_ADDRESS_DETAIL', (lines) => lines.filter((_, i) => i === 0 || i % 9 !== 4));
  });

  afterAll(async () => {
    await database?.drop();
    for (const folder of [dir, parent]) await rm(folder, { recursive: true, force: true });
  });

  const run = (...args: string[]) =>
    pipeline(
      [
        ...args,
        '--config',
        join(changed, 'config.yaml'),
        '--workers',
        '1',
        ...OPEN_GATES.flatMap((gate) => ['--set', gate]),
      ],
      { DATABASE_URL: database.url },
    );

  it('hold, show, publish and discard it, and say what to do next', async () => {
    const summary = join(parent, 'changes.md');
    const held = await run('refresh', '--hold', '--summary', summary);
    expect([held.code, held.stdout]).toEqual([0, expect.stringMatching(/^run \d+: held/)]);
    expect(held.stdout).toContain('Held, not published. ');
    expect(held.stdout).toMatch(/diff --candidate\. Then: .*publish or .*discard/);
    const markdown = await readFile(summary, 'utf8');
    expect(markdown).toMatch(/^### Run \d+: held, every gate passed\n/);
    expect(markdown).toMatch(/\| property \| [\d,]+ \| 0 \| \d+ \| [1-9]\d* \| VIC \d+ → \d+ \|/);
    expect(markdown).toContain('Largest changes:');

    const status = await run('status');
    expect(status.stdout).toMatch(/^publication 1 of .*\nThe result of run \d+ is held: /);
    const diff = await run('diff', '--candidate', '--table', 'property', '--limit', '3');
    expect([diff.code, diff.stdout]).toEqual([
      0,
      expect.stringMatching(/^candidate of run \d+, held since /),
    ]);
    expect(diff.stdout.match(/^ {2}(delete|update|insert) property /gm)).toHaveLength(3);
    const both = await run('diff', '1', '--candidate');
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('compares with what is served')]);

    const [{ gone }] = (await database.query(
      'SELECT min(gnaf_pid) AS gone FROM (SELECT gnaf_pid FROM serving.property EXCEPT SELECT gnaf_pid FROM candidate.property) g',
    )) as [{ gone: string }];
    const served = await run('get', 'basics/land-area-sqm', gone, '--json');
    const candidate = await run('get', 'basics/land-area-sqm', gone, '--candidate', '--json');
    expect([served.code, candidate.code]).toEqual([0, 0]);
    expect(JSON.parse(served.stdout)).not.toHaveProperty('no_data', 'unknown_property');
    expect(JSON.parse(candidate.stdout)).toMatchObject({ no_data: 'unknown_property' });
    const asOf = await run('get', 'basics/land-area-sqm', gone, '--candidate', '--as-of', '1');
    expect([asOf.code, asOf.stderr]).toEqual([2, expect.stringContaining('not a publication yet')]);
    const explained = await run('explain', gone, '--candidate', '--json');
    expect([explained.code, JSON.parse(explained.stdout).serving.property]).toEqual([1, []]);
    const out = await run(
      'export',
      '--candidate',
      '--tables',
      'property',
      '--format',
      'csv',
      '--out',
      join(parent, 'out'),
    );
    expect([out.code, out.stdout]).toEqual([0, expect.stringContaining('publication 2 of')]);

    const discarded = await run('discard');
    expect([discarded.code, discarded.stdout]).toEqual([
      0,
      expect.stringContaining('discarded the candidate of run'),
    ]);
    const nothing = await run('publish');
    expect([nothing.code, nothing.stderr]).toEqual([1, expect.stringContaining('refresh --hold')]);
    expect((await run('refresh', '--hold')).code).toBe(0);
    const published = await run('publish', '--json');
    expect([published.code, JSON.parse(published.stdout)]).toEqual([
      0,
      expect.objectContaining({ state: 'published', publication: 2, command: 'publish' }),
    ]);
  });
});

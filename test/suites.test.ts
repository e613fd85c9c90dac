import { readFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';
import { expect, it } from 'vitest';
import config from '../vitest.config.ts';
import { ROOT } from './source_tree.ts';
import { FULL_SUITE, LONGEST } from './suites.ts';

const glob = (patterns: readonly string[], ignore: readonly string[] = []): string[] =>
  globSync([...patterns], { cwd: ROOT, ignore: [...ignore] }).sort();

const EVERY = glob(['test/**/*.test.ts']);

/** The files of each suite, as its project in the configuration of Vitest finds them. */
const suites = new Map(
  (config.test!.projects as { test: { name: string; include: string[]; exclude?: string[] } }[]).map(
    ({ test }) => [test.name, glob(test.include, test.exclude)],
  ),
);

it('every test file is in one suite, and in no other', () => {
  expect([...suites.keys()]).toEqual(['quick', 'full']);
  expect([...suites.values()].flat().sort()).toEqual(EVERY);
});

it('every pattern of the full suite matches a file', () => {
  for (const pattern of FULL_SUITE) expect(glob([pattern]), pattern).not.toEqual([]);
});

it('the files that begin first are of the full suite', () => {
  for (const file of LONGEST) expect(suites.get('full')).toContain(file);
});

it('one file of the quick suite refreshes a country', () => {
  const refreshes = suites
    .get('quick')!
    .filter((file) =>
      /from '[./\w]*(sample_run|published_sample|scene)\.ts'/.test(readFileSync(ROOT + file, 'utf8')),
    );
  expect(refreshes).toEqual(['test/end_to_end.test.ts']);
});

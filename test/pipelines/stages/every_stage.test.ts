import { readFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';
import { expect, it } from 'vitest';
import { ROOT } from '../../source_tree.ts';

const texts = (pattern: string): string[] =>
  globSync(pattern, { cwd: ROOT }).map((file) => readFileSync(ROOT + file, 'utf8'));

it('every stage has a small test here, with rows in and rows out', () => {
  const stages = texts('pipelines/stages/**/*.ts').flatMap((text) =>
    [...text.matchAll(/^export const (\w+)Stage\b/gm)].map(([, name]) => name!),
  );
  const tests = texts('test/pipelines/stages/**/*.test.ts').join('\n');
  expect(stages.length).toBeGreaterThan(60);
  expect(stages.filter((name) => !new RegExp(`\\b${name}(Stage)?\\b`).test(tests))).toEqual([]);
});

/**
 * Runs the tests around files: `npm run test:changed`, or `npm run test:changed -- pipelines/engine/plan.ts`. Without names the files that
 * differ from the last commit. Around a file are the tests in its place of the tree of tests, and those that import it, or where none does
 * those that import what imports it; of the latter two not those that refresh a whole country, which `npm test` and `npm run test:full` run.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { globSync } from 'tinyglobby';

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);

const named = process.argv.slice(2).map((name) => relative('.', name));
const changed =
  named.length > 0
    ? named
    : [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')];
const files = new Set(changed.filter((name) => existsSync(name)));

const IMPORT = /from '(\.[^']+)'/g;
const importsOf = (name) =>
  [...readFileSync(name, 'utf8').matchAll(IMPORT)].map(([, to]) => join(dirname(name), to));

/** Where the tests of a source file lie: its own name, or its name and a further word. */
const placeOf = (name) => `test/${name.replace(/\.\w+$/, '')}`;
const isInPlace = (test, place) => test === `${place}.test.ts` || test.startsWith(`${place}_`);
const REFRESHES = 'test/pipelines/sample_run.ts';

const every = globSync(['**/*.ts', '!**/node_modules/**']).sort();
const imports = new Map(every.map((name) => [name, importsOf(name)]));
const tests = every.filter((name) => name.endsWith('.test.ts'));
const importersOf = (names) => every.filter((name) => imports.get(name).some((each) => names.has(each)));

const chosen = new Set();
const left = new Set();
for (const file of files) {
  if (tests.includes(file)) chosen.add(file);
  for (const test of tests) if (isInPlace(test, placeOf(file))) chosen.add(test);
  // Who imports it; where no test does, who imports those, and so on.
  let around = new Set([file]);
  let found = [];
  while (found.length === 0 && around.size > 0) {
    const importers = importersOf(around);
    found = importers.filter((name) => tests.includes(name));
    around = new Set(importers.filter((name) => !around.has(name)));
  }
  for (const test of found) (imports.get(test).includes(REFRESHES) ? left : chosen).add(test);
}
for (const test of chosen) left.delete(test);
console.log(
  `${chosen.size} test files around ${files.size} files${left.size > 0 ? `; left to npm test and npm run test:full, since they refresh a country: ${left.size}` : ''}`,
);
if (chosen.size === 0) process.exit(0);
process.exit(spawnSync('npx', ['vitest', 'run', ...chosen], { stdio: 'inherit' }).status ?? 1);

import { beforeAll, describe, expect, it } from 'vitest';
import { graph } from '../../../pipelines/graph.ts';
import { configSchema } from '../../../schema/config.ts';
import { ADAPTERS } from '../../../sources/index.ts';
import { advice, changes, readCode, readRecord } from '../../../tools/scripts/versions.ts';

/** What the keys of all tables are made of: with another grid, or another digit of a state, every table is another. */
const VOCABULARY = /^schema\/(grid|states)\.ts /;

let there: Awaited<ReturnType<typeof readCode>>;
const recorded = readRecord();

beforeAll(async () => {
  there = await readCode();
});

/** Advice where some files are other than what was recorded. */
function edited(...files: string[]): string[] {
  const before = structuredClone(recorded);
  for (const file of files) before.files[file] = 'other';
  for (const [name, { files: own }] of Object.entries(there.of))
    if (own.some((file) => files.includes(file))) before.made[name]!.code = 'other';
  return changes(there, before).map(advice);
}

describe('code and versions', () => {
  it('every stage and adapter computes by the code that was recorded for its version', async () => {
    const config = configSchema.parse({ datasets: {} });
    const names = [...graph(config), ...ADAPTERS].map(({ name }) => name);
    expect(Object.keys(there.made)).toEqual(names.sort());
    expect(changes(there, recorded).map(advice)).toEqual([]);
    expect(Object.keys(recorded.made)).toEqual(Object.keys(there.made));
  });

  it.each([
    ['a transform', 'transforms/property/primary_zone.ts', 'serve_property_zoning'],
    ['the defaults of the finder', 'schema/serving/finder_defaults.ts', 'serve_property_finder'],
    ['the order of the zone categories', 'schema/records/zone.ts', 'valuation_home'],
    ['an adapter', 'sources/cadastre/adapter.ts', 'cadastre'],
    ['a format that adapters read', 'sources/formats/vector/dbf.ts', 'zoning'],
  ])('a change of %s is seen, with the file', (_, file, name) => {
    expect(there.of[name]!.files).toContain(file);
    expect(edited(file)).toContainEqual(
      expect.stringContaining(`${name}: code changed (${file}), version is still`),
    );
  });

  it('a change of a table alone is no change of code: the plan has digests of its columns', () => {
    expect(there.of.serve_property!.files).not.toContain('schema/serving/property.ts');
  });

  it('a raised version is to be recorded', () => {
    const before = structuredClone(recorded);
    before.made.serve_property_zoning!.version--;
    expect(changes(there, before).map(advice)).toEqual([expect.stringMatching(/version \d+ → \d+: run npm/)]);
  });
});

describe('values of schema/ that a stage computes by', () => {
  it('are parameters of it, so that the plan sees when they change', async () => {
    const config = configSchema.parse({ datasets: {} });
    // What a statement is made of is in its text, and so in its version.
    const computed = graph(config).filter(({ compute }) => typeof compute === 'function');
    const missing = computed.flatMap((stage) => {
      const params = Object.values(stage.params(config)).map((value) => JSON.stringify(value));
      return [...there.of[stage.name]!.values]
        .filter(([name, value]) => !VOCABULARY.test(name) && !params.includes(JSON.stringify(value)))
        .map(([name]) => `${stage.name}: ${name}`);
    });
    expect(missing).toEqual([]);
  });
});

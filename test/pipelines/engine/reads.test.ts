import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeclaredReader } from '../../../pipelines/engine/declared_reader.ts';
import { input } from '../../../pipelines/engine/input.ts';
import { tablesRead } from '../../../pipelines/engine/reads.ts';
import type { Stage } from '../../../pipelines/engine/stage.ts';
import { graph } from '../../../pipelines/graph.ts';
import { setUp } from '../../../pipelines/run/refresh.ts';
import { selectTables } from '../../../pipelines/run/selected_tables.ts';
import { select } from '../../../pipelines/run/selection.ts';
import { finderMarketAsset } from '../../../schema/assets/api.ts';
import { givenEvidenceAsset } from '../../../schema/assets/valuation.ts';
import { configSchema } from '../../../schema/config.ts';
import { qualified } from '../../../schema/ddl.ts';
import { recordedName } from '../../../schema/table.ts';
import { openPool } from '../../../store/database.ts';
import { conditionSql } from '../../../store/tables/condition.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { sourceFiles } from '../../source_tree.ts';

describe('the inputs of a stage', () => {
  let stages: readonly Stage[];
  beforeAll(async () => {
    stages = graph(configSchema.parse({ datasets: {} }));
  });
  const of = (name: string): string[] =>
    tablesRead(stages.find((each) => each.name === name)!).map(recordedName);

  it('include the tables that decide which rows it sees', () => {
    expect(of('serve_property_risk')).toContain('asset.address_home');
    expect(of('serve_property_avm')).toEqual(
      expect.arrayContaining(['asset.valuation_home', 'asset.avm_choice']),
    );
  });

  it('are selected with every stage that is selected', () => {
    for (const stage of stages.filter(({ output }) => output.schema === 'serving')) {
      const { stages: selected } = selectTables(stages, [stage.output.name]);
      // Filled from a file, by no stage.
      const made = new Set([
        ...selected.map(({ output }) => recordedName(output)),
        recordedName(givenEvidenceAsset),
      ]);
      const needed = selected.flatMap(tablesRead).filter(({ schema }) => schema !== 'record');
      expect(needed.filter((table) => !made.has(recordedName(table))).map(recordedName)).toEqual([]);
    }
  });

  it('decide what remains if a stage is skipped, and what runs for a selected stage', () => {
    const config = configSchema.parse({ datasets: { gnaf: { adapter: 'gnaf', path: 'x' } } });
    const run = (selectors: Parameters<typeof select>[1]) =>
      select(config, selectors).part!.stages.map(({ name }) => name);
    const kept = run({ skip: ['avm_model'] });
    expect(kept).toEqual(expect.arrayContaining(['serve_property', 'serve_sale', 'valuation_sale']));
    for (const name of ['avm_model', 'serve_property_avm', 'serve_property_finder'])
      expect(kept).not.toContain(name);
    for (const stage of stages.filter(({ name }) => kept.includes(name))) {
      const left = stages.filter(({ name }) => !kept.includes(name)).map(({ output }) => output);
      expect(tablesRead(stage).filter((table) => left.includes(table))).toEqual([]);
    }
    const named = run({ only: ['event_match'] });
    expect(named).toEqual(expect.arrayContaining(['match_state', 'address_index', 'event_match']));
    expect(named).not.toContain('serve_property_event');
    // Nothing refers to a table that is left.
    expect(run({ skip: ['serve_suburb'] })).not.toContain('serve_property');
    expect(select(config, { skip: ['gnaf'] })).toMatchObject({ datasets: new Set(), part: null });
    expect(select(config, {})).toEqual({ datasets: null, withNew: false, part: null, note: null });
    expect(() => select(config, { skip: ['gnav'] })).toThrow('Did you mean gnaf?');
    expect(() => select(config, { only: ['serve_propertie'] })).toThrow('Did you mean serve_property?');
    expect(() => select(config, { only: ['serve_sale'], tables: ['sale'] })).toThrow('not both');
  });

  it('are all that a stage can read: its modules do not reach the database', () => {
    const reaching = sourceFiles(['pipelines'])
      .filter(({ path }) => path.startsWith('pipelines/stages/'))
      .filter(({ text }) => /from '(pg|(\.\.\/)+store\/[^']+)'/.test(text));
    expect(reaching.map(({ path }) => path)).toEqual([]);
  });
});

describe('the reader of a resource', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
    const pool = openPool(database.url, 1);
    const client = await pool.connect();
    try {
      await setUp(client, configSchema.parse({ datasets: {} }));
      const row = { market: 'Eltham' };
      for (const [cell, sal] of [
        [1, 'A'],
        [2, "O'B"],
      ] as const)
        await client.query(
          `INSERT INTO ${qualified(finderMarketAsset)} SELECT * FROM jsonb_populate_record(NULL::${qualified(finderMarketAsset)}, $1)`,
          [{ ...row, cell, sal }],
        );
    } finally {
      client.release();
      await pool.end();
    }
  });
  afterAll(() => database.drop());

  const reading = async <R>(use: (reader: DeclaredReader<typeof inputs>) => Promise<R>): Promise<R> => {
    const pool = openPool(database.url, 1);
    const client = await pool.connect();
    try {
      return await use(new DeclaredReader(client, { inputs }));
    } finally {
      client.release();
      await pool.end();
    }
  };
  const inputs = {
    part: input(finderMarketAsset, ['sal'], { kind: 'resource' }),
    own: input(finderMarketAsset, ['sal']),
  };

  it('gives declared columns of the rows that meet a condition', async () => {
    expect(await reading((reader) => reader.rows('part', { sal: "O'B" }))).toEqual([{ sal: "O'B" }]);
    expect(await reading((reader) => reader.rows('part', { cell: [1, 2], sal: { not: 'A' } }))).toEqual([
      { sal: "O'B" },
    ]);
  });

  it('refuses a table that is not declared, or as another kind of input', async () => {
    const planted = 'address' as 'part';
    await expect(reading((reader) => reader.rows(planted))).rejects.toThrow(
      'The stage declares no input address of scope resource.',
    );
    await expect(reading((reader) => reader.rows('own'))).rejects.toThrow('no input own of scope resource');
    const among = { column: 'sal', of: { input: 'address', column: 'gnaf_pid' } };
    const read = (reader: DeclaredReader<typeof inputs>) => reader.batches('part', { among }).next();
    await expect(reading(read)).rejects.toThrow('no input address of scope resource');
  });
});

describe('a condition', () => {
  it('is SQL of its columns and values alone', () => {
    expect(conditionSql({ level: ['SAL', 'SA2'], name: { not: null } } as never)).toBe(
      `"level" IN ('SAL', 'SA2') AND "name" IS NOT NULL`,
    );
    expect(conditionSql([{ kind: "'; DROP" }, { is_on: false, n: { not: [1, 2] } }] as never)).toBe(
      `("kind" = '''; DROP') OR ("is_on" = false AND NOT ("n" IN (1, 2)))`,
    );
    expect(() => conditionSql({ kind: { toString: () => 'x' } } as never)).toThrow(TypeError);
  });
});

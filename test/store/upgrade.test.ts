import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestDatabase } from '../database.ts';
import { digestOf, refreshSample } from '../pipelines/sample_run.ts';
import { publishedSample } from '../published_sample.ts';

describe('a database made by a program with other declarations', () => {
  let database: TestDatabase;
  let dir: string;
  let digest: string;

  beforeAll(async () => {
    ({ database, dir } = await publishedSample());
    digest = await digestOf(database);
  });

  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  const forgetShape = (name: string) =>
    database.query(`UPDATE control.meta SET value = 'other' WHERE key = $1 RETURNING key`, [`table:${name}`]);

  it.each([
    ['asset.address_home', 'ALTER TABLE asset.address_home DROP COLUMN is_unit', 'address_home'],
    [
      'staged.property_zoning',
      'ALTER TABLE staged.property_zoning ADD COLUMN more text',
      'serve_property_zoning',
    ],
  ])('makes %s anew and computes what was in it', async (name, sql, stage) => {
    await database.query(sql);
    expect(await forgetShape(name)).toHaveLength(1);
    const report = await refreshSample(database, dir);
    expect(report.error).toBeNull();
    expect(report.stages.find((one) => one.stage === stage)!.partitions_run).toBeGreaterThan(0);
    expect(await digestOf(database)).toBe(digest);
  });

  it('drops an asset of a former stage, and no foreign table', async () => {
    await database.query('CREATE TABLE asset.gone (cell int)');
    await database.query('CREATE TABLE asset.somebodys (cell int)');
    await database.query(`INSERT INTO control.meta VALUES ('table:asset.gone', 'its shape')`);
    await database.query(
      `INSERT INTO control.partition (stage, cell, fingerprint, output_digest, rows, refs, account, staged, run_id)
       SELECT 'gone', 1, '{"version":1,"params":"","inputs":{}}', 0, 0, '{}', '{"in":0,"out":0,"drops":{}}', false, max(run_id) FROM control.run`,
    );
    expect((await refreshSample(database, dir)).error).toBeNull();
    const tables = await database.query(
      `SELECT table_name FROM information_schema.tables WHERE table_schema = 'asset' AND table_name IN ('gone', 'somebodys')`,
    );
    expect(tables).toEqual([{ table_name: 'somebodys' }]);
    expect(await database.query(`SELECT 1 FROM control.partition WHERE stage = 'gone'`)).toEqual([]);
    expect(await digestOf(database)).toBe(digest);
  });

  it('rebuilds a record table, loads its datasets again, and computes nothing if the records are the same', async () => {
    await database.query('ALTER TABLE record.zone_piece DROP COLUMN category');
    expect(await forgetShape('record.zone_piece')).toHaveLength(1);
    const report = await refreshSample(database, dir);
    expect(report.error).toBeNull();
    const loaded = report.datasets
      .filter((dataset) => dataset.action === 'loaded')
      .map((dataset) => dataset.dataset);
    expect(loaded).toEqual(['zoning_act', 'zoning_nsw', 'zoning_vic']);
    expect(report.stages.every((stage) => stage.partitions_run === 0)).toBe(true);
    expect(await digestOf(database)).toBe(digest);
  });

  it('adds and drops columns of a serving table without losing its rows', async () => {
    await database.query('ALTER TABLE serving.property DROP COLUMN dwelling_type');
    await database.query('ALTER TABLE serving.property ADD COLUMN more text');
    await database.query('ALTER TABLE staged.property DROP COLUMN dwelling_type');
    await forgetShape('serving.property');
    await forgetShape('staged.property');
    const report = await refreshSample(database, dir);
    expect(report.error).toBeNull();
    expect(report.state).toBe('published');
    const delta = report.tables.find((table) => table.table === 'property')!;
    expect(delta.updated).toBeGreaterThan(200);
    expect([delta.inserted, delta.deleted]).toEqual([0, 0]);
    expect(await digestOf(database)).toBe(digest);
    expect((await refreshSample(database, dir)).state).toBe('unchanged');
  });

  it('rebuilds a serving table with another key, and deletes its journal', async () => {
    await database.query('ALTER TABLE serving.suburb RENAME COLUMN sal TO name');
    await database.query(
      `INSERT INTO control.change (publication_id, table_name, seq, change, key, before, after)
       SELECT max(publication_id), 'suburb', 1, 'insert', 'A', NULL, '{"name": "A"}' FROM control.publication`,
    );
    await forgetShape('serving.suburb');
    const report = await refreshSample(database, dir);
    expect(report.error).toBeNull();
    const delta = report.tables.find((table) => table.table === 'suburb')!;
    expect([delta.inserted > 0, delta.updated, delta.deleted]).toEqual([true, 0, 0]);
    expect(await database.query(`SELECT 1 FROM control.change WHERE table_name = 'suburb'`)).toEqual([]);
    const [key] = await database.query<{ key: string }>(
      `SELECT pg_get_constraintdef(oid) AS key FROM pg_constraint WHERE conname = 'suburb_pkey'`,
    );
    expect(key!.key).toBe('PRIMARY KEY (sal)');
    expect(await digestOf(database)).toBe(digest);
  });

  it('refuses another control schema and says what to do', async () => {
    await database.query(`UPDATE control.meta SET value = '0' WHERE key = 'version'`);
    await expect(refreshSample(database, dir)).rejects.toThrow(/control schema version 0.*empty database/);
  });
});

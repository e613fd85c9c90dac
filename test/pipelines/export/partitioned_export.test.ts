import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportTables } from '../../../pipelines/export/export.ts';
import type { ExportManifest } from '../../../pipelines/export/export_manifest.ts';
import { silent } from '../../../pipelines/report/progress.ts';
import { SERVING_TABLES } from '../../../schema/serving/index.ts';
import type { Table } from '../../../schema/table.ts';
import { type PublishedSample, publishedSample } from '../../published_sample.ts';

const TABLES: readonly Table[] = SERVING_TABLES;

/** SQL for the rows and a sum of one column that does not depend on the order of rows. */
const summaryOf = ({ primaryKey }: Table): string =>
  `SELECT count(*) AS n, string_agg(${primaryKey.map((name) => `"${name}"::text`).join(" || '|' || ")}, ';' ORDER BY ${primaryKey
    .map((name) => `"${name}"::text COLLATE "C"`)
    .join(', ')}) AS keys`;

describe('a publication as partitioned GeoParquet', () => {
  let sample: PublishedSample;
  let client: pg.Client;
  let folder: string;
  let duck: DuckDBConnection;
  let manifest: ExportManifest;

  const exported = async (name: string, partition: readonly string[]): Promise<ExportManifest> =>
    exportTables(client, {
      all: TABLES,
      publication: null,
      since: null,
      tables: null,
      format: 'parquet',
      partition,
      out: join(folder, name),
      signKey: null,
      progress: silent,
    });
  const ask = async (sql: string): Promise<Record<string, unknown>[]> =>
    (await duck.runAndReadAll(sql)).getRowObjectsJson() as Record<string, unknown>[];
  const read = (table: string): string =>
    `read_parquet('${join(folder, 'all')}/${table}/**/*.parquet', hive_partitioning = true)`;

  beforeAll(async () => {
    sample = await publishedSample();
    client = new pg.Client({ connectionString: sample.database.url });
    await client.connect();
    folder = mkdtempSync(join(tmpdir(), 'partitioned-export-'));
    duck = await (await DuckDBInstance.create(':memory:')).connect();
    manifest = await exported('all', ['state']);
  });
  afterAll(async () => {
    duck?.closeSync();
    await client?.end();
    await sample?.database.drop();
    for (const each of [folder, sample?.dir]) if (each) rmSync(each, { recursive: true, force: true });
  });

  it('has the rows of every serving table', async () => {
    for (const table of TABLES) {
      const [served] = await sample.database.query<{ n: string; keys: string | null }>(
        `${summaryOf(table)} FROM serving.${table.name}`,
      );
      const [found] = await ask(
        `${summaryOf(table).replaceAll(' COLLATE "C"', '')} FROM ${read(table.name)}`,
      );
      expect([Number(found!.n), found!.keys], table.name).toEqual([Number(served!.n), served!.keys]);
    }
  });

  it('has the values of the serving tables, and the states of the paths', async () => {
    const sql = 'SELECT gnaf_pid, state, cell, lon, lat, sal FROM';
    const order = 'ORDER BY gnaf_pid';
    const served = await sample.database.query(`${sql} serving.property ${order}`);
    expect(await ask(`${sql} ${read('property')} ${order}`)).toEqual(served);
  });

  it('lets a reader skip the files of other states, and sorts rows by cell', async () => {
    const [plan] = await ask(
      `EXPLAIN ANALYZE SELECT count(cell) FROM ${read('property')} WHERE state = 'VIC'`,
    );
    const files = manifest.files.filter(({ table }) => table === 'property');
    expect(files.length).toBeGreaterThan(1);
    const vic = files.filter(({ file }) => file.startsWith('property/state=VIC/'));
    expect(String(plan!.explain_value)).toMatch(new RegExp(`Total Files Read: ${vic.length}\\b`));
    for (const { file } of files) {
      const cells = await ask(`SELECT cell FROM '${join(folder, 'all', file)}'`);
      const list = cells.map(({ cell }) => Number(cell));
      expect(list, file).toEqual([...list].sort((a, b) => a - b));
    }
  });

  it('has bounding boxes that contain the geometries, in the rows and in the metadata', async () => {
    for (const { file, table } of manifest.files) {
      const { columns } = TABLES.find(({ name }) => name === table)!;
      if (!('geom' in columns) && !('lon' in columns)) continue;
      const path = join(folder, 'all', file);
      const [geo] = await ask(
        `SELECT decode(value) AS json FROM parquet_kv_metadata('${path}') WHERE decode(key) = 'geo'`,
      );
      const { bbox } = JSON.parse(String(geo!.json)).columns.geometry;
      const [box] = await ask(
        `SELECT min(bbox.xmin) AS a, min(bbox.ymin) AS b, max(bbox.xmax) AS c, max(bbox.ymax) AS d, count(*) FILTER ((bbox IS NULL) <> (geometry IS NULL)) AS n FROM '${path}'`,
      );
      const { n, ...edges } = box!;
      expect(Number(n), file).toBe(0);
      expect(bbox ?? [null, null, null, null], file).toEqual(Object.values(edges));
    }
    const far = await ask(
      `SELECT gnaf_pid FROM ${read('property')} WHERE lon <> bbox.xmin OR lat <> bbox.ymax LIMIT 1`,
    );
    expect(far).toEqual([]);
  });

  it('has files with the checksums of its manifest, and the same bytes again', async () => {
    expect(manifest.partitioned_by).toEqual(['state']);
    for (const { file, bytes, sha256 } of manifest.files) {
      const content = readFileSync(join(folder, 'all', file));
      expect([content.length, createHash('sha256').update(content).digest('hex')]).toEqual([bytes, sha256]);
    }
    expect(await exported('all', ['state'])).toEqual(manifest);
  });

  it('takes two levels, each in the tables that have it', async () => {
    const { files } = await exported('two', ['state', 'level']);
    expect(files.map(({ file }) => file)).toEqual(
      expect.arrayContaining([
        'property/state=VIC/part-0.parquet',
        'search_area/state=VIC/level=SA2/part-0.parquet',
      ]),
    );
  });
});

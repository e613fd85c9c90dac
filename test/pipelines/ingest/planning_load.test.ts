import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadPart } from '../../../pipelines/ingest/load_part.ts';
import { RECORD_TABLES } from '../../../schema/records/index.ts';
import { adapterNamed } from '../../../sources/index.ts';
import { openPool, setUpDatabase } from '../../../store/database.ts';
import { findFiles } from '../../../store/loads/files.ts';
import { activate } from '../../../store/loads/loads.ts';
import { writeSampleConfig } from '../../../tools/sample/config.ts';
import { generateSampleCountry } from '../../../tools/sample/generate.ts';
import type { SampleDataset } from '../../../tools/sample/hazards/layer.ts';
import { PLANNING_DATASETS } from '../../../tools/sample/hazards/registry.ts';
import { ogcFault } from '../../../transforms/geo/ogc_validity.ts';
import { decodeWkb } from '../../../transforms/geo/wkb.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { truthOf } from '../../tools/sample/sample_files.ts';

let out: string;
let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'planning-load-'));
  await generateSampleCountry({ properties: 3000, seed: 5, out });
  await writeSampleConfig(out, { properties: 3000, seed: 5 });
  database = await createDatabase();
  pool = openPool(database.url, 8);
  const client = await pool.connect();
  try {
    await loadAll(client);
  } finally {
    client.release();
  }
});

async function loadAll(client: pg.ClientBase): Promise<void> {
  await setUpDatabase(
    client,
    { records: RECORD_TABLES, assets: [], serving: [], stageOf: new Map(), models: new Set() },
    { role: `planning_${process.pid}`, statement_timeout_s: 60, idle_timeout_s: 60 },
    false,
  );
  const { rows } = await client.query<{ run_id: number }>(
    `INSERT INTO control.run (command, state) VALUES ('refresh', 'running') RETURNING run_id`,
  );
  for (const dataset of PLANNING_DATASETS) await load(client, dataset, rows[0]!.run_id);
}
afterAll(async () => {
  await pool.end();
  await database.query(`DROP OWNED BY planning_${process.pid}`);
  await database.query(`DROP ROLE planning_${process.pid}`);
  await database.drop();
  await rm(out, { recursive: true, force: true });
});

async function load(client: pg.ClientBase, each: SampleDataset, run: number): Promise<void> {
  const adapter = adapterNamed(each.adapter);
  const paths = await findFiles(each.path, out);
  const files = paths.map((path) => ({ path, bytes: 0, sha256: '' }));
  const { id, options, crs } = each;
  const { release, parts } = await adapter.discover({ id, files, options, crs: crs ?? null, release: null });
  const ids: number[] = [];
  for (const part of parts) {
    const { rows } = await client.query<{ load_id: number }>(
      `INSERT INTO control.load (dataset, part, adapter, release, fingerprint, state, run_id, crs, files, notes)
       VALUES ($1, $2, $3, $4, '', 'loading', $5, '{}', '[]', '[]') RETURNING load_id`,
      [id, part.id, adapter.name, release.id, run],
    );
    const loadId = rows[0]!.load_id;
    const task = {
      runId: run,
      loadId,
      adapter: adapter.name,
      release,
      part,
      fingerprint: '',
      stamps: new Map(),
    };
    await loadPart(pool, task, () => {});
    ids.push(rows[0]!.load_id);
  }
  await activate(client, RECORD_TABLES, { dataset: id, fingerprint: '', loaded: ids, keptLoads: [] }, run);
}

describe('planning datasets of the sample country, loaded', () => {
  it('stores the features that the truth says, with accounts that balance', async () => {
    const stored = new Map<string, number>();
    for (const [table, id] of [
      ['hazard_piece', 'feature_id'],
      ['overlay_piece', 'overlay_id'],
    ]) {
      const rows = await database.query<{ dataset: string; n: number }>(
        `SELECT l.dataset, count(DISTINCT p.${id})::int AS n FROM record.${table} p JOIN control.load l USING (load_id)
         GROUP BY 1`,
      );
      for (const { dataset, n } of rows) stored.set(dataset, n);
    }
    const truth = truthOf(out, 'planning_datasets');
    expect(truth.length).toBeGreaterThan(30);
    for (const { dataset, features } of truth)
      expect(stored.get(dataset!) ?? 0, dataset).toBe(Number(features));
  });

  it('gives features identifiers that are unique in Australia', async () => {
    const hazards = await database.query(
      `SELECT feature_id FROM record.hazard_piece GROUP BY 1 HAVING count(DISTINCT load_id) > 1`,
    );
    const overlays = await database.query(
      `SELECT overlay_id FROM record.overlay_piece GROUP BY 1 HAVING count(DISTINCT load_id) > 1`,
    );
    expect([hazards, overlays]).toEqual([[], []]);
  });

  it('keeps shapes that are valid by OGC’s rules, in every cell', async () => {
    const shapes = await database.query<{ id: string; geom: Uint8Array }>(
      `SELECT feature_id AS id, geom FROM record.hazard_piece WHERE shape = 'polygon'
       UNION ALL SELECT overlay_id, geom FROM record.overlay_piece UNION ALL SELECT theme, geom FROM record.coverage_piece`,
    );
    expect(shapes.length).toBeGreaterThan(500);
    const invalid = shapes.filter(({ geom }) => ogcFault(decodeWkb(geom)) !== null).map(({ id }) => id);
    expect(invalid).toEqual([]);
    const notes = await database.query(
      `SELECT dataset FROM control.load, jsonb_array_elements_text(notes) n WHERE n LIKE '%not valid by OGC%'`,
    );
    expect(notes).toEqual([]);
  });

  it('keeps a box around each cell for the planner', async () => {
    const [row] = await database.query<{ cells: number; boxes: number }>(
      `SELECT count(*)::int AS cells, count(extent)::int AS boxes FROM control.load_digest
       WHERE table_name IN ('hazard_piece', 'overlay_piece')`,
    );
    expect(row!.cells).toBeGreaterThan(100);
    expect(row!.boxes).toBe(row!.cells);
  });
});

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../cli/load_config.ts';
import { renderExplanation, renderPreview, renderStatus } from '../../../cli/render.ts';
import { renderHistory } from '../../../cli/render_journal.ts';
import { type Explanation, explain } from '../../../pipelines/explain/explain.ts';
import { valueHistory } from '../../../pipelines/explain/value_history.ts';
import { setUp } from '../../../pipelines/run/refresh.ts';
import { type Preview, preview } from '../../../pipelines/views/preview.ts';
import { status } from '../../../pipelines/views/status.ts';
import type { Config } from '../../../schema/config.ts';
import { openPool } from '../../../store/database.ts';
import { SMALL } from '../../countries.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { sampleFolder } from '../../published_sample.ts';
import { editRows, editZip } from '../edit_release.ts';
import { refreshSample } from '../sample_run.ts';

describe('looking into the pipeline', () => {
  let database: TestDatabase;
  let dir: string;
  let config: Config;
  let base: string;

  const withClient = async <T>(read: (client: import('pg').ClientBase) => Promise<T>): Promise<T> => {
    const pool = openPool(database.url, 1);
    const client = await pool.connect();
    try {
      await setUp(client, config);
      return await read(client);
    } finally {
      client.release();
      await pool.end();
    }
  };
  const look = (): Promise<Preview> => withClient((client) => preview(client, config, base));
  const ask = (pid: string): Promise<Explanation> => withClient((client) => explain(client, config, pid));

  beforeAll(async () => {
    dir = await sampleFolder();
    database = await createDatabase();
    ({ config, base } = await loadConfig({ config: join(dir, 'config.yaml') }, {}));
  });

  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('plans everything on an empty database', async () => {
    const plan = await look();
    expect(plan.datasets.every((dataset) => dataset.action === 'load')).toBe(true);
    expect(renderPreview(plan)).toContain('not loaded yet');
    // What cannot be read comes first; of many datasets that load for the first time a few stand for all.
    const unread = { dataset: 'flood_vic', action: 'kept' as const, reason: 'missing_column: no class' };
    const many = Array.from({ length: 70 }, (_, i) => ({ ...plan.datasets[0]!, dataset: `dataset_${i}` }));
    const lines = renderPreview({ ...plan, datasets: [...many, unread] }).split('\n');
    expect(lines[2]).toMatch(/^ {2}flood_vic +kept +missing_column/);
    expect(lines).toContain('  … and 58 more datasets to load for the first time');
    expect(lines.length).toBeLessThan(20);
    const now = await withClient((client) => status(client));
    expect(now.publication).toBeNull();
    expect(renderStatus(now)).toContain('nothing is published');
  });

  it('plans nothing after a refresh', async () => {
    expect((await refreshSample(database, dir)).state).toBe('published');
    const plan = await look();
    expect(plan.datasets.every((dataset) => dataset.action === 'unchanged')).toBe(true);
    expect(plan.stages.every((stage) => Object.keys({ ...stage.run, ...stage.may_run }).length === 0)).toBe(
      true,
    );
    const short = renderPreview(plan);
    expect(short).toMatch(/datasets: (\d+) of \1 unchanged\nstages: (\d+) of \2 unchanged\n/);
    expect(short.split('\n').length).toBeLessThanOrEqual(4);
    const verbose = renderPreview(plan, true);
    for (const { dataset } of plan.datasets) expect(verbose).toContain(`  ${dataset} `);
    expect(verbose).toMatch(/\b1 partition\b/);
    expect(verbose).not.toMatch(/\b1 partitions\b/);
    const now = await withClient((client) => status(client));
    expect(now.tables.find((table) => table.table === 'property')?.rows).toBe(SMALL.properties);
    expect(now.runs[0]).toMatchObject({ state: 'published', error: null });
  });

  it('plans the stages behind a dataset that changed, and a parameter', async () => {
    await editZip(
      join(dir, 'gnaf/g-naf_nov25_allstates_gda2020_psv_1020.zip'),
      /VIC_ADDRESS_DETAIL/,
      (text) => editRows(text, (row) => (row[0] === 'GAVIC900000001' ? row.with(4, 'RENAMED') : row)),
    );
    const plan = await look();
    expect(plan.datasets.filter((dataset) => dataset.action === 'load')).toEqual([
      { dataset: 'gnaf', action: 'load', reason: 'files or settings changed' },
    ]);
    const may = Object.fromEntries(plan.stages.map((stage) => [stage.stage, Object.keys(stage.may_run)]));
    expect(may.serve_property).toEqual(['address_home is computed again']);
    expect(may.parcel_form).toEqual([]);
    config.neighbours.tolerance_m = 0.1;
    const changed = (await look()).stages.find((stage) => stage.stage === 'serve_property_neighbour');
    expect(Object.keys(changed!.run)).toEqual(['setting neighbours.tolerance_m 0.2 → 0.1']);
    config.neighbours.tolerance_m = 0.2;
    await refreshSample(database, dir);
  });

  it('explains a served property from records to publications', async () => {
    const found = await ask('GAVIC900000001');
    expect(found.outcome).toBe('served');
    expect(found.address).toMatchObject({
      dataset: 'gnaf',
      release: 'NOVEMBER 2025',
      part: 'VIC',
      source_no: 2,
    });
    expect(found.parcel?.dataset).toBe('cadastre_vic');
    expect(found.zone?.dataset).toBe('zoning_vic');
    expect(found.computed.map((one) => one.stage)).toContain('serve_property');
    expect(found.changes).toEqual([
      expect.objectContaining({ publication_id: 2, table_name: 'property', change: 'update' }),
      expect.objectContaining({ publication_id: 2, table_name: 'property_finder', change: 'update' }),
    ]);
    const text = renderExplanation(found);
    expect(text).toMatch(/address: line 2 of .*VIC_ADDRESS_DETAIL_psv\.psv, gnaf, release NOVEMBER 2025/);
    expect(text).toMatch(/parcel: feature \d+ of PARCEL_VIEW(\.shp)?, cadastre_vic/);
    expect(text).toContain('RENAMED');
    expect(text).toContain('publication 2: update in property');
  });

  it('names the record that a field was read from', async () => {
    const of = async (field: string): Promise<string[]> => {
      const history = await withClient((client) =>
        valueHistory(client, config, { pid: 'GAVIC900000001', field }),
      );
      expect(renderHistory(history).match(/^read from /gm) ?? []).toHaveLength(history.sources.length);
      return history.sources.map(({ what, key, dataset, place }) => `${what} ${key} ${dataset} ${place}`);
    };
    expect(await of('property.building_name')).toEqual([
      expect.stringMatching(/^address GAVIC900000001 gnaf line 2 of .*VIC_ADDRESS_DETAIL_psv\.psv$/),
    ]);
    const [parcel] = await database.query<{ parcel_id: string; source_no: number }>(
      `SELECT parcel_id, source_no FROM serving.property JOIN record.parcel USING (parcel_id) WHERE gnaf_pid = 'GAVIC900000001'`,
    );
    expect(await of('land_area_sqm')).toEqual([
      expect.stringContaining(`parcel ${parcel!.parcel_id} cadastre_vic feature ${parcel!.source_no} of `),
    ]);
    expect(await of('property_zoning.code')).toEqual([
      expect.stringMatching(/^zone VIC:.* zoning_vic feature \d+ of /),
    ]);
    expect(await of('property_profile.sa2_name')).toEqual([
      expect.stringMatching(/^region .* asgs feature \d+ of /),
    ]);
    expect(await of('property_coverage.covered')).toEqual([]);
  });

  it('explains why an address is not served', async () => {
    const [alias] = await database.query<{ pid: string; principal: string }>(
      `SELECT alias_pid AS pid, principal_pid AS principal FROM record.address_alias JOIN record.address ON gnaf_pid = alias_pid
       WHERE is_live ORDER BY 1 LIMIT 1`,
    );
    const [retired] = await database.query<{ pid: string }>(
      'SELECT gnaf_pid AS pid FROM record.address WHERE NOT is_live ORDER BY 1 LIMIT 1',
    );
    const of = async (pid: string) => {
      const { outcome, notes } = await ask(pid);
      return `${outcome}: ${notes.join(' ')}`;
    };
    expect(await of(alias!.pid)).toContain(`alias: Alias of ${alias!.principal}`);
    expect(await of(retired!.pid)).toMatch(/^retired: Retired: confidence/);
    const rejected = (
      await database.query<{ pid: string }>(
        `SELECT gnaf_pid AS pid FROM control.reject WHERE code = 'unknown_street' AND gnaf_pid IS NOT NULL ORDER BY 1 LIMIT 1`,
      )
    )[0]!.pid;
    expect(await of(rejected)).toMatch(
      /^rejected: Rejected with unknown_street at .*ADDRESS_DETAIL_psv\.psv:line \d+/,
    );
    expect(await of(rejected.slice(0, -1))).toBe('unknown: No loaded release has this id.');
    expect(await of('GANSW999999999')).toBe('unknown: No loaded release has this id.');
    expect(await of("'; DROP TABLE x; --%_\\")).toBe('unknown: No loaded release has this id.');
  });
});

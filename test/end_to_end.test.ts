import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../cli/load_config.ts';
import { startOps } from '../ops/server.ts';
import { startService } from '../service/server.ts';
import { addCredit, createKey, openAccount } from '../store/accounts/accounts.ts';
import { openPool } from '../store/database.ts';
import { SMALL } from './countries.ts';
import { createDatabase, type TestDatabase } from './database.ts';
import { editRows, editZip } from './pipelines/edit_release.ts';
import { digestOf, refreshSample } from './pipelines/sample_run.ts';
import { sampleFolder } from './published_sample.ts';

/** Building of one address in the release of the second night. */
const BUILDING = 'NEW NAME HOUSE';
const GNAF = 'gnaf/g-naf_nov25_allstates_gda2020_psv_1020.zip';

/** Names the building of the first plain address of Victoria, and gives the identifier of the address. */
async function nameBuilding(dir: string): Promise<string> {
  let edited = '';
  await editZip(join(dir, GNAF), /VIC_ADDRESS_DETAIL_psv\.psv$/, (text) =>
    editRows(text, (row, columns) => {
      const at = (column: string): number => columns.indexOf(column);
      const plain = row[at('ALIAS_PRINCIPAL')] === 'P' && row[at('CONFIDENCE')] !== '-1';
      if (edited !== '' || row.length < columns.length || !plain) return row;
      edited = row[at('ADDRESS_DETAIL_PID')]!;
      row[at('BUILDING_NAME')] = BUILDING;
      return row;
    }),
  );
  return edited;
}

// Each test goes on where the one before it ended.
describe('from the files of the publishers to a customer', () => {
  let dir: string;
  let database: TestDatabase;
  /** The address that the second night changes. */
  let pid: string;

  beforeAll(async () => {
    dir = await sampleFolder();
    database = await createDatabase();
  });
  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('publishes a country from its releases, with every row accounted for', async () => {
    const report = await refreshSample(database, dir);
    expect([report.error, report.state, report.publication]).toEqual([null, 'published', 1]);
    expect(report.audit.filter(({ status }) => status === 'fail')).toEqual([]);
    const property = report.tables.find(({ table }) => table === 'property')!;
    expect([property.rows, property.inserted, property.base]).toEqual([
      SMALL.properties,
      SMALL.properties,
      true,
    ]);
    for (const { stage, account } of report.stages) {
      const dropped = Object.values(account.drops).reduce((sum, n) => sum + n, 0);
      expect(account.in, stage).toBe(account.out + account.rejects + dropped);
    }
  });

  it('computes nothing in a night without a delivery', async () => {
    const report = await refreshSample(database, dir);
    expect([report.error, report.state]).toEqual([null, 'unchanged']);
    expect(report.stages.filter(({ partitions_run }) => partitions_run > 0)).toEqual([]);
  });

  it('computes only what a delivery changed, with the same digest as a rebuild', async () => {
    pid = await nameBuilding(dir);
    const report = await refreshSample(database, dir);
    expect([report.error, report.state, report.publication]).toEqual([null, 'published', 2]);
    const loaded = report.datasets.filter(({ action }) => action === 'loaded');
    expect(loaded.map(({ dataset }) => dataset)).toEqual(['gnaf']);
    const ran = (name: string) => report.stages.find(({ stage }) => stage === name)?.partitions_run;
    // The address is computed again where it is read, and its suburb; no other row is another.
    expect([ran('serve_property'), ran('serve_property_neighbour'), ran('serve_suburb')]).toEqual([1, 1, 1]);
    const changed = report.tables.filter(
      ({ inserted, updated, deleted }) => inserted + updated + deleted > 0,
    );
    expect(changed.map(({ table, updated }) => [table, updated])).toEqual([
      ['property', 1],
      ['property_finder', 1],
    ]);
    const journal = await database.query(
      `SELECT publication_id::int AS publication, change, key, after->>'building_name' AS building FROM control.change
       WHERE table_name = 'property'`,
    );
    expect(journal).toEqual([{ publication: 2, change: 'update', key: pid, building: BUILDING }]);
    const anew = await createDatabase();
    expect((await refreshSample(anew, dir)).error).toBeNull();
    expect(await digestOf(database)).toBe(await digestOf(anew));
    await anew.drop();
  });

  it('answers over HTTP for a key, at its price, and lists its tools over MCP', async () => {
    const { config } = await loadConfig({ config: join(dir, 'config.yaml'), set: ['service.port=0'] }, {});
    const service = await startService(database.url, config);
    const pool = openPool(database.url, 1);
    try {
      const { account } = await openAccount(pool, 'somebody');
      const { key } = await createKey(pool, account.account_id, 'test');
      await addCredit(pool, account.account_id, 'topup', 1000, null);
      const path = `${service.base_url}/v1/properties/${pid}/profile`;
      expect((await fetch(path)).status).toBe(401);
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(path, { headers });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toContain('application/json');
      expect(response.headers.get('x-publication')).toBe('2');
      expect(Number(response.headers.get('x-cost-cents'))).toBeGreaterThan(0);
      const [home] = await database.query(
        'SELECT mesh_block FROM serving.property_profile WHERE gnaf_pid = $1',
        [pid],
      );
      expect(((await response.json()) as { data: unknown }).data).toMatchObject({ state: 'VIC', ...home });
      const client = new Client({ name: 'test', version: '1.0.0' });
      await client.connect(
        new StreamableHTTPClientTransport(new URL(service.mcp_url), { requestInit: { headers } }),
      );
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('properties_profile');
      await client.close();
    } finally {
      await service.close();
      await pool.end();
    }
  });

  it('shows the publication, its runs and the property in the console', async () => {
    const ops = await startOps(
      database.url,
      (await loadConfig({ config: join(dir, 'config.yaml'), set: ['ops.port=0'] }, {})).config,
    );
    try {
      const page = async (path: string): Promise<string> => {
        const response = await fetch(new URL(path, ops.url));
        expect(response.status, path).toBe(200);
        return response.text();
      };
      expect(await page('/')).toContain('href="/runs/3"');
      expect(await page('/runs/3')).toContain('serve_property');
      expect(await page(`/property/${pid}`)).toContain(BUILDING);
    } finally {
      await ops.close();
    }
  });
});

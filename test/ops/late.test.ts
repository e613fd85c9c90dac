import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { type OpsServer, startOps } from '../../ops/server.ts';
import { readDatasets } from '../../pipelines/views/dataset_view.ts';
import { openPool, withClient } from '../../store/database.ts';
import { TOWN } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';

/** Sections that explain values and show none of their own. */
const NOT_VALUES = /^(Where it came from|Every served field|Payloads|Limitations|Sources and licences)$/;

/** Sections of a page by title: cards, and what follows each other title. */
const sectionsOf = (page: string): Map<string, string> =>
  new Map(
    page
      .slice(page.indexOf('<h1>'))
      .split(/(?=<h2)/)
      .slice(1)
      .map((part) => [/>([^<]*)<\/h2>/.exec(part)![1]!, part]),
  );

describe('values of late datasets', () => {
  let dir: string;
  let database: TestDatabase;
  let names: string[];
  let home: { pid: string; sal: string };

  /** Pages of a console for which some datasets are late. */
  async function pagesWith(late: readonly string[]): Promise<Map<string, string>> {
    const set = ['ops.port=0', ...late.map((name) => `datasets.${name}.cadence_days=1`)];
    const { config } = await loadConfig({ config: `${dir}/config.yaml`, set }, {});
    const server: OpsServer = await startOps(database.url, config);
    try {
      const paths = [
        `/property/${home.pid}`,
        `/property/${home.pid}/report`,
        `/suburb/${encodeURIComponent(home.sal)}`,
      ];
      const pages = new Map<string, string>();
      for (const path of paths) {
        const response = await fetch(server.url + path);
        expect(response.status, path).toBe(200);
        pages.set(path, await response.text());
      }
      return pages;
    } finally {
      await server.close();
    }
  }

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(TOWN));
    // Datasets whose label has no date count from their load.
    await database.query(`UPDATE control.load SET loaded_at = loaded_at - interval '400 days'`);
    names = (
      await database.query<{ dataset: string }>(
        `SELECT DISTINCT dataset FROM control.load WHERE state = 'active'`,
      )
    ).map(({ dataset }) => dataset);
    [home] = (await database.query<{ pid: string; sal: string }>(
      `SELECT p.gnaf_pid AS pid, sal FROM serving.property p JOIN serving.property_avm v USING (gnaf_pid)
       WHERE p.state = 'VIC' AND sal IS NOT NULL ORDER BY predicted_price IS NULL, p.gnaf_pid LIMIT 1`,
    )) as [{ pid: string; sal: string }];
  });
  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('carry a mark in every section of a property, its report and its suburb, and none if no dataset is late', async () => {
    for (const [path, page] of await pagesWith([])) expect(page, path).not.toContain('class="warn late"');
    for (const [path, page] of await pagesWith(names)) {
      if (path.startsWith('/property') && !path.endsWith('/report'))
        expect(page.split('<h2')[0], path).toContain('class="warn late"');
      const sections = [...sectionsOf(page)].filter(([title]) => !NOT_VALUES.test(title));
      expect(sections.length, path).toBeGreaterThan(5);
      const unmarked = sections.filter(([, part]) => !part.includes('class="warn late"'));
      expect(
        unmarked.map(([title]) => title),
        path,
      ).toEqual([]);
    }
  });

  it('carry the mark of each hazard whose dataset is late, and no other hazard does', async () => {
    const lines = await database.query<{ dataset: string; theme: string }>(
      `SELECT DISTINCT dataset, theme FROM record.coverage_area WHERE state = 'VIC' AND theme IN ('flood', 'heritage', 'environment', 'bushfire')`,
    );
    expect(lines.length).toBeGreaterThan(1);
    for (const { dataset, theme } of lines) {
      const title = theme[0]!.toUpperCase() + theme.slice(1);
      for (const [path, page] of await pagesWith([dataset])) {
        const sections = sectionsOf(page);
        const rows = (sections.get('Planning and hazards') ?? sections.get('Hazards'))!
          .split(/<tr>|<span class="layer"/)
          .slice(1);
        const marked = rows.filter((row) => row.includes(`/datasets/${dataset}"`));
        expect(marked.length, `${path} ${dataset}`).toBeGreaterThan(0);
        for (const row of marked) expect(row.toLowerCase(), path).toContain(`>${title.toLowerCase()}`);
      }
    }
  });

  it('carry no mark for a late dataset of another state', async () => {
    for (const [path, page] of await pagesWith(names.filter((name) => /_(nsw|qld|wa|sa|nt)$/.test(name))))
      expect(page, path).not.toContain('class="warn late"');
  });

  it('are late by one rule, for the console and for REST', async () => {
    const set = names.map((name, i) => `datasets.${name}.cadence_days=${i % 2 === 0 ? 1 : 99_999}`);
    const { config } = await loadConfig({ config: `${dir}/config.yaml`, set }, {});
    await database.query(
      `UPDATE control.dataset_catalogue SET cadence_days = NULL, loaded_at = loaded_at - interval '400 days'`,
    );
    for (const [name, { cadence_days }] of Object.entries(config.datasets))
      await database.query('UPDATE control.dataset_catalogue SET cadence_days = $2 WHERE dataset = $1', [
        name,
        cadence_days,
      ]);
    const served = await database.query<{ dataset: string; is_late: boolean | null }>(
      'SELECT dataset, is_late FROM serving.dataset_catalogue ORDER BY dataset',
    );
    const pool = openPool(database.url, 1);
    try {
      const { datasets } = await withClient(pool, (client) => readDatasets(client, config));
      const own = new Map(datasets.map(({ dataset, is_late }) => [dataset, is_late]));
      expect(served.some(({ is_late }) => is_late)).toBe(true);
      expect(served.some(({ is_late }) => is_late === false)).toBe(true);
      expect(new Map(served.map(({ dataset, is_late }) => [dataset, is_late]))).toEqual(own);
    } finally {
      await pool.end();
    }
  });
});

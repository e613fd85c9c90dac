import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../cli/load_config.ts';
import { renderPreview, renderReport } from '../../../cli/render.ts';
import { renderDiff, renderHistory } from '../../../cli/render_journal.ts';
import { renderRun } from '../../../cli/render_run.ts';
import { startOps } from '../../../ops/server.ts';
import { explain } from '../../../pipelines/explain/explain.ts';
import { valueHistory } from '../../../pipelines/explain/value_history.ts';
import { graph } from '../../../pipelines/graph.ts';
import { Facts } from '../../../pipelines/publish/independent/facts.ts';
import { type Progress, silent } from '../../../pipelines/report/progress.ts';
import { setUp } from '../../../pipelines/run/refresh.ts';
import { preview } from '../../../pipelines/views/preview.ts';
import type { Config } from '../../../schema/config.ts';
import { openPool, withClient } from '../../../store/database.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { publishedSample } from '../../published_sample.ts';
import { gives, refreshInChild, sessionsGone, until } from '../child_run.ts';
import { editShapefile } from '../edit_shapefile.ts';
import { OPEN_GATES, refreshSample } from '../sample_run.ts';

const PID = 'GAVIC900000001';
const SETTING = 'setting neighbours.min_shared_m 0.7 → 40';
const OTHER = ['neighbours.min_shared_m=40', ...OPEN_GATES];

describe('reasons and lineage', () => {
  let database: TestDatabase;
  let dir: string;
  let config: Config;

  beforeAll(async () => {
    ({ database, dir } = await publishedSample());
    ({ config } = await loadConfig({ config: join(dir, 'config.yaml') }, {}));
  });
  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  const ask = async <T>(work: (client: Parameters<typeof explain>[0]) => Promise<T>): Promise<T> => {
    const pool = openPool(database.url, 1);
    try {
      return await withClient(pool, work);
    } finally {
      await pool.end();
    }
  };
  const history = () =>
    ask((client) => valueHistory(client, config, { pid: PID, field: 'property.parcel_id' }));

  it('a value of the first run was first computed in it', async () => {
    const { changes, computed } = await history();
    expect(computed).toMatchObject({ run_id: 1, reason: 'first computed in run 1' });
    expect(changes.at(-1)!.because).toEqual([
      expect.stringMatching(/^first computed in run 1 \(\d+ partitions?\)$/),
    ]);
    expect(renderHistory(await history())).not.toContain('not computed yet');
  });

  it('the lineage of a served row is not that of a run that was interrupted', async () => {
    const before = await ask((client) => explain(client, config, PID));
    const progress: Progress = {
      start(name) {
        if (name.startsWith('publish')) throw new Error('interrupted');
        return silent.start(name, 0);
      },
    };
    const refused = await refreshSample(database, dir, [...OTHER, 'gates.tables.property.rows_min=1000000'], {
      progress,
    });
    expect(['failed', 'refused']).toContain(refused.state);
    const ran = refused.stages.filter(({ partitions_run }) => partitions_run > 0);
    expect(ran.length).toBeGreaterThan(0);
    for (const { reasons } of ran.slice(0, 1)) expect(Object.keys(reasons)).toEqual([SETTING]);
    const after = await ask((client) => explain(client, config, PID));
    expect(after.computed.every(({ run_id }) => run_id === 1)).toBe(true);
    expect(before.computed.every(({ run_id }) => run_id === 1)).toBe(true);
    expect(after.computed.length).toBeLessThan(before.computed.length);
    expect(after.notes.join(' ')).toMatch(
      /^Run 2 computed other rows of (\w+(, \w+){0,2}|\d+ tables); it is not published\.$/,
    );
    expect(renderRun(refused, null)).toContain('Publication 1 is still served.');
    const ops = await startOps(database.url, { ...config, ops: { ...config.ops, port: 0 } });
    try {
      const page = await (await fetch(`${ops.url}/property/${PID}`)).text();
      // Below the facts, with the candidate that a refused run holds.
      expect(page.indexOf('Run 2 computed other rows of')).toBeGreaterThan(page.indexOf('class="strip"'));
      expect(page.includes('href="?candidate"')).toBe(refused.state === 'refused');
      const [, stages] = /Stages that computed its place<\/summary>(.*?)<\/table>/s.exec(page)!;
      for (const { stage } of after.computed) expect(stages).toContain(stage);
      const rows = stages!.split('<tr>').filter((row) => row.includes('<td'));
      expect(rows).toHaveLength(after.computed.length);
      for (const row of rows) expect(row.split('<td')[3]).toMatch(/href="\/runs\/1">1<\/a>/);
      for (const { stage, partitions_run } of ran) {
        const { output } = graph(config).find(({ name }) => name === stage)!;
        if (partitions_run === 0 || output.schema !== 'serving' || !('gnaf_pid' in output.columns)) continue;
        const column = Object.keys(output.columns).find((name) => name !== 'gnaf_pid')!;
        const why = await (await fetch(`${ops.url}/property/${PID}/why/${output.name}.${column}`)).text();
        expect(why, output.name).not.toMatch(/\/runs\/2"/);
      }
    } finally {
      await ops.close();
    }
  });

  it('a changed setting is the reason, with its values', async () => {
    await refreshSample(database, dir, OPEN_GATES);
    const planned = await ask((client) => {
      const changed = { ...config, neighbours: { ...config.neighbours, min_shared_m: 40 } };
      return preview(client, changed, dir);
    });
    const run = planned.stages.flatMap((stage) => Object.keys(stage.run));
    expect(new Set(run)).toEqual(new Set([SETTING]));
    const report = await refreshSample(database, dir, OTHER);
    const reasons = report.stages.flatMap((stage) => Object.keys(stage.reasons));
    expect(reasons).toContain(SETTING);
    expect(reasons.filter((reason) => reason.startsWith('changed: ')).length).toBeLessThan(reasons.length);
  });

  it('a setting and rows that change together are both the reason', async () => {
    await editShapefile(join(dir, 'cadastre/tas/list_cadastral_parcels_statewide.shp'), (feature, i) =>
      feature === null || i === 0 ? [] : [feature],
    );
    const report = await refreshSample(database, dir, ['neighbours.min_shared_m=30', ...OPEN_GATES]);
    expect(report.error).toBeNull();
    const reasons = report.stages.flatMap((stage) => Object.keys(stage.reasons));
    const setting = 'setting neighbours.min_shared_m 40 → 30';
    // Parcels of other states are as they were.
    expect(reasons).toContain(setting);
    expect(reasons.some((reason) => reason.startsWith(`${setting}; changed: parcel`))).toBe(true);
  });

  it('a run that was killed names the settings of the next ones, and explain still answers', async () => {
    const sets = ['neighbours.min_shared_m=20', ...OPEN_GATES].flatMap((set) => ['--set', set]);
    const killed = refreshInChild(database.url, dir, [...sets, '--set', 'workers=1']);
    const ofKilled = `FROM control.partition p JOIN control.run r USING (run_id) WHERE r.state = 'running' OR r.report #>> '{error,code}' = 'interrupted'`;
    const hasComputed = gives(database, `SELECT 1 ${ofKilled}`);
    expect(await until(killed, hasComputed), killed.output()).toBe(true);
    killed.child.kill('SIGKILL');
    await killed.ended;
    await sessionsGone(database);
    const computed = await database.query<{ stage: string }>(`SELECT DISTINCT stage ${ofKilled}`);
    const next = await refreshSample(database, dir, ['neighbours.min_shared_m=10', ...OPEN_GATES]);
    expect(next.error).toBeNull();
    const reasonsOf = (name: string): string[] =>
      next.stages.filter(({ stage }) => stage === name).flatMap((stage) => Object.keys(stage.reasons));
    for (const { stage } of computed)
      expect(reasonsOf(stage)).toContain('setting neighbours.min_shared_m 20 → 10');
    const reasons = next.stages.flatMap((stage) => Object.keys(stage.reasons));
    expect(reasons).not.toContain('parameters changed');
    const [changed] = await database.query<{ pid: string }>(
      `SELECT split_part(key, '|', 1) AS pid FROM control.change WHERE publication_id = $1 AND table_name = 'property_neighbour' LIMIT 1`,
      [next.publication],
    );
    const field = 'property_neighbour.is_corner';
    const { changes } = await ask((client) => valueHistory(client, config, { pid: changed!.pid, field }));
    expect(changes[0]!.because.join()).toContain('setting neighbours.min_shared_m ');
  });

  it('a first run that is refused leaves nothing in service, and plan before it lists no stages', async () => {
    const empty = await createDatabase();
    try {
      const pool = openPool(empty.url, 1);
      const text = await withClient(pool, async (client) => {
        await setUp(client, config);
        return renderPreview(await preview(client, config, dir));
      });
      await pool.end();
      expect(text).not.toContain('0 partitions');
      expect(text).toMatch(/stages: \d+ of \d+ compute everything for the first time/);
      const report = await refreshSample(empty, dir, ['gates.tables.property.rows_min=1000000']);
      expect(report.state).toBe('refused');
      for (const shown of [renderRun(report, null), renderReport(report)]) {
        expect(shown).toContain('Nothing is published yet.');
        expect(shown).not.toContain('still served');
      }
    } finally {
      await empty.drop();
    }
  });

  it('a gate that found nothing to compare did not pass', () => {
    const gate = new Facts().gate('parcel', '0 parcels', { gates: [], reason: '' });
    expect(gate).toMatchObject({ status: 'nothing', message: 'Nothing to compare in 0 parcels.' });
  });

  it('diff sums up equal changes of all rows', () => {
    const sides = { before: { search_radius_m: 1000 }, after: { search_radius_m: 900 } };
    const publication = {
      publication_id: 2,
      published_at: 'now',
      kind: 'refresh',
      restores: null,
      reason: null,
    };
    const text = renderDiff({
      from: 1,
      publication: publication as never,
      tables: [
        {
          table: 'property_risk',
          rows: 66_547,
          inserted: 0,
          updated: 66_547,
          deleted: 0,
          base: false,
          equal: [{ ...sides, rows: 66_547 }],
        },
      ],
      changes: [
        { publication: 2, table: 'property_risk', change: 'update', key: { gnaf_pid: PID }, ...sides },
      ],
    });
    expect(text).toContain('update property_risk: search_radius_m 1000 → 900 in all 66,547 rows');
    expect(text).not.toContain(PID);
  });
});

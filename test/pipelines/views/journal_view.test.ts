import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getSearch } from '../../../cli/commands/get.ts';
import { loadConfig } from '../../../cli/load_config.ts';
import { renderDiff, renderHistory, renderPublications } from '../../../cli/render_journal.ts';
import { ask } from '../../../contract/answers/ask.ts';
import type { FinderPayload } from '../../../contract/finder/payload.ts';
import { SEARCHES } from '../../../contract/index.ts';
import { landArea } from '../../../contract/property/land_area.ts';
import { neighbours } from '../../../contract/property/neighbours.ts';
import { explainAsOf } from '../../../pipelines/explain/explain.ts';
import { valueHistory } from '../../../pipelines/explain/value_history.ts';
import { rollback } from '../../../pipelines/run/rollback.ts';
import { changeStream, diff, type StreamEntry } from '../../../pipelines/views/journal_view.ts';
import { digestsAsOf } from '../../../pipelines/views/status.ts';
import type { Config } from '../../../schema/config.ts';
import type { Serving } from '../../../schema/serving/database.ts';
import { SERVING_TABLES } from '../../../schema/serving/index.ts';
import type { Table } from '../../../schema/table.ts';
import { openPool } from '../../../store/database.ts';
import { withAsOf } from '../../../store/journal/as_of.ts';
import { listPublications } from '../../../store/journal/journal.ts';
import { readAsOf } from '../../../store/read/past_serving.ts';
import { openServing, servingAsOf } from '../../../store/read/serving.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { sampleFolder } from '../../published_sample.ts';
import { copySample, editTable } from '../damage.ts';
import { acceptSample, digestOf, OPEN_GATES, refreshSample } from '../sample_run.ts';

const PID = 'GAVIC900000001';

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** Rows of a relation that an executed plan read. */
function scanned(plan: PlanNode, relation: string): number {
  const read = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
  const own = plan['Relation Name'] === relation ? read * plan['Actual Loops'] : 0;
  return (plan.Plans ?? []).reduce((sum, each) => sum + scanned(each, relation), own);
}

describe('the journal', () => {
  let parent: string;
  let database: TestDatabase;
  let config: Config;
  /** Sample countries, and the digest of what was served after each publication. */
  const dirs: string[] = [];
  const served: Record<number, string> = {};

  const withClient = async <T>(read: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const pool = openPool(database.url, 1);
    const client = await pool.connect();
    try {
      return await read(client);
    } finally {
      client.release();
      await pool.end();
    }
  };
  const asOf = async (publication: number): Promise<string> =>
    (await withClient((client) => digestsAsOf(client, publication)))
      .map((line) => `${line.table} ${line.rows} ${line.digest}`)
      .join('\n');
  const feedAfter = (after: number): Promise<StreamEntry[]> =>
    withClient(async (client) => {
      const out: StreamEntry[] = [];
      for await (const entry of changeStream(client, after)) out.push(entry);
      return out;
    });
  /** Refreshes; publishes what the gate of a rollback refuses if `isAccepted`. */
  const refresh = async (dir: string, set: string[] = [], isAccepted = false) => {
    const settings = [...OPEN_GATES, ...set];
    let report = await refreshSample(database, dir, settings);
    expect(report.error).toBeNull();
    if (isAccepted) {
      expect(report.state).toBe('refused');
      report = await acceptSample(database, dir, ['rollback'], settings);
    }
    if (report.publication !== null) served[report.publication] = await digestOf(database);
    return report;
  };
  const rowsIn = async (db: Serving, { name, primaryKey }: Table): Promise<unknown[]> => {
    const select = db.selectFrom(`serving.${name}` as 'serving.property').selectAll();
    return primaryKey.reduce((query, key) => query.orderBy(sql.ref(key)), select).execute();
  };
  const back = (to: number | null, reason = 'test') => rollback({ url: database.url, config, to, reason });

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'journal-'));
    database = await createDatabase();
    dirs.push(await sampleFolder());
    ({ config } = await loadConfig({ config: join(dirs[0]!, 'config.yaml') }, {}));
    // One loses addresses of a state, one has a street number changed: inserts, deletes and updates.
    dirs.push(await copySample(dirs[0]!, parent), await copySample(dirs[0]!, parent));
    await editTable(dirs[1]!, 'VIC_ADDRESS_DETAIL', (lines) => lines.filter((_, i) => i % 5 !== 4));
    await editTable(dirs[2]!, 'VIC_ADDRESS_DETAIL', (lines) =>
      lines.map((line) => (line.startsWith(`${PID}|`) ? line.split('|').with(4, 'RENAMED').join('|') : line)),
    );
    for (const dir of [dirs[0]!, dirs[1]!, dirs[2]!]) expect((await refresh(dir)).state).toBe('published');
  });

  afterAll(async () => {
    await database?.drop();
    for (const folder of [parent, ...dirs]) await rm(folder, { recursive: true, force: true });
  });

  it('reads the rows of every earlier publication', async () => {
    for (const publication of [1, 2, 3]) expect(await asOf(publication)).toBe(served[publication]);
    expect(new Set(Object.values(served)).size).toBe(3);
    await expect(asOf(4)).rejects.toMatchObject({ code: 'unknown_publication' });
  });

  it('reads the same rows of every table by query as by view', async () => {
    for (const publication of [1, 2]) {
      const views = await withClient((client) =>
        withAsOf(client, SERVING_TABLES, publication, async () => {
          const all: Record<string, unknown[]> = {};
          for (const table of SERVING_TABLES) all[table.name] = await rowsIn(servingAsOf(client), table);
          return all;
        }),
      );
      const queries = await withClient((client) =>
        readAsOf(client, publication, async (db) => {
          const all: Record<string, unknown[]> = {};
          for (const table of SERVING_TABLES) all[table.name] = await rowsIn(db, table);
          return all;
        }),
      );
      expect(Object.values(queries).flat().length).toBeGreaterThan(1000);
      for (const { name } of SERVING_TABLES) expect(queries[name], name).toEqual(views[name]);
    }
  });

  it('reads of the journal only the changes of the property that a query names', async () => {
    const tables = SERVING_TABLES.filter(({ primaryKey }) => primaryKey[0] === 'gnaf_pid');
    const changesRead = await withClient((client) =>
      readAsOf(client, 1, async (db) => {
        // A table as small as these would be read whole.
        await sql`SET LOCAL enable_seqscan = off`.execute(db);
        const all: Record<string, number> = {};
        for (const { name } of tables) {
          const [plan] = await db
            .selectFrom(`serving.${name}` as 'serving.property')
            .where('gnaf_pid', '=', PID)
            .selectAll()
            .explain('json', sql`ANALYZE`);
          all[name] = scanned(plan!['QUERY PLAN'][0].Plan, 'change');
        }
        return all;
      }),
    );
    const changed = await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM control.change WHERE table_name = 'property' AND publication_id > 1`,
    );
    expect(changed[0]!.n).toBeGreaterThan(30);
    expect(changesRead.property).toBeGreaterThan(0);
    for (const [name, rows] of Object.entries(changesRead)) expect(rows, name).toBeLessThan(20);
  });

  it('answers endpoints as of a publication with the queries of today', async () => {
    const read = (publication: number) =>
      withClient((client) =>
        readAsOf(client, publication, async (db) => [
          await ask(landArea, db, PID),
          await ask(neighbours, db, PID),
        ]),
      );
    const [first, second] = [await read(1), await read(2)];
    expect(first[0]).toMatchObject({ data: { land_area_sqm: expect.any(Number) } });
    expect(second[0]).toEqual(first[0]);
    expect(
      (await withClient((client) => explainAsOf(client, config, PID, 2))).serving.property,
    ).toMatchObject([{ building_name: null }]);
  });

  it('answers searches as of a publication, and says which one cannot', async () => {
    const flags = { config: join(dirs[0]!, 'config.yaml'), set: [`database.url=${database.url}`] };
    const loaded = await loadConfig(flags, {});
    const [row] = await database.query<{ address: string; sal: string }>(
      'SELECT address, sal FROM serving.property WHERE gnaf_pid = $1',
      [PID],
    );
    const { address, sal } = row!;
    const queryOf = (path: string): Record<string, unknown> => {
      if (path.endsWith('property_finder')) return { regions: 'VIC', sort_by: 'sqm' };
      if (path.endsWith('property/neighbours')) return { id: PID };
      if (path.endsWith('suburb_search') || path.endsWith('geocode/suburb')) return { q: sal };
      if (path.endsWith('suburbs/list')) return { state: 'vic' };
      if (path.endsWith('suburb') || path.endsWith('field_coverage')) return { suburb: sal };
      return /geocode|property|avm|cma/.test(path) ? { address } : {};
    };
    const journalled = SEARCHES.filter(({ hasAsOf }) => hasAsOf);
    const answers = async (db: Serving): Promise<Record<string, object>> => {
      const all: Record<string, object> = {};
      for (const search of journalled) {
        const answer = (await ask(search, db, '', queryOf(search.path))) as object;
        all[search.path] = { ...answer, execution_time: null };
      }
      return all;
    };
    const at = (publication: number) => withClient((client) => readAsOf(client, publication, answers));
    const today = openServing(database.url);
    const last = await answers(today).finally(() => today.destroy());
    expect(await at(3)).toEqual(last);
    const finder = SEARCHES.find(({ path }) => path === '/api/property_finder')!;
    const total = async (publication: number | null) =>
      ((await getSearch(loaded, finder, queryOf(finder.path), publication)) as FinderPayload)
        .total_properties;
    expect(await total(2)).toBeLessThan(await total(1));
    expect(await total(3)).toBe(await total(null));
    for (const search of SEARCHES.filter(({ hasAsOf }) => !hasAsOf))
      await expect(getSearch(loaded, search, {}, 3)).rejects.toMatchObject({ code: 'config_invalid' });
  });

  it('lists row differences with both sides', async () => {
    const last = { from: null, to: null };
    const found = await withClient((client) => diff(client, last, 'property', 50));
    expect(found).toMatchObject({ from: 2, publication: { publication_id: 3 } });
    expect(found.tables).toMatchObject([{ table: 'property', inserted: 17, deleted: 0 }]);
    expect(found.changes).toHaveLength(found.tables[0]!.inserted + found.tables[0]!.updated);
    const update = found.changes.find(({ key }) => key?.gnaf_pid === PID)!;
    expect(update.change).toBe('update');
    expect(renderDiff(found)).toContain('building_name null → RENAMED');
    const all = await withClient((client) => diff(client, last, null, 0));
    const same = all.tables.filter((t) => !t.base && t.inserted + t.updated + t.deleted === 0);
    expect(renderDiff(all)).toContain(`  ${same.length} tables unchanged. Everything: --verbose`);
    expect(renderDiff(all)).not.toContain(`  ${same[0]!.table} `);
    expect(renderDiff(all, true)).toContain(`  ${same[0]!.table} `);
    const first = await withClient((client) => diff(client, { from: null, to: 1 }, null, 5));
    expect(first.tables.every((table) => table.base === table.rows > 0)).toBe(true);
    expect(first.changes).toEqual([]);
    await expect(withClient((client) => diff(client, last, 'proprty', 5))).rejects.toThrow(
      /Did you mean property\?/,
    );
  });

  it('compares any two publications, whatever lay between them, from either side', async () => {
    const between = (from: number, to: number, table: string | null = null) =>
      withClient((client) => diff(client, { from, to }, table, 100_000));
    // All addresses are back in the third: against the first one, only the name is new.
    const renamed = { table: 'property', inserted: 0, updated: 1, deleted: 0, base: false };
    expect((await between(1, 3, 'property')).tables).toMatchObject([renamed]);
    const back = await between(3, 1, 'property');
    expect(back.tables).toMatchObject([renamed]);
    expect(back.changes).toMatchObject([
      {
        key: { gnaf_pid: PID },
        change: 'update',
        before: { building_name: 'RENAMED' },
        after: { building_name: null },
      },
    ]);
    expect(renderDiff(back)).toMatch(/^publication 1 of .*; against publication 3\n/);
    expect((await between(2, 2)).changes).toEqual([]);
    const rowsAt = async (publication: number) => {
      const rows = new Map<string, unknown>();
      await withClient((client) =>
        withAsOf(client, SERVING_TABLES, publication, async () => {
          for (const { name, primaryKey } of SERVING_TABLES) {
            const found = await client.query(`SELECT to_jsonb(t) AS row FROM pg_temp."${name}" t`);
            for (const { row } of found.rows)
              rows.set(JSON.stringify([name, ...primaryKey.map((each) => row[each])]), row);
          }
        }),
      );
      return rows;
    };
    for (const [from, to] of [
      [1, 3],
      [2, 1],
    ] as const) {
      const [rows, aim] = [await rowsAt(from), await rowsAt(to)];
      for (const { table, key, before, after } of (await between(from, to)).changes) {
        const id = JSON.stringify([table, ...Object.values(key!)]);
        expect(rows.get(id) ?? null).toEqual(before);
        if (after === null) rows.delete(id);
        else rows.set(id, after);
      }
      expect([...rows.keys()].sort()).toEqual([...aim.keys()].sort());
      for (const [id, row] of rows) expect(row).toEqual(aim.get(id));
    }
    await expect(between(1, 99)).rejects.toMatchObject({ code: 'unknown_publication' });
  });

  it('feeds a reader that ends with what is served', async () => {
    const copies = new Map<string, Map<string, unknown>>();
    await withClient((client) =>
      withAsOf(client, SERVING_TABLES, 1, async () => {
        for (const table of SERVING_TABLES) {
          const { rows } = await client.query(`SELECT to_jsonb(t) AS row FROM pg_temp."${table.name}" t`);
          const key = (row: Record<string, unknown>) =>
            JSON.stringify(Object.fromEntries(table.primaryKey.map((name) => [name, row[name]])));
          copies.set(table.name, new Map(rows.map(({ row }) => [key(row), row])));
        }
      }),
    );
    const entries = await feedAfter(1);
    // Each table of a publication is one block.
    const blocks: string[] = [];
    for (const entry of entries) {
      if (entry.event !== 'change') continue;
      const block = `${entry.publication} ${entry.table}`;
      if (blocks.at(-1) !== block) blocks.push(block);
      const copy = copies.get(entry.table)!;
      const key = JSON.stringify(entry.key);
      const held = copy.get(key) ?? null;
      if (held === null) expect(entry.before).toBeNull();
      else expect(held).toMatchObject(entry.before!);
      if (entry.after === null) copy.delete(key);
      else copy.set(key, { ...(held as object | null), ...entry.after });
    }
    expect(blocks).toEqual([...new Set(blocks)]);
    for (const { name, columns } of SERVING_TABLES) {
      const rows = await database.query<{ row: unknown }>(
        `SELECT to_jsonb(t) AS row FROM serving."${name}" t`,
      );
      expect(rows.length).toBe(copies.get(name)!.size);
      expect(new Set(rows.map(({ row }) => JSON.stringify(row)))).toEqual(
        new Set([...copies.get(name)!.values()].map((row) => JSON.stringify(row))),
      );
      expect(Object.keys(columns).length).toBeGreaterThan(0);
    }
    expect(
      entries.filter((entry) => entry.event !== 'change').map((entry) => [entry.event, entry.publication]),
    ).toEqual([
      ['begin', 2],
      ['end', 2],
      ['begin', 3],
      ['end', 3],
    ]);
    expect(await feedAfter(3)).toEqual([]);
    const all = await feedAfter(0);
    const bases = all.flatMap((entry) =>
      entry.event === 'change' && entry.change === 'base' ? [entry.table] : [],
    );
    // Tables without rows have no base.
    expect(bases).toContain('property');
    expect(bases).toEqual([...new Set(bases)]);
  });

  it('shows the API role publications and changes, and nothing behind them', async () => {
    const role = config.database.api_role;
    await withClient(async (client) => {
      await client.query(`SET ROLE ${role}`);
      const { rows } = await client.query(
        'SELECT publication_id, readable FROM serving.publication ORDER BY 1',
      );
      expect(rows.map((row) => row.publication_id)).toEqual([1, 2, 3]);
      const changes = await client.query(
        'SELECT count(*)::int AS n FROM serving.change WHERE publication_id > 1',
      );
      expect(changes.rows[0].n).toBe((await feedAfter(1)).filter((entry) => entry.event === 'change').length);
      await expect(client.query('SELECT 1 FROM control.change')).rejects.toThrow(/permission denied/);
      await client.query('RESET ROLE');
    });
  });

  it('says since when and why a value is what it is', async () => {
    const now = await withClient((client) =>
      valueHistory(client, config, { pid: PID, field: 'building_name' }),
    );
    expect(now.values).toEqual({ [PID]: 'RENAMED' });
    expect(now.changes[0]).toMatchObject({ publication_id: 3, before: null, after: 'RENAMED' });
    expect(now.changes[0]!.because.join()).toMatch(/changed: .*address/);
    expect(now.computed).toMatchObject({ stage: 'serve_property', run_id: 3 });
    const then = await withClient((client) =>
      valueHistory(client, config, { pid: PID, field: 'property.building_name', asOf: 2 }),
    );
    expect(then.values).toEqual({ [PID]: null });
    expect(then.changes).toMatchObject([{ publication_id: 1, change: 'base' }]);
    expect(renderHistory(now)).toContain('since publication 3');
    await expect(
      withClient((client) => valueHistory(client, config, { pid: PID, field: 'bulding_name' })),
    ).rejects.toThrow(/Did you mean building_name\?/);
  });

  it('goes back to an earlier publication, and holds back what is computed', async () => {
    const report = await back(1, 'the addresses are wrong');
    expect(report).toMatchObject({ state: 'published', publication: 4, error: null });
    expect(await digestOf(database)).toBe(served[1]);
    served[4] = served[1]!;
    for (const publication of [1, 2, 3, 4]) expect(await asOf(publication)).toBe(served[publication]);
    const refused = await refresh(dirs[2]!);
    expect(refused.state).toBe('refused');
    const gate = refused.audit.find((check) => check.check === 'rollback')!;
    expect(gate).toMatchObject({ status: 'fail' });
    expect(gate.message).toMatch(/publication 4 rolled back to publication 1 .*the addresses are wrong/);
    expect(await digestOf(database)).toBe(served[1]);
    const [latest] = await withClient((client) => listPublications(client, 5));
    expect(latest).toMatchObject({
      kind: 'rollback',
      restores: 1,
      held: true,
      reason: 'the addresses are wrong',
    });
    expect(renderPublications([latest!])).toContain('computed rows stay unpublished');
  });

  it('publishes what was held back when an operator accepts it', async () => {
    const report = await refresh(dirs[2]!, [], true);
    expect(report).toMatchObject({ state: 'published', publication: 5 });
    expect(await digestOf(database)).toBe(served[3]);
  });

  it('rolls a rollback back, and holds nothing where what is computed is served', async () => {
    expect((await back(2)).publication).toBe(6);
    expect(await digestOf(database)).toBe(served[2]);
    const report = await back(null, 'not after all');
    expect(report.publication).toBe(7);
    expect(report.tables.some((table) => table.updated > 0)).toBe(true);
    expect(await digestOf(database)).toBe(served[3]);
    expect((await refresh(dirs[2]!)).state).toBe('unchanged');
    expect((await back(2)).publication).toBe(8);
    // The inputs of that publication are put back: nothing differs, so nothing is held back any more.
    expect((await refresh(dirs[1]!)).state).toBe('unchanged');
    expect((await refresh(dirs[0]!)).state).toBe('published');
    expect(await digestOf(database)).toBe(served[1]);
  });

  it('refuses an impossible rollback, and changes nothing', async () => {
    await expect(back(99)).rejects.toMatchObject({ code: 'config_invalid' });
    await expect(back(9)).rejects.toMatchObject({ code: 'config_invalid' });
    expect(await digestOf(database)).toBe(served[1]);
    const lastState = async () =>
      (await database.query('SELECT state FROM control.run ORDER BY run_id DESC LIMIT 1'))[0];
    expect(await lastState()).toEqual({ state: 'published' });
    await database.query(`UPDATE control.change SET before = before || '{"address": "FORGED"}' WHERE publication_id = 9
      AND table_name = 'property' AND before IS NOT NULL`);
    await expect(back(8)).rejects.toMatchObject({ code: 'cannot_roll_back' });
    expect(await lastState()).toEqual({ state: 'failed' });
    expect(await digestOf(database)).toBe(served[1]);
  });

  it('keeps as many publications as configured', async () => {
    const report = await refresh(dirs[1]!, ['journal.keep_publications=2']);
    expect(report.publication).toBe(10);
    const list = await withClient((client) => listPublications(client, 20));
    expect(list.filter((each) => each.readable).map((each) => each.publication_id)).toEqual([10, 9]);
    expect(await asOf(9)).toBe(served[1]);
    await expect(asOf(8)).rejects.toMatchObject({ code: 'journal_pruned' });
    await expect(feedAfter(8)).rejects.toMatchObject({ code: 'journal_pruned' });
    await expect(withClient((client) => diff(client, { from: 10, to: 8 }, null, 5))).rejects.toMatchObject({
      code: 'journal_pruned',
    });
    await expect(feedAfter(0)).rejects.toMatchObject({ code: 'journal_pruned' });
    await expect(back(3)).rejects.toMatchObject({ code: 'journal_pruned' });
    expect((await feedAfter(9)).length).toBeGreaterThan(2);
    const kept = await database.query('SELECT DISTINCT publication_id FROM control.change');
    expect(kept).toEqual([{ publication_id: 10 }]);
    expect((await back(9)).publication).toBe(11);
    expect(await digestOf(database)).toBe(served[1]);
  });

  it('keeps as many megabytes as configured, and says what went', async () => {
    await database.query(
      'UPDATE control.publication SET journal_bytes = 3 * 1048576 WHERE publication_id = 10',
    );
    const report = await refresh(dirs[2]!, ['journal.keep_mb=2'], true);
    expect(report.publication).toBe(12);
    expect(report.notes.filter((note) => note.includes('journal.keep_mb'))).toEqual([
      'The journal reached journal.keep_mb, 2 MB: the row changes of 1 publications were deleted, and publications before 10 are out of reach.',
    ]);
    const list = await withClient((client) => listPublications(client, 20));
    expect(list.filter((each) => each.readable).map((each) => each.publication_id)).toEqual([12, 11, 10]);
    expect(await asOf(11)).toBe(served[1]);
  });

  it('stores only the key and the changed columns of an updated row', async () => {
    const whole = await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM control.change WHERE change = 'update' AND table_name = 'property' AND before ? 'address' AND before ? 'lon'
         AND before -> 'address' = after -> 'address'`,
    );
    expect(whole).toEqual([{ n: 0 }]);
    const keyed = await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM control.change WHERE table_name = 'property' AND NOT COALESCE(before, after) ? 'gnaf_pid'`,
    );
    expect(keyed).toEqual([{ n: 0 }]);
  });
});

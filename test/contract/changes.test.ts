import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { loadConfig } from '../../cli/load_config.ts';
import { changes, type changesPayload } from '../../contract/changes.ts';
import { find } from '../../contract/search.ts';
import { rollback } from '../../pipelines/run/rollback.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import type { Table } from '../../schema/table.ts';
import { openServing } from '../../store/read/serving.ts';
import { createDatabase, type TestDatabase } from '../database.ts';
import { copySample, editTable } from '../pipelines/damage.ts';
import { OPEN_GATES, refreshSample } from '../pipelines/sample_run.ts';
import { sampleFolder } from '../published_sample.ts';

type Payload = z.infer<typeof changesPayload>;
type Change = Payload['changes'][number];
type Rows = Map<string, Record<string, unknown>>;

const PID = 'GAVIC900000001';
const INTERNAL: ReadonlySet<string> = new Set(['match_review', 'sandbox_sample', 'setting']);
const TABLES = SERVING_TABLES.filter(({ name }) => !INTERNAL.has(name)) as readonly Table[];

describe('changes since a publication', () => {
  const folders: string[] = [];
  let database: TestDatabase;
  let db: Serving;
  /** Rows of each table by their keys, after each publication. */
  const served = new Map<number, Map<string, Rows>>();

  const keyOf = (table: Table, row: Record<string, unknown>): string =>
    JSON.stringify(table.primaryKey.map((name) => row[name]));
  const rowsNow = async (): Promise<Map<string, Rows>> => {
    const all = new Map<string, Rows>();
    for (const table of TABLES) {
      const rows = await database.query<{ row: Record<string, unknown> }>(
        `SELECT to_jsonb(t.*) AS row FROM serving.${table.name} t`,
      );
      all.set(table.name, new Map(rows.map(({ row }) => [keyOf(table, row), row])));
    }
    return all;
  };
  const refresh = async (dir: string, set: string[] = [], more = {}): Promise<void> => {
    const { error, publication } = await refreshSample(database, dir, [...OPEN_GATES, ...set], more);
    expect(error).toBeNull();
    served.set(publication!, await rowsNow());
  };
  const ask = (query: object): Promise<Payload> => find(changes, db, query as Record<string, unknown>);
  /** All changes, page by page. */
  const allOf = async (query: object, limit = 100): Promise<Change[]> => {
    const all: Change[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await ask({ ...query, limit, cursor });
      expect(page.start_anew).toBe(false);
      expect(page.changes.length).toBeLessThanOrEqual(limit);
      all.push(...page.changes);
      if (page.next_cursor === null) return all;
      cursor = page.next_cursor;
    }
  };
  /** What was served, with changes applied to it. */
  const applied = (from: Map<string, Rows>, all: readonly Change[]): Map<string, Rows> => {
    const tables = new Map([...from].map(([name, rows]) => [name, new Map(rows)]));
    for (const { table: name, change, before, after } of all) {
      const table = TABLES.find((each) => each.name === name)!;
      const rows = tables.get(name)!;
      const key = keyOf(table, (after ?? before)!);
      const known = rows.get(key);
      expect(known !== undefined, `${change} of ${name} ${key}`).toBe(change !== 'insert');
      if (before !== null && known !== undefined) expect(known).toMatchObject(before);
      if (change === 'delete') rows.delete(key);
      else rows.set(key, { ...known, ...after });
    }
    return tables;
  };

  beforeAll(async () => {
    const parent = await mkdtemp(join(tmpdir(), 'changes-'));
    database = await createDatabase();
    const first = await sampleFolder();
    const [fewer, renamed] = [await copySample(first, parent), await copySample(first, parent)];
    folders.push(parent, first, fewer, renamed);
    await editTable(fewer, 'VIC_ADDRESS_DETAIL', (lines) => lines.filter((_, i) => i % 5 !== 4));
    await editTable(renamed, 'VIC_ADDRESS_DETAIL', (lines) =>
      lines.map((line) => (line.startsWith(`${PID}|`) ? line.split('|').with(4, 'RENAMED').join('|') : line)),
    );
    for (const dir of [first, fewer, renamed]) await refresh(dir);
    const { config } = await loadConfig({ config: join(first, 'config.yaml') }, {});
    const back = await rollback({ url: database.url, config, to: 2, reason: 'test' });
    served.set(back.publication!, await rowsNow());
    db = openServing(database.url);
  });
  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });

  it('lead from what was served then to what is served now, page by page, a rollback among them', async () => {
    expect([...served.keys()]).toEqual([1, 2, 3, 4]);
    for (const since of [1, 2, 3]) {
      const all = await allOf({ since });
      expect(applied(served.get(since)!, all), `since ${since}`).toEqual(served.get(4));
      const order = all.map(({ publication }) => publication);
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    }
    expect(await allOf({ since: 1 }, 5000)).toEqual(await allOf({ since: 1 }, 37));
    expect(await ask({ since: 4 })).toEqual({
      since: 4,
      publication: 4,
      start_anew: false,
      changes: [],
      next_cursor: null,
    });
  });

  it('of a property are those of its rows, and of an update the columns that differ', async () => {
    const all = await allOf({ since: 1 });
    const own = await allOf({ since: 1, ids: [PID] }, 3);
    expect(own).toEqual(all.filter(({ key }) => key === PID || key?.startsWith(`${PID}|`)));
    expect(own).toContainEqual(
      expect.objectContaining({
        publication: 3,
        table: 'property',
        change: 'update',
        before: expect.objectContaining({ gnaf_pid: PID, building_name: null }),
        after: expect.objectContaining({ gnaf_pid: PID, building_name: 'RENAMED' }),
      }),
    );
    expect(await allOf({ since: 1, ids: ['GANOWHERE'] })).toEqual([]);
  });

  it('of a suburb are those of the tables of suburbs', async () => {
    const all = await allOf({ since: 1 });
    const name = all.find(({ table }) => table === 'suburb')!.key!;
    const own = await allOf({ since: 1, suburbs: [name.toUpperCase()] });
    expect(own.filter(({ table }) => table === 'suburb')).toEqual(
      all.filter(({ table, key }) => table === 'suburb' && key === name),
    );
    expect(own.length).toBeGreaterThan(0);
    for (const { table, key, before, after } of own)
      expect(
        key === name || key!.startsWith('SAL|') || (before ?? after)!.sal === name,
        `${table} ${key}`,
      ).toBe(true);
    const both = await allOf({ since: 1, ids: [PID], suburbs: [name] });
    expect(both).toHaveLength(own.length + (await allOf({ since: 1, ids: [PID] })).length);
  });

  it('refuse a publication that there is not, and a cursor that is none', async () => {
    await expect(ask({ since: 5 })).rejects.toThrow();
    for (const wrong of [
      {},
      { since: 0 },
      { since: 'x' },
      { since: 1, cursor: "1.a'b.2" },
      { since: 1, limit: 0 },
    ])
      expect(changes.params.safeParse(wrong).success, JSON.stringify(wrong)).toBe(false);
  });

  it('say that one must start anew where the journal is pruned, and go on with a cursor as long as they can', async () => {
    const { next_cursor } = await ask({ since: 1, limit: 1 });
    expect(next_cursor).toMatch(/^2\./);
    const [inFour] = (await allOf({ since: 3 }, 1)) as [Change];
    const accepted = { gates: ['rollback'], reason: 'test' };
    await refresh(folders[3]!, ['journal.keep_publications=2'], { accepted });
    expect(await ask({ since: 1 })).toMatchObject({ start_anew: true, changes: [], publication: 5 });
    expect(await ask({ since: 1, cursor: next_cursor! })).toMatchObject({ start_anew: true, changes: [] });
    expect(applied(served.get(4)!, await allOf({ since: 4 }))).toEqual(served.get(5));
    expect(await ask({ since: 3, cursor: `5.${inFour.table}.0` })).toMatchObject({ start_anew: false });
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { loadConfig } from '../../cli/load_config.ts';
import { find } from '../../contract/answers/ask.ts';
import { changes, type changesPayload } from '../../contract/property/changes.ts';
import { rollback } from '../../pipelines/run/rollback.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import type { Table } from '../../schema/table.ts';
import { openServing } from '../../store/read/serving.ts';
import { createDatabase, type TestDatabase } from '../database.ts';
import { copySample, editTable } from '../pipelines/damage.ts';
import { acceptSample, OPEN_GATES, refreshSample } from '../pipelines/sample_run.ts';
import { sampleFolder } from '../published_sample.ts';

type Payload = z.infer<typeof changesPayload>;
type Change = Payload['changes'][number];
type Rows = Map<string, Record<string, unknown>>;

const PID = 'GAVIC900000001';
const INTERNAL: ReadonlySet<string> = new Set(['match_review', 'sandbox_sample', 'setting', 'unused_sale']);
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
  const refresh = async (dir: string): Promise<void> => {
    const { error, publication } = await refreshSample(database, dir, OPEN_GATES);
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
  /** Fields of a property, or `rows` where some were added or removed, by table and property, as two states of the tables differ. */
  const differences = (from: Map<string, Rows>, to: Map<string, Rows>): Map<string, string> => {
    const found = new Map<string, string>();
    for (const { name, primaryKey } of TABLES.filter((table) => table.primaryKey[0] === 'gnaf_pid')) {
      const [before, after] = [from.get(name)!, to.get(name)!];
      for (const key of new Set([...before.keys(), ...after.keys()])) {
        const [old, now] = [before.get(key), after.get(key)];
        if (JSON.stringify(old) === JSON.stringify(now)) continue;
        const subject = `${name} ${(old ?? now)!.gnaf_pid}`;
        const columns =
          old === undefined || now === undefined
            ? ['rows']
            : Object.keys(now).filter(
                (column) =>
                  !primaryKey.includes(column) && JSON.stringify(old[column]) !== JSON.stringify(now[column]),
              );
        const known = found.get(subject)?.split(' ') ?? [];
        const all = [...new Set([...known, ...columns])].sort();
        found.set(subject, all.includes('rows') ? 'rows' : all.join(' '));
      }
    }
    return found;
  };
  const told = (all: readonly Change[]): Map<string, string> =>
    new Map(
      all
        .filter(({ gnaf_pid, table }) => gnaf_pid !== null && !/^property_(alias|successor)$/.test(table))
        .map(({ table, gnaf_pid, fields }) => [`${table} ${gnaf_pid}`, fields?.join(' ') ?? 'rows']),
    );

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

  it('name every property and field that a publication changed, and no value, a rollback among them', async () => {
    expect([...served.keys()]).toEqual([1, 2, 3, 4]);
    const all = await allOf({ since: 1 }, 5000);
    for (const publication of [2, 3, 4]) {
      const of = all.filter((change) => change.publication === publication);
      expect(told(of), `publication ${publication}`).toEqual(
        differences(served.get(publication - 1)!, served.get(publication)!),
      );
    }
    const order = all.map(({ publication }) => publication);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    for (const change of all)
      expect(Object.keys(change).sort()).toEqual([
        'area',
        'fields',
        'gnaf_pid',
        'level',
        'publication',
        'table',
      ]);
    expect(await ask({ since: 4 })).toEqual({
      since: 4,
      publication: 4,
      start_anew: false,
      changes: [],
      next_cursor: null,
    });
  });

  it('name the same subjects at any page size', async () => {
    const subjects = (all: readonly Change[]) =>
      new Set(all.map(({ fields: _, ...subject }) => JSON.stringify(subject)));
    expect(subjects(await allOf({ since: 1 }, 37))).toEqual(subjects(await allOf({ since: 1 }, 5000)));
  });

  it('are limited to the rows of a requested property, with the columns that differ', async () => {
    const all = await allOf({ since: 1 }, 5000);
    const own = await allOf({ since: 1, ids: [PID] }, 5000);
    expect(own).toEqual(all.filter(({ gnaf_pid }) => gnaf_pid === PID));
    expect(own).toContainEqual({
      publication: 3,
      table: 'property',
      gnaf_pid: PID,
      level: null,
      area: null,
      fields: ['address', 'building_name'],
    });
    expect(await allOf({ since: 1, ids: ['GANOWHERE'] })).toEqual([]);
  });

  it('are limited to the area tables of a requested suburb', async () => {
    const all = await allOf({ since: 1 }, 5000);
    const name = all.find(({ table }) => table === 'suburb')!.area!;
    const own = await allOf({ since: 1, suburbs: [name.toUpperCase()] }, 5000);
    expect(own.filter(({ table }) => table === 'suburb')).toEqual(
      all.filter(({ table, area }) => table === 'suburb' && area === name),
    );
    expect(own.length).toBeGreaterThan(0);
    for (const { table, level, gnaf_pid } of own) {
      expect(gnaf_pid).toBeNull();
      expect(['SAL', 'SA1'], table).toContain(level);
    }
    const both = await allOf({ since: 1, ids: [PID], suburbs: [name] }, 5000);
    expect(both).toHaveLength(own.length + (await allOf({ since: 1, ids: [PID] }, 5000)).length);
  });

  it('reject an unknown publication and malformed parameters', async () => {
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

  it('require a new start after the journal is pruned, and accept a cursor into what remains', async () => {
    const { next_cursor } = await ask({ since: 1, limit: 1 });
    expect(next_cursor).toMatch(/^2\./);
    const [inFour] = (await allOf({ since: 3 }, 5000)) as [Change];
    const set = [...OPEN_GATES, 'journal.keep_publications=2'];
    expect((await refreshSample(database, folders[3]!, set)).state).toBe('refused');
    await acceptSample(database, folders[3]!, ['rollback'], set);
    served.set(5, await rowsNow());
    expect(await ask({ since: 1 })).toMatchObject({ start_anew: true, changes: [], publication: 5 });
    expect(await ask({ since: 1, cursor: next_cursor! })).toMatchObject({ start_anew: true, changes: [] });
    expect(told(await allOf({ since: 4 }, 5000))).toEqual(differences(served.get(4)!, served.get(5)!));
    expect(await ask({ since: 3, cursor: `5.${inFour.table}.0` })).toMatchObject({ start_anew: false });
  });
});

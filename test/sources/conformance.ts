import { createHash } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EtlError, type Reject } from '../../schema/errors.ts';
import { BOUNDS, cellBbox, NO_CELL } from '../../schema/grid.ts';
import type { Column, ColumnType, Table } from '../../schema/table.ts';
import type {
  DatasetConfig,
  InputAccount,
  Part,
  Release,
  SourceAdapter,
  SourceBatch,
} from '../../sources/adapter.ts';
import { bboxOf } from '../../transforms/geo/geometry.ts';
import { decodeAnyWkb } from '../../transforms/geo/wkb.ts';

/** A small release on disk that an adapter reads without error; rejects and drops in it are welcome. */
export interface ConformanceFixture {
  adapter: SourceAdapter;
  dataset: DatasetConfig;
  /** Removes what was written. */
  remove?: () => Promise<void>;
}

/** Rows of one batch: more than this is not a bounded batch. */
const MAX_BATCH_ROWS = 20_000;

const isInt = (low: number, high: number) => (value: unknown) =>
  Number.isInteger(value) && (value as number) >= low && (value as number) <= high;
const isText = (value: unknown) => typeof value === 'string' && !/\0|\p{Surrogate}/u.test(value);

const IS_OF: Readonly<Record<ColumnType, (value: unknown) => boolean>> = {
  text: isText,
  int2: isInt(-32_768, 32_767),
  int4: isInt(-(2 ** 31), 2 ** 31 - 1),
  float8: (value) => Number.isFinite(value),
  bool: (value) => typeof value === 'boolean',
  date: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value),
  bytea: (value) => value instanceof Uint8Array,
  'text[]': (value) => Array.isArray(value) && value.every(isText),
  'float8[]': (value) => Array.isArray(value) && value.every(Number.isFinite),
  'int4[]': (value) => Array.isArray(value) && value.every(isInt(-(2 ** 31), 2 ** 31 - 1)),
  jsonb: (value) => JSON.stringify(value) !== undefined,
};

/** Everything that reading one part gave. */
interface PartResult {
  rows: Map<Table, Record<string, unknown>[]>;
  rejects: Reject[];
  accounts: InputAccount[];
  notes: string[];
  /** Batches that came after the one with the accounts. */
  late: number;
  largestBatch: number;
}

/** Reads a part to its end. */
export async function readPart(adapter: SourceAdapter, release: Release, part: Part): Promise<PartResult> {
  const result: PartResult = {
    rows: new Map(),
    rejects: [],
    accounts: [],
    notes: [],
    late: 0,
    largestBatch: 0,
  };
  for await (const batch of adapter.readPart(release, part, {})) take(result, batch);
  return result;
}

function take(result: PartResult, batch: SourceBatch): void {
  if (result.accounts.length > 0) result.late++;
  let rows = 0;
  for (const { table, rows: added } of batch.records ?? []) {
    const held = result.rows.get(table) ?? [];
    for (const row of added) held.push(row);
    result.rows.set(table, held);
    rows += added.length;
  }
  result.largestBatch = Math.max(result.largestBatch, rows);
  result.rejects.push(...(batch.rejects ?? []));
  result.accounts.push(...(batch.accounts ?? []));
  result.notes.push(...(batch.notes ?? []));
}

/** Digest of everything a part gave, in order. */
function digestOf(result: PartResult): string {
  const hash = createHash('sha256');
  const plain = (_key: string, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
  for (const [table, rows] of result.rows) {
    hash.update(table.name);
    for (const row of rows) hash.update(JSON.stringify(row, plain));
  }
  hash.update(JSON.stringify([result.rejects, result.accounts, result.notes]));
  return hash.digest('hex');
}

function problemOf(value: unknown, column: Column): string | null {
  if (value === undefined) return 'is missing';
  if (value === null) return column.nullable ? null : 'is null in a column that is not nullable';
  return IS_OF[column.type](value) ? null : `is no ${column.type}: ${String(value).slice(0, 60)}`;
}

/** What is wrong with a row by its declaration; empty: nothing. */
function problemsOf(row: Record<string, unknown>, table: Table): string[] {
  const problems: string[] = [];
  for (const [name, column] of Object.entries(table.columns)) {
    const problem = problemOf(row[name], column);
    if (problem !== null) problems.push(`${table.name}.${name} ${problem}`);
  }
  for (const name of Object.keys(row)) {
    if (!(name in table.columns)) problems.push(`${table.name}.${name} is not declared`);
  }
  if (row.load_id !== 0) problems.push(`${table.name}.load_id is not 0`);
  if (typeof row.cell === 'number' && row.cell !== NO_CELL && cellBbox(row.cell)[2] > BOUNDS.maxLon + 1e-6) {
    problems.push(`${table.name}.cell ${row.cell} is not in the grid`);
  }
  if (row.geom instanceof Uint8Array) {
    const [minX, minY, maxX, maxY] = bboxOf(decodeAnyWkb(row.geom).geometry.coords);
    const margin = 1e-3;
    const inside =
      minX >= BOUNDS.minLon - margin &&
      maxX <= BOUNDS.maxLon + margin &&
      minY >= BOUNDS.minLat - margin &&
      maxY <= BOUNDS.maxLat + margin;
    if (!inside) problems.push(`${table.name}.geom reaches ${[minX, minY, maxX, maxY].join(', ')}`);
  }
  return problems;
}

/** Files that this process has open, sockets and pipes of others left out; 0 where the system does not say. */
const openFiles = (): number => {
  try {
    return readdirSync('/proc/self/fd').filter((fd) => pathOf(fd)?.startsWith(tmpdir())).length;
  } catch {
    return 0;
  }
};
const pathOf = (fd: string): string | null => {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    // The descriptor by which the folder itself was read.
    return null;
  }
};
const leftovers = (): number =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`release-${process.pid}-`)).length;

/** What every source adapter must do, run over one release; each adapter's test calls it. */
export function adapterConformance(name: string, makeFixture: () => Promise<ConformanceFixture>): void {
  describe(`adapter conformance: ${name}`, () => {
    let fixture: ConformanceFixture;
    let release: Release;
    let parts: Part[];
    let results: PartResult[];
    const all = <T>(of: (result: PartResult) => T[]): T[] => results.flatMap(of);

    beforeAll(async () => {
      fixture = await makeFixture();
      ({ release, parts } = await fixture.adapter.discover(fixture.dataset));
      results = [];
      for (const part of parts) results.push(await readPart(fixture.adapter, release, part));
    });
    afterAll(async () => {
      await fixture?.remove?.();
    });

    it('describes itself', () => {
      const { adapter } = fixture;
      expect(adapter.name).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(Number.isInteger(adapter.version) && adapter.version >= 1).toBe(true);
      for (const text of [adapter.title, adapter.publisher, adapter.licence, adapter.attribution])
        expect(text).not.toBe('');
      expect(adapter.tables.length).toBeGreaterThan(0);
      for (const table of adapter.tables) expect(table.schema).toBe('record');
    });

    it('discovers a labelled release with a CRS and uniquely named parts', () => {
      expect(release.id.trim()).not.toBe('');
      expect(release.crs.applied.trim()).not.toBe('');
      expect(release.dataset).toBe(fixture.dataset);
      expect(parts.length).toBeGreaterThan(0);
      expect(new Set(parts.map((part) => part.id)).size).toBe(parts.length);
      for (const note of release.notes) expect(note.trim()).not.toBe('');
    });

    it('discovers the same again', async () => {
      const again = await fixture.adapter.discover(structuredClone(fixture.dataset));
      expect(again).toEqual({ release, parts });
    });

    it('gives rows that match the declared tables', () => {
      const problems = new Set<string>();
      let rows = 0;
      for (const result of results) {
        for (const [table, held] of result.rows) {
          expect(fixture.adapter.tables).toContain(table);
          rows += held.length;
          for (const row of held) for (const problem of problemsOf(row, table)) problems.add(problem);
        }
      }
      expect([...problems].slice(0, 10)).toEqual([]);
      expect(rows).toBeGreaterThan(0);
    });

    it('accounts for every input row, once, with the last batch of a part', () => {
      for (const result of results) {
        expect(result.accounts.length).toBeGreaterThan(0);
        expect(result.late).toBe(0);
      }
      const accounts = all((result) => result.accounts);
      for (const account of accounts) {
        const drops = Object.values(account.drops).reduce((sum, count) => sum + count, 0);
        expect(account, account.file).toMatchObject({ rows_in: account.records + account.rejects + drops });
        for (const drop of Object.keys(account.drops)) expect(drop).toMatch(/^[a-z][a-z0-9_]*$/);
        const tables = fixture.adapter.tables.map((table) => table.name);
        if (account.table !== null) expect(tables).toContain(account.table);
      }
      const rejected = accounts.reduce((sum, account) => sum + account.rejects, 0);
      expect(all((result) => result.rejects)).toHaveLength(rejected);
    });

    it('names file, place and reason of every reject', () => {
      const files = new Set(all((result) => result.accounts).map((account) => account.file));
      for (const reject of all((result) => result.rejects)) {
        expect(reject.code).toMatch(/^[a-z][a-z0-9_]*$/);
        expect(files).toContain(reject.file);
        expect(reject.at.trim()).not.toBe('');
        expect(reject.message.trim()).not.toBe('');
      }
    });

    it('keeps batches small', () => {
      for (const result of results) expect(result.largestBatch).toBeLessThanOrEqual(MAX_BATCH_ROWS);
    });

    it('gives the same again, from cloned parts, all parts at the same time', async () => {
      const again = await Promise.all(
        parts.map((part) => readPart(fixture.adapter, structuredClone(release), structuredClone(part))),
      );
      expect(again.map(digestOf)).toEqual(results.map(digestOf));
    });

    it('stops when it is aborted, before and in the middle, and leaves nothing open', async () => {
      const [files, folders] = [openFiles(), leftovers()];
      for (const part of parts) {
        const reason = new Error('stop');
        const early = fixture.adapter.readPart(release, part, { signal: AbortSignal.abort(reason) });
        await expect(drain(early)).rejects.toThrow('stop');
        const controller = new AbortController();
        const iterator = fixture.adapter
          .readPart(release, part, { signal: controller.signal })
          [Symbol.asyncIterator]();
        await iterator.next();
        controller.abort(reason);
        // A part of few batches may already be at its end.
        await drain({ [Symbol.asyncIterator]: () => iterator }).catch((error: unknown) =>
          expect(error).toBe(reason),
        );
      }
      expect(leftovers()).toBeLessThanOrEqual(folders);
      expect(openFiles()).toBeLessThanOrEqual(files);
    });

    it('closes what it opened when the reader stops early', async () => {
      const [files, folders] = [openFiles(), leftovers()];
      for (const part of parts) {
        for await (const batch of fixture.adapter.readPart(release, part, {})) {
          expect(batch).toBeDefined();
          break;
        }
      }
      expect(leftovers()).toBeLessThanOrEqual(folders);
      expect(openFiles()).toBeLessThanOrEqual(files);
    });

    it('names a file that is gone', async () => {
      const files = fixture.dataset.files.map((file) => ({
        ...file,
        path: `${file.path.replace(/(\.[^.]+)$/, '_gone$1')}`,
      }));
      const error = await fixture.adapter
        .discover({ ...fixture.dataset, files })
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(EtlError);
      expect(files.some((file) => (error as EtlError).message.includes(basename(file.path)))).toBe(true);
    });

    it('names the dataset in the error if it has no files', async () => {
      const error = await fixture.adapter
        .discover({ ...fixture.dataset, files: [] })
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(EtlError);
      expect((error as EtlError).message).toContain(fixture.dataset.id);
    });
  });
}

async function drain(batches: AsyncIterable<SourceBatch>): Promise<void> {
  for await (const batch of batches) if (batch === undefined) return;
}

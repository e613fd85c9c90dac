import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { batches, batchRows } from '../../../pipelines/engine/batches.ts';
import { input, type Scope } from '../../../pipelines/engine/input.ts';
import type { PlannedPartition } from '../../../pipelines/engine/plan.ts';
import { runInOrder } from '../../../pipelines/engine/run_in_order.ts';
import { type Stage, stage } from '../../../pipelines/engine/stage.ts';
import { col, type Table, table } from '../../../schema/table.ts';

const asset = (name: string): Table =>
  table({ schema: 'asset', name, doc: '', columns: { cell: col('int4', '') }, primaryKey: ['cell'] });

/** A stage of the same name as its table, which reads the named tables. */
const reading = (name: string, tables: readonly string[], scope?: Scope<never>): Stage =>
  stage({
    name,
    version: 1,
    doc: '',
    subject: tables[0]!,
    inputs: Object.fromEntries(tables.map((each) => [each, input(asset(each), ['cell'], scope)])),
    output: asset(name),
    compute: () => ({ account: { in: 0, out: 0, drops: {} } }),
  });

/** Runs the stages and notes when each begins and ends. */
async function traced(stages: readonly Stage[], atOnce: number, failing = ''): Promise<[string[], string[]]> {
  const events: string[] = [];
  const settled = await runInOrder(stages, atOnce, async ({ name }) => {
    events.push(`+${name}`);
    await sleep(5);
    events.push(`-${name}`);
    if (name === failing) throw new Error(name);
    return name;
  });
  return [events, settled.map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))];
}

describe('runInOrder', () => {
  const stages = [reading('a', ['x']), reading('b', ['a']), reading('c', ['x']), reading('d', ['b', 'c'])];

  it('starts a stage after its inputs are done, concurrently with independent stages', async () => {
    const [events, results] = await traced(stages, 4);
    expect(events.slice(0, 2)).toEqual(['+a', '+c']);
    expect(events.indexOf('+b')).toBeGreaterThan(events.indexOf('-a'));
    expect(events.indexOf('+d')).toBeGreaterThan(Math.max(events.indexOf('-b'), events.indexOf('-c')));
    expect(results).toEqual(['a', 'b', 'c', 'd']);
  });

  it('runs one stage at a time if the limit is one', async () => {
    const [events] = await traced(stages, 1);
    for (let i = 0; i < events.length; i += 2) expect(events[i + 1]).toBe(`-${events[i]!.slice(1)}`);
  });

  it('waits for the table around whose rows it looks', async () => {
    const near: Scope<never> = { kind: 'near', halo_m: 1, around: asset('c') };
    const [events] = await traced([reading('a', ['x']), reading('c', ['x']), reading('e', ['x'], near)], 4);
    expect(events.indexOf('+e')).toBeGreaterThan(events.indexOf('-c'));
  });

  it('waits for the stage that names the homes of a resource', async () => {
    const homes: Scope<never> = { kind: 'resource', homes: { table: asset('a') } };
    const [events] = await traced([reading('a', ['x']), reading('e', ['x'], homes)], 4);
    expect(events.indexOf('+e')).toBeGreaterThan(events.indexOf('-a'));
  });

  it('does not begin what reads the output of a stage that failed', async () => {
    const [events, results] = await traced(stages, 4, 'a');
    expect(results).toEqual(['failed', 'failed', 'c', 'failed']);
    expect(events).not.toContain('+b');
    expect(events).not.toContain('+d');
  });
});

describe('batchRows', () => {
  const partitions = (count: number, rows: number): PlannedPartition[] =>
    Array.from({ length: count }, (_, cell) => ({
      cell,
      action: 'run',
      reason: '',
      fingerprint: { version: 1, params: '', inputs: {} },
      slices: {},
      rows,
      changes: null,
      subject_rows: 1,
      replaces: false,
      resource: null,
    }));

  it.each([
    ['many rows', 100, 1000, 20_000],
    ['few rows, shared by the threads', 30, 100, 1500],
    ['too few rows to share', 6, 100, 500],
  ])('%s', (_, count, rows, expected) => {
    expect(batchRows(partitions(count, rows), 20_000, 2)).toBe(expected);
  });

  it('gives every thread a batch', () => {
    const all = partitions(30, 100);
    expect(batches(all, batchRows(all, 20_000, 2)).map((batch) => batch.length)).toEqual([15, 15]);
  });

  it('begins with the largest batch, so that threads end together', () => {
    const all = [100, 900, 300, 600].map((rows, i) => ({ ...partitions(4, 1)[i]!, rows }));
    expect(batches(all, 1000).map((batch) => batch.map(({ rows }) => rows))).toEqual([
      [100, 900],
      [300, 600],
    ]);
    expect(batches(all.slice(1), 900).map((batch) => batch.map(({ rows }) => rows))).toEqual([
      [900],
      [300, 600],
    ]);
    expect(batches([...all].reverse(), 700).map((batch) => batch.map(({ rows }) => rows))).toEqual([
      [900],
      [600],
      [300],
      [100],
    ]);
  });

  it('puts what needs the same resource together, so that a thread builds each once', () => {
    const all = partitions(6, 100).map((one, i) => ({ ...one, resource: i % 2 === 0 ? 'NSW' : 'VIC' }));
    expect(batches(all, 200).map((batch) => batch.map(({ resource }) => resource))).toEqual([
      ['NSW', 'NSW'],
      ['NSW'],
      ['VIC', 'VIC'],
      ['VIC'],
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { input } from '../../../pipelines/engine/input.ts';
import { SharedReads } from '../../../pipelines/engine/shared_reads.ts';
import { type Stage, stage } from '../../../pipelines/engine/stage.ts';
import { nextOf } from '../../../pipelines/engine/workers.ts';
import { finderMarketAsset } from '../../../schema/assets/api.ts';
import { parcelFormAsset } from '../../../schema/assets/property.ts';
import { planned } from './planned.ts';

const part = input(finderMarketAsset, ['cell', 'sal']);
const narrow = input(finderMarketAsset, ['sal']);
const near = input(finderMarketAsset, ['sal'], { kind: 'all' });

const reading = (name: string, inputs: Stage['inputs']): Stage =>
  stage({
    name,
    version: 1,
    doc: 'Test.',
    subject: Object.keys(inputs)[0]!,
    inputs,
    output: parcelFormAsset,
    compute: () => ({ account: { in: 0, out: 0, drops: {} } }),
  });

describe('SharedReads', () => {
  const shared = new SharedReads([
    reading('first', { part, near }),
    reading('second', { part, narrow }),
    reading('third', { near }),
  ]);
  let reads = 0;
  const take = (which = part, partitions = [planned(1), planned(2)], run = 1) =>
    shared.take(run, which, 'part', partitions, async () => [{ sal: String(++reads) }]);

  it('reads what several stages read once for the cells of a batch', async () => {
    const rows = await take();
    expect(await take()).toBe(rows);
    expect(reads).toBe(1);
  });

  it('reads again for other cells, and holds those of one batch only', async () => {
    const before = reads;
    await take(part, [planned(1)]);
    await take();
    expect(reads).toBe(before + 2);
  });

  it('reads again in another run, and where a selection differs', async () => {
    const before = reads;
    await take(part, undefined, 2);
    const far = { ...planned(1), slices: { part: { kind: 'cells' as const, cells: [1, 9] } } };
    await take(part, [far, planned(2)], 2);
    expect(reads).toBe(before + 2);
  });

  it('holds nothing of a batch by key, of what one stage alone reads, or of other scopes', async () => {
    for (const [which, partitions] of [
      [
        part,
        [{ ...planned(1), changes: { own: [7], named: {}, alike: {}, boxes: [], reached: {}, listed: 1 } }],
      ],
      [narrow, [planned(1)]],
      [near, [planned(1)]],
    ] as const) {
      const before = reads;
      await take(which as typeof part, [...partitions]);
      await take(which as typeof part, [...partitions]);
      expect(reads).toBe(before + 2);
    }
  });
});

describe('the next task of a thread', () => {
  const batch = (stageName: string, cells: number[]) =>
    ({ kind: 'batch', stage: stageName, partitions: cells.map((cell) => planned(cell)), runId: 1 }) as const;
  const waiting = [batch('a', [1, 2]), batch('a', [3]), batch('b', [1, 2]), batch('b', [3])];

  it('is one of the cells that it had last, else the first', () => {
    expect(nextOf(waiting, '3')).toBe(1);
    expect(nextOf(waiting.slice(2), '3')).toBe(1);
    expect(nextOf(waiting, '4')).toBe(0);
    expect(nextOf(waiting, null)).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import { byPid } from '../../../../pipelines/stages/addresses/by_key.ts';
import { groupBy } from '../../../../schema/group_by.ts';

const pids = Array.from({ length: 50 }, (_, i) => `GAVIC${100 + i}`);
const rows = pids.map((gnaf_pid, i) => ({ gnaf_pid, i }));

describe('byPid', () => {
  it.each([
    ['in their order', pids],
    ['each twice', pids.flatMap((pid) => [pid, pid])],
    ['in two passes', [...pids, ...pids]],
    ['with gaps', pids.filter((_, i) => i % 7 === 0)],
    ['in the opposite order', pids.toReversed()],
    ['in no order', pids.map((_, i) => pids[(i * 17) % pids.length]!)],
  ])('finds rows that are asked for %s', (_, asked) => {
    const found = byPid(rows);
    expect(asked.map((pid) => found.get(pid)?.i)).toEqual(asked.map((pid) => pids.indexOf(pid)));
  });

  it('returns nothing for an unknown id', () => {
    const found = byPid(rows);
    expect(found.get('GAVIC')).toBeUndefined();
    expect(found.get(pids[3]!)).toBe(rows[3]);
    expect(found.get('GAVIC120x')).toBeUndefined();
    expect(byPid([]).get(pids[0]!)).toBeUndefined();
  });
});

describe('groupBy', () => {
  it('gathers rows of a key that do not follow one another, in the order of the input', () => {
    const list = ['a1', 'a2', 'b1', 'a3', 'c1', 'b2'];
    expect([...groupBy(list, (each) => each[0]!)]).toEqual([
      ['a', ['a1', 'a2', 'a3']],
      ['b', ['b1', 'b2']],
      ['c', ['c1']],
    ]);
  });
});

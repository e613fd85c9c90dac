import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupBy, lowerBound } from '../../../transforms/address/match/growing.ts';
import { LotPlans } from '../../../transforms/address/match/lot_plans.ts';
import { Pids } from '../../../transforms/address/match/pids.ts';
import { editDistance, letterMask, mayBeNear } from '../../../transforms/address/match/typo.ts';
import { numberKey, placeKey, streetKey, swappedPlaceKey } from '../../../transforms/address/parse/keys.ts';

/** Optimal string alignment, as its definition reads. */
function reference(a: string, b: string): number {
  const d = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      d[i]![j] = Math.min(
        d[i - 1]![j]! + 1,
        d[i]![j - 1]! + 1,
        d[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        d[i]![j] = Math.min(d[i]![j]!, d[i - 2]![j - 2]! + 1);
    }
  return d[a.length]![b.length]!;
}

const words = fc.array(fc.constantFrom(...'ABCDE'), { maxLength: 9 }).map((letters) => letters.join(''));

describe('editDistance', () => {
  it('is the optimal string alignment up to its limit', () => {
    fc.assert(
      fc.property(words, words, fc.integer({ min: 0, max: 3 }), (a, b, limit) => {
        expect(editDistance(a, b, limit)).toBe(Math.min(reference(a, b), limit + 1));
      }),
      { seed: 3, numRuns: 2000 },
    );
  });

  it('is never below what the letters allow', () => {
    fc.assert(
      fc.property(words, words, (a, b) => {
        expect(mayBeNear(letterMask(a), letterMask(b), reference(a, b))).toBe(true);
      }),
      { seed: 4, numRuns: 1000 },
    );
  });
});

describe('Pids', () => {
  const pids = [
    'GAVIC424742149',
    'GASA_414912543',
    'GAVIC000000007',
    'VIC7',
    'loc9901d119afda',
    '',
    'X1234567890123',
    'GAVIC424742149',
  ];
  it('gives back and finds every shape of identifier; of two the first', () => {
    const kept = new Pids();
    for (const pid of pids) kept.push(pid);
    kept.index();
    expect(pids.map((_, i) => kept.text(i))).toEqual(pids);
    expect(pids.map((pid) => kept.find(pid))).toEqual([0, 1, 2, 3, 4, 5, 6, 0]);
    expect(kept.find('GAVIC424742150')).toBe(-1);
    expect(kept.find('GAQLD424742149')).toBe(-1);
  });
});

describe('LotPlans', () => {
  it('finds the rows of an identifier', () => {
    const plans = new LotPlans();
    for (let row = 0; row < 5000; row++) plans.add(`${row % 700}\\PS1`, row);
    plans.finish();
    expect([...plans.find('3\\PS1')]).toEqual([3, 703, 1403, 2103, 2803, 3503, 4203, 4903]);
    expect([...plans.find('3\\PS2')]).toEqual([]);
  });
});

describe('sorted arrays', () => {
  it('are searched and grouped', () => {
    const values = Int32Array.of(1, 3, 3, 7);
    expect([0, 1, 2, 3, 4, 8].map((wanted) => lowerBound(values, wanted, 0, 4))).toEqual([0, 0, 1, 1, 3, 4]);
    const { starts, order } = groupBy(Int32Array.of(2, 0, -1, 2, 0), 3);
    expect([...starts]).toEqual([0, 2, 2, 4]);
    expect([...order]).toEqual([1, 4, 0, 3]);
  });
});

describe('keys', () => {
  it.each([
    ['012a', '12A'],
    ['G01', 'G1'],
    ['0', '0'],
    ['007', '7'],
    [' 12 - a', '12A'],
  ])('number %s is %s', (text, key) => {
    expect(numberKey(text)).toBe(key);
  });

  it('name places and streets in one spelling', () => {
    expect(streetKey(['MC', 'KEAN'])).toBe(streetKey(['MCKEAN']));
    expect(streetKey(['SAINT', 'GEORGES'])).toBe(streetKey(['ST', 'GEORGES']));
    expect(placeKey(['NTH', 'FITZROY'])).toBe(swappedPlaceKey(['FITZROY', 'NORTH']));
    expect(placeKey(['MOUNT', 'PK'])).toBe(placeKey(['MT', 'PARK']));
    expect(swappedPlaceKey(['FITZROY'])).toBeNull();
    expect(swappedPlaceKey(['NORTH'])).toBeNull();
  });
});

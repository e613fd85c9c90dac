import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../tools/sample/random.ts';
import { groupIndexes, lowerBound, orderBy } from '../../../transforms/address/match/growing_ints.ts';
import { LotPlans, LotPlansBuilder } from '../../../transforms/address/match/lot_plans.ts';
import { Pids, PidsBuilder } from '../../../transforms/address/match/pids.ts';
import { prefixed } from '../../../transforms/address/match/sections.ts';
import { Texts, textSections } from '../../../transforms/address/match/texts.ts';
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
  it('gives back and finds every shape of identifier in one order; of two the first', () => {
    const open = (given: readonly string[]) => {
      const builder = new PidsBuilder();
      for (const pid of given) builder.push(pid);
      const { sections, order } = builder.finish();
      return { kept: new Pids(prefixed('pids', sections), 'pids'), order };
    };
    const { kept, order } = open(pids);
    expect(pids.map((_, i) => kept.text(i))).toEqual([...order].map((i) => pids[i]));
    expect(pids.map((pid) => kept.text(kept.find(pid)))).toEqual(pids);
    const at = kept.find('GAVIC424742149');
    expect([kept.text(at - 1), kept.text(at + 1)]).toEqual(['GAVIC000000007', 'GAVIC424742149']);
    expect(kept.find('GAVIC424742150')).toBe(-1);
    expect(kept.find('GAQLD424742149')).toBe(-1);
    const other = open([...pids].reverse()).kept;
    expect(pids.map((_, i) => other.text(i))).toEqual(pids.map((_, i) => kept.text(i)));
  });
});

describe('LotPlans', () => {
  it('finds the rows of an identifier', () => {
    const builder = new LotPlansBuilder();
    for (let row = 0; row < 20_000; row++) builder.add(`${row % 4000}\\PS1`, row);
    const ranks = Int32Array.from({ length: 20_000 }, (_, row) => 19_999 - row);
    const plans = new LotPlans(prefixed('plans', builder.finish(ranks)), 'plans');
    expect([...plans.find('3\\PS1')]).toEqual([3996, 7996, 11_996, 15_996, 19_996]);
    expect([...plans.find('3\\PS2')]).toEqual([]);
  });
});

describe('sorted arrays', () => {
  it('are searched and grouped', () => {
    const values = Int32Array.of(1, 3, 3, 7);
    expect([0, 1, 2, 3, 4, 8].map((wanted) => lowerBound(values, wanted, 0, 4))).toEqual([0, 0, 1, 1, 3, 4]);
    const { starts, order } = groupIndexes(Int32Array.of(2, 0, -1, 2, 0), 3);
    expect([...starts]).toEqual([0, 2, 2, 4]);
    expect([...order]).toEqual([1, 4, 0, 3]);
  });
});

describe('orderBy', () => {
  it('sorts any number of rows by the keys in turn, and preserves the order of ties', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 20_000 }),
        fc.constantFrom(3, 9000, 2 ** 31),
        fc.integer(),
        (size, greatest, seed) => {
          const random = seededRandom(seed, 'keys');
          const keys = [40, greatest].map((limit) =>
            Int32Array.from({ length: size }, () => Math.floor(random.next() * limit)),
          );
          const expected = Int32Array.from({ length: size }, (_, row) => row).sort(
            (a, b) => keys[0]![a]! - keys[0]![b]! || keys[1]![a]! - keys[1]![b]! || a - b,
          );
          expect(orderBy(size, keys)).toEqual(expected);
        },
      ),
      { seed: 6, numRuns: 15 },
    );
  });
});

describe('Texts', () => {
  it('finds each text by its number and back, and nothing else', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'binary', maxLength: 8 })), fc.string(), (list, other) => {
        const texts = new Texts(prefixed('texts', textSections(list)), 'texts');
        expect(texts.size).toBe(list.length);
        expect(list.map((_, id) => texts.text(id))).toEqual(list);
        expect(list.map((text) => texts.find(text))).toEqual([...list.keys()]);
        expect(texts.find(other)).toBe(list.indexOf(other));
      }),
      { seed: 7, numRuns: 100 },
    );
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

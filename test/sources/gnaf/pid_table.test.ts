import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PidTable, partOfKey, pidKey } from '../../../sources/gnaf/pid_table.ts';

const keyOf = (pid: string): number => pidKey(pid, 0, pid.length);
const realPid = fc
  .tuple(
    fc.constantFrom('NSW', 'VIC', 'QLD', 'SA_', 'WA_', 'TAS', 'NT_', 'ACT', 'OT_'),
    fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 999_999_999 })),
  )
  .map(([state, digits]) => `GA${state}${String(digits).padStart(9, '0')}`);
const anyPid = fc.oneof(
  realPid,
  fc.constantFrom('', 'GA', 'GAVIC12', 'GAVIC12345678x', 'GANZ_123456789', 'GAVIC1234567890'),
);

describe('pidKey', () => {
  it.each(['GANSW704074813', 'GAACT717940975', 'GAWA_162637248', 'GASA_414912543', 'GAVIC000000000'])(
    '%s fits',
    (pid) => {
      expect(keyOf(pid)).toBeGreaterThan(0);
    },
  );

  it.each(['', 'GAVIC12345678', 'GAVIC1234567890', 'GAVIC12345678x', 'gaVIC123456789', 'GAXXX123456789'])(
    '%j does not',
    (pid) => {
      expect(keyOf(pid)).toBe(-1);
    },
  );

  it('reads within a longer text', () => {
    expect(pidKey('x|GANSW704074813|y', 2, 16)).toBe(keyOf('GANSW704074813'));
  });

  it('differs where the PIDs differ', () => {
    fc.assert(fc.property(realPid, realPid, (a, b) => (keyOf(a) === keyOf(b)) === (a === b)));
  });
});

describe('PidTable', () => {
  it('numbers PIDs as a Map does, whatever room it was given', () => {
    fc.assert(
      fc.property(fc.array(anyPid, { maxLength: 300 }), fc.constantFrom(0, 10, 5000), (pids, expected) => {
        const table = new PidTable(expected);
        const map = new Map<string, number>();
        for (const pid of pids) {
          if (!map.has(pid)) map.set(pid, map.size);
          expect(table.add(keyOf(pid), () => pid)).toBe(map.get(pid));
        }
        expect(table.size).toBe(map.size);
        for (const [pid, number] of map) expect(table.find(keyOf(pid), () => pid)).toBe(number);
        expect(table.find(keyOf('GATAS999999998'), () => '')).toBe(map.get('GATAS999999998') ?? -1);
      }),
    );
  });

  it('grows beyond its room', () => {
    const table = new PidTable(10);
    for (let i = 0; i < 20_000; i++) table.add(i * 7 + 1, () => '');
    for (let i = 0; i < 20_000; i++) expect(table.find(i * 7 + 1, () => '')).toBe(i);
    expect(table.find(2, () => '')).toBe(-1);
  });
});

describe('shareOf', () => {
  it('spreads PIDs that follow one another evenly', () => {
    const counts = [0, 0, 0];
    for (let i = 0; i < 30_000; i++) counts[partOfKey(keyOf(`GAVIC4${String(i).padStart(8, '0')}`), 3)]!++;
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });
});

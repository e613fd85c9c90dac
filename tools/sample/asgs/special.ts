import { STATES } from '../geography/places.ts';
import type { Level, Parent } from './fields.ts';

/** A code without a shape: people of no usual address, at sea, or outside Australia. */
export interface SpecialRegion {
  readonly code: string;
  readonly name: string;
  /** Special regions above it, in the order SA2, SA3, SA4, GCCSA, as far as they are above its level. */
  readonly above: readonly Parent[];
  readonly ste: Parent;
}

/** Codes after the state digit: [migratory, no usual address]. */
const CODES: Readonly<Record<Exclude<Level, 'STE' | 'POA'>, readonly [string, string]>> = {
  MB: ['9797979797', '9999499999'],
  SA1: ['9797979797', '9999499999'],
  SA2: ['97979799', '99999499'],
  SA3: ['9797', '9999'],
  SA4: ['97', '99'],
  GCCSA: ['9799', '9499'],
  SAL: ['9797', '9494'],
  LGA: ['9799', '9499'],
};
const OUTSIDE: Readonly<Record<Exclude<Level, 'POA'>, string>> = {
  MB: 'ZZZZZZZZZZZ',
  SA1: 'ZZZZZZZZZZZ',
  SA2: 'ZZZZZZZZZ',
  SA3: 'ZZZZZ',
  SA4: 'ZZZ',
  GCCSA: 'ZZZZZ',
  STE: 'Z',
  SAL: 'ZZZZZ',
  LGA: 'ZZZZZ',
};
const NAMES = ['Migratory - Offshore - Shipping', 'No usual address'] as const;
const CHAIN = ['SA2', 'SA3', 'SA4', 'GCCSA'] as const;

/** The special regions of a level, as the ABS lists them. */
export function specialRegions(level: Level): SpecialRegion[] {
  if (level === 'POA') {
    const none = { code: '', name: '' };
    return [
      { code: '9494', name: 'No usual address', above: [], ste: none },
      { code: '9797', name: 'Migratory - Offshore - Shipping', above: [], ste: none },
      { code: 'ZZZZ', name: 'Outside Australia', above: [], ste: none },
    ];
  }
  const rows: SpecialRegion[] = [];
  const levelsAbove = CHAIN.slice(
    level === 'MB' || level === 'SA1' ? 0 : CHAIN.indexOf(level as 'SA2') + 1 || CHAIN.length,
  );
  if (level !== 'STE') {
    for (const { digit, name: stateName, abs } of STATES) {
      for (const which of [0, 1] as const) {
        const name = `${NAMES[which]} (${abs})`;
        const above = levelsAbove.map((up) => ({ code: digit + CODES[up][which], name }));
        rows.push({ code: digit + CODES[level][which], name, above, ste: { code: digit, name: stateName } });
      }
    }
  }
  const name = 'Outside Australia';
  const above = levelsAbove.map((up) => ({ code: OUTSIDE[up], name }));
  rows.push({ code: OUTSIDE[level], name, above, ste: { code: 'Z', name } });
  return rows;
}

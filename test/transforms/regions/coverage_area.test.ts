import { describe, expect, it } from 'vitest';
import { coveredByName } from '../../../transforms/regions/coverage_area.ts';

describe('coveredByName', () => {
  const covered = coveredByName([
    { theme: 'bushfire', state: 'VIC', area: '*' },
    { theme: 'flood', state: 'VIC', area: '27350' },
    { theme: 'flood', state: 'NSW', area: '27350' },
  ]);

  it.each([
    ['VIC', '27350', ['bushfire', 'flood']],
    ['VIC', '20110', ['bushfire']],
    ['VIC', null, ['bushfire']],
    ['NSW', '27350', ['flood']],
    ['NSW', null, []],
    ['QLD', '27350', []],
  ] as const)('%s, LGA %s', (state, lga, themes) => {
    expect([...covered(state, lga)].sort()).toEqual(themes);
  });
});

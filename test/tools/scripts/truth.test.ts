import { describe, expect, it } from 'vitest';
import { compare } from '../../../tools/scripts/truth/comparison.ts';
import { sectionText, withSection } from '../../../tools/scripts/truth/page.ts';

const rows = [
  { id: 'a', wanted: 10, found: 10.5 },
  { id: 'b', wanted: 20, found: 20 },
  { id: 'c', wanted: 30, found: 33 },
  { id: 'd', wanted: Number.NaN, found: 0 },
];
const held = compare(
  { what: 'distance', oracle: 'distances.csv', unit: 'm', remark: 'Equal: within 1 m.' },
  rows,
  ({ id }) => id,
  ({ wanted, found }) => {
    if (Number.isNaN(wanted)) return null;
    const off = Math.abs(wanted - found);
    return { agrees: off <= 1, off };
  },
);

describe('the page of truth', () => {
  it('counts what agrees, what decides nothing, and names the worst', () => {
    expect(held).toEqual({
      what: 'distance',
      oracle: 'distances.csv',
      rows: 3,
      agree: 2,
      undecided: 1,
      worst: '3 m (c)',
      remark: 'Equal: within 1 m.',
      wrong: ['c'],
    });
    expect(sectionText({ name: 'Here', comparisons: [held] })).toContain(
      '| distance | `distances.csv` | 3 | 2 (66.67 %) | 3 m (c) | 1 | Equal: within 1 m. Not agreeing, among others: c. |',
    );
  });

  it('rewrites one section and preserves the others', () => {
    const one = withSection(null, { name: 'One', comparisons: [held] });
    const both = withSection(one, { name: 'Two', comparisons: [] });
    expect(both).toContain('## One');
    expect(both).toContain('## Two');
    const again = withSection(both, { name: 'One', comparisons: [] });
    expect(again).toContain('## Two');
    expect(again).not.toContain('distances.csv');
    expect(withSection(again, { name: 'One', comparisons: [held] })).toBe(both);
    expect(withSection(both, { name: 'Two', comparisons: [] })).toBe(both);
  });
});

import { expect, it } from 'vitest';
import { countColumn } from '../../../sources/census/subjects.ts';

it.each([
  ['G37', 'R_LLT_NS_Total', { category: 'Rented, landlord not stated', kind: 'part' }],
  ['G37', 'Ten_type_NS_Total', { category: 'Not stated', kind: 'not_stated' }],
  ['G37', 'R_Tot_Total', { category: 'Rented', kind: 'subtotal' }],
  ['G37', 'Total_Total', { category: 'Total', kind: 'total' }],
  ['G42', 'Tot_Lone_P_H', { category: 'Households of one person', kind: 'part' }],
  ['G42', 'Tot_Tot', { category: 'Total', kind: 'total' }],
])('%s %s is counted once, as what it is', (table, column, is) => {
  expect(countColumn(table, column)).toMatchObject({ census_name: column, ...is });
});

it.each([
  ['G37', 'R_Tot_DS_Sep_house'],
  ['G42', 'Sep_house_Lone_P_H'],
])('%s %s is no total over dwellings of all structures', (table, column) => {
  expect(countColumn(table, column)).toBeNull();
});

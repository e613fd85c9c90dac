import type { Table } from '../table.ts';
import { SERVING_TABLES } from './index.ts';
import { propertyTable } from './property.ts';
import { suburbTable } from './suburb.ts';

/** A column whose non-null values are keys of another serving table. */
export interface Reference {
  from: Table;
  column: string;
  to: Table;
  toColumn: string;
}

/** References that do not follow from a rule. */
const DECLARED: readonly Reference[] = [
  { from: propertyTable, column: 'sal', to: suburbTable, toColumn: 'sal' },
];

/** Returns every reference between serving tables: a `gnaf_pid` is a property; the others are declared. The audit refuses broken ones. */
export function references(tables: readonly Table[] = SERVING_TABLES): Reference[] {
  const toProperty = tables
    .filter((table) => table !== propertyTable && 'gnaf_pid' in table.columns)
    .map((from) => ({ from, column: 'gnaf_pid', to: propertyTable, toColumn: 'gnaf_pid' }));
  return [...toProperty, ...DECLARED.filter(({ from, to }) => tables.includes(from) && tables.includes(to))];
}

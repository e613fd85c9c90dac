import { findField } from '../formats/columns.ts';
import type { DbfField, DbfRows } from '../formats/dbf.ts';
import type { DropRule } from './field_maps.ts';

/** Name of the drop that a row falls under; null: it is kept. */
export type DropTest = (rows: DbfRows, row: number) => string | null;

type Pattern = (value: string) => boolean;

function patternOf(texts: readonly string[]): Pattern {
  const exact = new Set(texts.filter((text) => !text.endsWith('*')).map((text) => text.toUpperCase()));
  const prefixes = texts.filter((text) => text.endsWith('*')).map((text) => text.slice(0, -1).toUpperCase());
  return (value) => exact.has(value) || prefixes.some((prefix) => value.startsWith(prefix));
}

function testOf(rule: DropRule, field: DbfField): (value: string | null) => boolean {
  const kept = rule.keep === undefined ? null : patternOf(rule.keep);
  const dropped = rule.drop === undefined ? null : patternOf(rule.drop);
  const numeric = field.type === 'N' || field.type === 'F';
  return (raw) => {
    if (raw === null) return rule.blank === true;
    const value = raw.toUpperCase();
    // A flag column of numbers says "not set" with 0.
    if (numeric && rule.blank === true && Number(value) === 0) return true;
    return (kept !== null && !kept(value)) || dropped?.(value) === true;
  };
}

/**
 * Binds drop rules to the columns of a file. `absent` lists the columns of rules that the file has none of, for the run
 * report: nothing is dropped by those.
 */
export function bindDrops(
  rules: readonly DropRule[],
  fields: readonly DbfField[],
): { test: DropTest; absent: string[] } {
  const bound: { name: string; field: DbfField; drops: (value: string | null) => boolean }[] = [];
  const absent: string[] = [];
  for (const rule of rules) {
    const field = findField(fields, rule.fields);
    if (field === null) absent.push(`${rule.fields[0]} (${rule.name})`);
    else bound.push({ name: rule.name, field, drops: testOf(rule, field) });
  }
  const test: DropTest = (rows, row) => {
    for (const { name, field, drops } of bound) if (drops(rows.id(row, field))) return name;
    return null;
  };
  return { test, absent };
}

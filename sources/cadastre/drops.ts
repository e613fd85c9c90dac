import { findField } from '../formats/columns.ts';
import { hasEnded } from '../formats/end_date.ts';
import type { FeatureField, Features } from '../formats/feature.ts';
import type { DropRule } from './field_maps.ts';

/** Name of the drop that a row falls under; null: it is kept. */
export type DropTest = (batch: Features, row: number) => string | null;

/** A text this long is no identifier, and no pattern is tried on it. */
const MAX_MATCHED = 100;

type Pattern = (value: string) => boolean;

function patternOf(texts: readonly string[]): Pattern {
  const exact = new Set(texts.filter((text) => !text.includes('*')).map((text) => text.toUpperCase()));
  const globs = texts
    .filter((text) => text.includes('*'))
    .map((text) => text.toUpperCase().replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .map((text) => new RegExp(`^${text.replaceAll('*', '.*')}$`, 's'));
  return (value) => exact.has(value) || globs.some((glob) => glob.test(value));
}

function testOf(rule: DropRule, field: FeatureField): (value: string | null) => boolean {
  const kept = rule.keep === undefined ? null : patternOf(rule.keep);
  const dropped = rule.drop === undefined ? null : patternOf(rule.drop);
  const match = rule.match === undefined ? null : new RegExp(rule.match, 'i');
  const { numeric } = field;
  return (raw) => {
    if (raw === null) return rule.blank === true;
    const value = raw.toUpperCase();
    // A flag column of numbers says "not set" with 0.
    if (numeric && rule.blank === true && Number(value) === 0) return true;
    if (rule.ended === true && hasEnded(raw)) return true;
    if (match !== null && raw.length <= MAX_MATCHED && match.test(raw)) return true;
    return (kept !== null && !kept(value)) || dropped?.(value) === true;
  };
}

/**
 * Binds drop rules to the columns of a file. `absent` lists the columns of rules that the file has none of, for the run
 * report: nothing is dropped by those. `bound` are the columns that the test looks at.
 */
export function bindDrops(
  rules: readonly DropRule[],
  fields: readonly FeatureField[],
): { test: DropTest; absent: string[]; bound: FeatureField[] } {
  const bound: { name: string; field: FeatureField; drops: (value: string | null) => boolean }[] = [];
  const absent: string[] = [];
  for (const rule of rules) {
    const field = findField(fields, rule.fields);
    if (field === null) absent.push(`${rule.fields[0]} (${rule.name})`);
    else bound.push({ name: rule.name, field, drops: testOf(rule, field) });
  }
  const test: DropTest = (batch, row) => {
    for (const { name, field, drops } of bound) if (drops(batch.id(row, field))) return name;
    return null;
  };
  return { test, absent, bound: bound.map(({ field }) => field) };
}

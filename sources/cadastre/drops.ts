import { matcherOf } from '../fields/column_filter.ts';
import { comparable } from '../fields/comparable_text.ts';
import { hasEnded } from '../fields/end_date.ts';
import { tidyText } from '../fields/tidy_text.ts';
import type { FeatureField, Features } from '../formats/feature.ts';
import { findFields } from '../formats/table/columns.ts';
import type { DropRule } from './field_maps.ts';

/** Returns the name of the drop that applies to a row; null: the row is kept. */
export type DropTest = (batch: Features, row: number) => string | null;

/** Maximum characters that patterns are tried on: a longer text is not an identifier. */
const MAX_MATCHED = 100;
/** Maximum verdicts that are cached: classes repeat, identifiers and dates do not. */
const REMEMBERED = 10_000;

function testOf(rule: DropRule, field: FeatureField): (value: string | null) => boolean {
  const isKept = rule.keep === undefined ? null : matcherOf(rule.keep);
  const isDropped = rule.drop === undefined ? null : matcherOf(rule.drop);
  const match = rule.match === undefined ? null : new RegExp(rule.match, 'i');
  const decide = (raw: string): boolean => {
    // A flag column of numbers means "not set" with 0.
    if (field.numeric && rule.blank === true && Number(raw) === 0) return true;
    if (rule.ended === true && hasEnded(raw)) return true;
    if (match !== null && raw.length <= MAX_MATCHED && match.test(raw)) return true;
    const value = comparable(raw);
    return (isKept !== null && !isKept(value)) || isDropped?.(value) === true;
  };
  const cache = new Map<string, boolean>();
  return (raw) => {
    if (raw === null) return rule.blank === true;
    const verdict = cache.get(raw) ?? decide(raw);
    if (cache.size < REMEMBERED) cache.set(raw, verdict);
    return verdict;
  };
}

/** Applies the rule to the first filled column of a row; if all are blank, to a blank. */
function isDropped(
  batch: Features,
  row: number,
  columns: readonly { field: FeatureField; drops: ReturnType<typeof testOf> }[],
): boolean {
  for (const { field, drops } of columns) {
    const text = tidyText(batch.id(row, field));
    if (text !== null) return drops(text);
  }
  return columns[0]!.drops(null);
}

/**
 * Binds drop rules to the columns of a file. `absent` lists rule columns that the file lacks, for the run report: those rules drop nothing.
 * `bound` are the columns that the test reads.
 */
export function bindDrops(
  rules: readonly DropRule[],
  fields: readonly FeatureField[],
): { test: DropTest; absent: string[]; bound: FeatureField[] } {
  const bound: { name: string; columns: { field: FeatureField; drops: ReturnType<typeof testOf> }[] }[] = [];
  const absent: string[] = [];
  for (const rule of rules) {
    const columns = findFields(fields, rule.fields).map((field) => ({ field, drops: testOf(rule, field) }));
    if (columns.length === 0) absent.push(`${rule.fields[0]} (${rule.name})`);
    else bound.push({ name: rule.name, columns });
  }
  const test: DropTest = (batch, row) => {
    for (const { name, columns } of bound) if (isDropped(batch, row, columns)) return name;
    return null;
  };
  return { test, absent, bound: bound.flatMap(({ columns }) => columns.map(({ field }) => field)) };
}

import { HOME_NUMBERS, type SaleTable } from '../property/home_table.ts';
import { featureNames } from './feature_set.ts';
import type { TrainOptions } from './model.ts';
import type { AvmParams } from './params.ts';

/** Returns JSON with object keys in code-unit order: equal values give equal texts. Numbers must be finite. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, own]) => `${JSON.stringify(key)}:${canonicalJson(own)}`).join(',')}}`;
}

/** Yields one text line per sale with everything that training sees of it. */
function* saleLines(sales: SaleTable, extra: readonly string[]): Generator<string> {
  for (let i = 0; i < sales.length; i++) {
    const texts = [sales.id[i], sales.property[i], sales.dwelling_type[i], sales.area[i], sales.street[i]];
    const numbers = [
      sales.day[i],
      sales.price[i],
      ...HOME_NUMBERS.map((name) => sales[name][i]),
      ...extra.map((name) => sales.extra[name]![i]),
    ];
    yield `${JSON.stringify(texts)} ${numbers.join(' ')}`;
  }
}

/** Sales per digest; keeps the digested texts short. */
const LINES = 10_000;

/** Digests everything that training sees of sales, LINES sales at a time. Order matters. */
export function saleDigests(
  sales: SaleTable,
  extra: readonly string[],
  digest: TrainOptions['digest'],
): string[] {
  const digests: string[] = [];
  let lines: string[] = [];
  const flush = (): void => {
    digests.push(digest(lines.join('\n')));
    lines = [];
  };
  for (const line of saleLines(sales, extra)) if (lines.push(line) === LINES) flush();
  flush();
  return digests;
}

/**
 * Returns the identity of a model: digest of kind, features, input (snapshot and sales), day, and all settings including seeds. Sales must be in canonical order.
 */
export function modelIdentity(
  sales: SaleTable,
  extra: readonly string[],
  { kind, as_of, snapshot, digest }: TrainOptions,
  params: AvmParams,
): string {
  const digests = saleDigests(sales, extra, digest);
  return digest(
    canonicalJson({ kind, as_of, snapshot, params, features: featureNames(extra), sales: digests }),
  );
}

import type { Limit } from './limits.ts';
import type { FoundRow } from './page.ts';
import type { FinderParams } from './params.ts';
import { grouped } from './written.ts';

/** Pros and cons of a property for a search. */
export interface Judgement {
  pros: string[];
  cons: string[];
}

/** Shares of a bound: above the first a value is close to it, below the second well inside. */
const CLOSE = 0.85;
const WELL_INSIDE = 0.5;

const wholeText = (value: number): string => grouped(Math.round(value));

function written(value: number, { unit, name }: Limit): string {
  if (unit === 'dollars') return `$${wholeText(value)}`;
  if (unit === 'percent') return `${value} %`;
  return unit === 'metres' ? `${wholeText(value)} m` : `${value} ${name}`;
}

const capital = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

function judgeDistance(limit: Limit, value: number, into: Judgement): void {
  const { name, upper, lower, away } = limit;
  const at = `${capital(name)} ${written(value, limit)} away`;
  if (away) {
    if (upper !== null && value < upper.at * (1 - CLOSE)) into.cons.push(at);
    else if (lower?.isRequested) into.pros.push(`${at}, at least ${written(lower.at, limit)} wanted`);
    else if (upper !== null && value > upper.at * WELL_INSIDE) into.pros.push(at);
    return;
  }
  if (upper === null) return;
  if (value <= upper.at * WELL_INSIDE) into.pros.push(at);
  else if (value > upper.at * CLOSE)
    into.cons.push(`${at}, close to the limit of ${written(upper.at, limit)}`);
}

function judgePrice(limit: Limit, value: number, into: Judgement): void {
  const { upper } = limit;
  if (upper === null || upper.at <= 0) return;
  const below = Math.round((1 - value / upper.at) * 100);
  if (value > upper.at * 0.97) into.cons.push(`Price ${written(value, limit)} is at the top of the range`);
  else if (below >= 10) into.pros.push(`Price ${written(value, limit)}, ${below} % below the maximum`);
}

function judgeLimit(limit: Limit, row: FoundRow, into: Judgement): void {
  const { column, name, unit, lower, reach_m } = limit;
  const value = row[column];
  if (value === null) {
    const farther =
      reach_m !== null && (column === 'public_housing_m' ? row.public_housing_covered : row.lon !== null);
    if (!farther) into.cons.push(`${capital(name)} not known`);
    else if (limit.away) into.pros.push(`No ${name} within ${wholeText(reach_m)} m`);
    return;
  }
  if (unit === 'metres') judgeDistance(limit, value, into);
  else if (unit === 'dollars') judgePrice(limit, value, into);
  else if (lower?.isRequested) {
    const difference = Math.round((value - lower.at) * 100) / 100;
    if (unit === 'count' && difference > 0)
      into.pros.push(`${capital(written(value, limit))}, ${difference} more than asked`);
    if (unit === 'percent' && difference > 0)
      into.pros.push(`${capital(name)} ${written(value, limit)}, at least ${written(lower.at, limit)} asked`);
  }
}

const FEATURE_TEXT = {
  level_access: 'Level access',
  good_view_outlook: 'Good view or outlook',
  presence_of_ensuite: 'Ensuite',
  big_kitchen: 'Big kitchen',
  presence_of_pool: 'Pool',
  entertaining_area: 'Entertaining area',
  natural_light: 'Natural light',
} as const;

/** Lists pros and cons of a property in the order of the criteria. Only requested and default criteria count. */
export function judgeHome(row: FoundRow, params: FinderParams, limits: readonly Limit[]): Judgement {
  const judgement: Judgement = { pros: [], cons: [] };
  for (const limit of limits) judgeLimit(limit, row, judgement);
  for (const feature of params.features) judgement.pros.push(FEATURE_TEXT[feature]);
  return judgement;
}

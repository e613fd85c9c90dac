import { seededRandom } from '../stats/random.ts';
import type { HomeTable } from './home_table.ts';
import { MASKED_ATTRIBUTES, type MaskedAttribute } from './params.ts';

/** Share of known values below which an attribute is not asked of a home. */
const NEEDED_SHARE = 0.05;
/** Attributes without which a home is valued by the masked model, where sales commonly have them. */
const ASKED: readonly MaskedAttribute[] = ['floor_area_sqm', 'year_built', 'bathrooms', 'bedrooms'];

/** Attributes of ASKED that enough of the homes have. */
export function neededAttributes(homes: HomeTable): MaskedAttribute[] {
  return ASKED.filter((name) => {
    let known = 0;
    for (const value of homes[name]) if (Number.isFinite(value)) known++;
    return known > NEEDED_SHARE * homes.length;
  });
}

/** Whether a home has all of the attributes. */
export function isComplete(homes: HomeTable, row: number, needed: readonly MaskedAttribute[]): boolean {
  return needed.every((name) => Number.isFinite(homes[name][row]!));
}

/** Homes with some attributes hidden at random, each with its own probability. */
export function maskedHomes<T extends HomeTable>(
  homes: T,
  mask: Readonly<Record<MaskedAttribute, number>>,
  seed: number,
): T {
  const random = seededRandom(seed, 3);
  const columns = Object.fromEntries(MASKED_ATTRIBUTES.map((name) => [name, homes[name].slice()])) as Record<
    MaskedAttribute,
    Float64Array
  >;
  for (let row = 0; row < homes.length; row++)
    for (const name of MASKED_ATTRIBUTES) if (random.next() < mask[name]) columns[name][row] = NaN;
  return { ...homes, ...columns };
}

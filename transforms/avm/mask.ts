import type { HomeTable } from '../property/home_table.ts';
import { seededRandom } from '../stats/random.ts';
import { type AvmParams, MASKED_ATTRIBUTES, type MaskedAttribute } from './params.ts';
import { hasOwnPoint } from './places.ts';

/** Share of known values below which an attribute is not asked of a home. */
const NEEDED_SHARE = 0.05;
/** Attributes without which a home is valued by the masked model, where sales commonly have them. */
const ASKED: readonly MaskedAttribute[] = ['floor_area_sqm', 'year_built', 'bathrooms', 'bedrooms'];

/** Attributes of which a home must have one to be told from the others of its suburb and type. */
const TELLING: readonly MaskedAttribute[] = ['bedrooms', 'floor_area_sqm', 'land_area_sqm'];

/** Whether enough of the homes have an attribute. */
export function isCommon(homes: HomeTable, name: MaskedAttribute): boolean {
  let known = 0;
  for (const value of homes[name]) if (Number.isFinite(value)) known++;
  return known > NEEDED_SHARE * homes.length;
}

/** Attributes of ASKED that enough of the homes have. */
export const neededAttributes = (homes: HomeTable): MaskedAttribute[] =>
  ASKED.filter((name) => isCommon(homes, name));

/** Whether sales commonly say more of a home than its type and place: only then is one of which nothing is known set apart. */
export const areDescribed = (homes: HomeTable): boolean => TELLING.some((name) => isCommon(homes, name));

/** Whether something is known of a home besides its type and place. */
const isDescribed = (homes: HomeTable, row: number): boolean =>
  TELLING.some((name) => Number.isFinite(homes[name][row]!));

/** What sales commonly have, so that a home without it is told apart: see AvmModel. */
export interface Needs {
  needs_place: boolean;
  needs_attributes: boolean;
}

/** Whether a placed home is valued by what it is; else by its street, suburb and type. */
export const isTold = (homes: HomeTable, row: number, { needs_place, needs_attributes }: Needs): boolean =>
  (isDescribed(homes, row) || !needs_attributes) && (hasOwnPoint(homes, row) || !needs_place);

/** Whether a home has all of the attributes. */
export function isComplete(homes: HomeTable, row: number, needed: readonly MaskedAttribute[]): boolean {
  return needed.every((name) => Number.isFinite(homes[name][row]!));
}

/** Attributes that a home listed nowhere lacks together; its bedrooms are often known without them. */
const OTHERS: readonly MaskedAttribute[] = MASKED_ATTRIBUTES.filter((name) => name !== 'bedrooms');

/** Homes as the bare model learns from: attributes hidden, mostly all of them together, and the rows whose own point is to be hidden. */
export function bareHomes<T extends HomeTable>(
  homes: T,
  { place, bedrooms, others }: AvmParams['bare'],
  mask: AvmParams['mask'],
  seed: number,
): { homes: T; hidden: (row: number) => boolean } {
  const masked = maskedHomes(homes, mask, seed);
  const random = seededRandom(seed, 4);
  const hidden = new Uint8Array(homes.length);
  for (let row = 0; row < homes.length; row++) {
    if (random.next() < place) hidden[row] = 1;
    if (random.next() < bedrooms) masked.bedrooms[row] = Number.NaN;
    if (random.next() < others) for (const name of OTHERS) masked[name][row] = Number.NaN;
  }
  return { homes: masked, hidden: (row) => hidden[row] === 1 };
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

import type { HomeTable } from '../property/home_table.ts';
import { seededRandom } from '../stats/random.ts';
import { hasOwnPoint } from './home_positions.ts';
import { type AvmParams, MASKED_ATTRIBUTES, type MaskedAttribute } from './params.ts';

/** An attribute is only required of properties if a larger share of sales states it. */
const NEEDED_SHARE = 0.05;
/** Attributes that the full model requires if sales commonly state them; without them the masked model values a property. */
const ASKED: readonly MaskedAttribute[] = ['floor_area_sqm', 'year_built', 'bathrooms', 'bedrooms'];

/** Attributes that distinguish a property from others of its suburb and type; one is enough. */
const TELLING: readonly MaskedAttribute[] = ['bedrooms', 'floor_area_sqm', 'land_area_sqm'];

/** Returns whether enough properties state an attribute. */
export function isCommon(homes: HomeTable, name: MaskedAttribute): boolean {
  let knownCount = 0;
  for (const value of homes[name]) if (Number.isFinite(value)) knownCount++;
  return knownCount > NEEDED_SHARE * homes.length;
}

/** Returns the attributes of ASKED that enough properties state. */
export const neededAttributes = (homes: HomeTable): MaskedAttribute[] =>
  ASKED.filter((name) => isCommon(homes, name));

/** Returns whether sales commonly state more than type and location. Only then is a property without attributes treated separately. */
export const areDescribed = (homes: HomeTable): boolean => TELLING.some((name) => isCommon(homes, name));

/** Returns whether more than type and location is known of a property. */
const isDescribed = (homes: HomeTable, row: number): boolean =>
  TELLING.some((name) => Number.isFinite(homes[name][row]!));

/** Facts that sales commonly state; properties without them are treated separately, see AvmModel. */
export interface Needs {
  needs_place: boolean;
  needs_attributes: boolean;
}

/** Returns whether a property with coordinates is valued by its attributes; else by its street, suburb and type. */
export const isValuedByAttributes = (
  homes: HomeTable,
  row: number,
  { needs_place, needs_attributes }: Needs,
): boolean => (isDescribed(homes, row) || !needs_attributes) && (hasOwnPoint(homes, row) || !needs_place);

/** Returns whether a property has all of the attributes. */
export function isComplete(homes: HomeTable, row: number, needed: readonly MaskedAttribute[]): boolean {
  return needed.every((name) => Number.isFinite(homes[name][row]!));
}

/** Attributes that are missing together if a property was never listed; bedrooms are often known without them. */
const OTHERS: readonly MaskedAttribute[] = MASKED_ATTRIBUTES.filter((name) => name !== 'bedrooms');

/** Returns properties as the bare model trains on them: attributes hidden, mostly all together. `hidden`: rows whose own point is hidden. */
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

/** Hides attributes at random, each with its own probability. */
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

import { PLACE_CATEGORIES, type PlaceCategory } from '../../../schema/records/place.ts';

/**
 * Overture categories of each of our categories; `*_restaurant` matches every name with that ending, for releases without a hierarchy.
 * Source: Overture's places taxonomy.
 */
export const OVERTURE_CATEGORIES: Readonly<Record<PlaceCategory, readonly string[]>> = {
  supermarket: ['supermarket', 'grocery_store', '*_grocery_store'],
  green_space: [
    'park',
    'dog_park',
    'national_park',
    'state_park',
    'botanical_garden',
    'playground',
    'nature_reserve',
    'recreation_ground',
  ],
  restaurant: [
    'restaurant',
    '*_restaurant',
    'cafe',
    'coffee_shop',
    'bistro',
    'brasserie',
    'diner',
    'steakhouse',
    'food_court',
  ],
  beach: ['beach'],
  railway_station: ['train_station', 'railway_station'],
};

/** Names that are excluded although their group matches. */
const NOT: ReadonlySet<string> = new Set(['fast_food_restaurant']);

/** Returns true for a group of categories: a noodle bar is a restaurant, but a water slide is not a park. */
const isGroup = (name: string): boolean => /(^|_)(restaurant|grocery_store|supermarket)$/.test(name);
const DEFAULTS: ReadonlySet<string> = new Set(Object.values(OVERTURE_CATEGORIES).flat());

/** Category columns of an Overture place: older releases have `categories`, later ones `basic_category` and `taxonomy`, some both. */
export interface OvertureKinds {
  readonly categories?: { readonly primary?: unknown } | null;
  readonly basic_category?: unknown;
  readonly taxonomy?: { readonly primary?: unknown; readonly hierarchy?: unknown } | null;
}

/**
 * Maps Overture's categories of a place to ours: the most specific known name decides. A name above it decides if it is a group, or if
 * the options state it. Alternates are ignored.
 */
export class OvertureRules {
  readonly #exact = new Map<string, PlaceCategory>();
  readonly #ends: (readonly [end: string, category: PlaceCategory])[] = [];

  constructor(rules: Readonly<Record<PlaceCategory, readonly string[]>>) {
    for (const category of PLACE_CATEGORIES) {
      for (const name of rules[category]) {
        if (name.startsWith('*')) this.#ends.push([name.slice(1), category]);
        else this.#exact.set(name, category);
      }
    }
  }

  categoryOf({ categories, basic_category, taxonomy }: OvertureKinds): PlaceCategory | null {
    const hierarchy = Array.isArray(taxonomy?.hierarchy) ? [...taxonomy.hierarchy].reverse() : [];
    const isText = (name: unknown): name is string => typeof name === 'string';
    const primary = [taxonomy?.primary, categories?.primary].filter(isText);
    const ownCategories = primary.length > 0 ? primary : [hierarchy.shift(), basic_category].filter(isText);
    const above = [...hierarchy, basic_category].filter(isText);
    const deciding = above.filter((name) => isGroup(name) || (this.#exact.has(name) && !DEFAULTS.has(name)));
    for (const name of [...ownCategories, ...deciding]) {
      const exact = this.#exact.get(name);
      if (exact !== undefined) return exact;
      if (NOT.has(name)) return null;
      const end = this.#ends.find(([each]) => name.endsWith(each));
      if (end !== undefined) return end[1];
    }
    return null;
  }
}

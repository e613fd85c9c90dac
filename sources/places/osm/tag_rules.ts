import { append } from '../../../schema/group_by.ts';
import { PLACE_CATEGORIES, type PlaceCategory } from '../../../schema/records/place.ts';

/** Tags of an object. */
export type Tags = Readonly<Record<string, string>>;

/** Tags that make an object a place of a category. Source: the tagging of the OpenStreetMap wiki. */
export const TAG_RULES: Readonly<Record<PlaceCategory, readonly string[]>> = {
  supermarket: ['shop=supermarket'],
  green_space: [
    'leisure=park',
    'leisure=garden',
    'leisure=nature_reserve',
    'leisure=playground',
    'leisure=recreation_ground',
    'landuse=recreation_ground',
    'landuse=village_green',
    'boundary=national_park',
  ],
  restaurant: ['amenity=restaurant', 'amenity=cafe', 'amenity=food_court'],
  beach: ['natural=beach'],
  railway_station: ['railway=station', 'railway=halt'],
};

/** Tags that exclude an object although it is such a place, by the name of its drop. Keys such as `disused:shop` match no rule. */
const EXCLUSIONS: readonly { readonly drop: string; readonly tags: readonly string[] }[] = [
  {
    drop: 'private',
    tags: ['access=private', 'access=no', 'garden:type=residential', 'garden:type=private'],
  },
  { drop: 'disused', tags: ['disused=yes', 'abandoned=yes', 'demolished=yes', 'razed=yes'] },
];

/** Classifies objects by their tags. */
export class TagRules {
  /** Keys that every place has at least one of. */
  readonly keys: ReadonlySet<string>;
  readonly #byKey = new Map<string, Map<string, PlaceCategory[]>>();

  constructor(rules: Readonly<Record<PlaceCategory, readonly string[]>> = TAG_RULES) {
    for (const category of PLACE_CATEGORIES) {
      for (const rule of rules[category]) {
        const [key, value] = rule.split('=') as [string, string];
        const values = this.#byKey.get(key) ?? new Map<string, PlaceCategory[]>();
        this.#byKey.set(key, values);
        append(values, value, category);
      }
    }
    this.keys = new Set(this.#byKey.keys());
  }

  /** Returns the categories of an object in the order of PLACE_CATEGORIES; a value may be a list with semicolons. Empty: not a place. */
  categoriesOf(tags: Tags): PlaceCategory[] {
    const categories = new Set<PlaceCategory>();
    for (const [key, values] of this.#byKey) {
      const value = tags[key];
      if (value === undefined) continue;
      for (const each of value.split(';'))
        for (const category of values.get(each.trim()) ?? []) categories.add(category);
    }
    return PLACE_CATEGORIES.filter((category) => categories.has(category));
  }
}

/** Returns the drop of a place that is closed to the public or no longer exists; null: it counts. */
export function exclusionOf(tags: Tags): string | null {
  for (const { drop, tags: rules } of EXCLUSIONS) {
    for (const rule of rules) {
      const at = rule.indexOf('=');
      if (tags[rule.slice(0, at)] === rule.slice(at + 1)) return drop;
    }
  }
  return null;
}

/** Returns the name to show: `name`, else the English name, the brand or the operator. */
export const nameOf = (tags: Tags): string | null =>
  tags.name ?? tags['name:en'] ?? tags.brand ?? tags.operator ?? null;

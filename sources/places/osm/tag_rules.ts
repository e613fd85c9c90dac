import { PLACE_CATEGORIES, type PlaceCategory } from '../../../schema/records/place.ts';

/** Tags of an object. */
export type Tags = Readonly<Record<string, string>>;

/** Tags that make an object a place of a category; source: the tagging of the OpenStreetMap wiki. */
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

/** Tags by which an object that is such a place is left out, by the name of its drop. Keys such as `disused:shop` match no rule. */
const EXCLUSIONS: readonly { readonly drop: string; readonly tags: readonly string[] }[] = [
  {
    drop: 'private',
    tags: ['access=private', 'access=no', 'garden:type=residential', 'garden:type=private'],
  },
  { drop: 'disused', tags: ['disused=yes', 'abandoned=yes', 'demolished=yes', 'razed=yes'] },
];

/** Tells what objects are by their tags. */
export class TagRules {
  /** Keys of which an object that is a place has at least one. */
  readonly keys: ReadonlySet<string>;
  readonly #byKey = new Map<string, Map<string, PlaceCategory[]>>();

  constructor(rules: Readonly<Record<PlaceCategory, readonly string[]>> = TAG_RULES) {
    for (const category of PLACE_CATEGORIES) {
      for (const rule of rules[category]) {
        const [key, value] = rule.split('=') as [string, string];
        const values = this.#byKey.get(key) ?? new Map<string, PlaceCategory[]>();
        this.#byKey.set(key, values);
        values.set(value, [...(values.get(value) ?? []), category]);
      }
    }
    this.keys = new Set(this.#byKey.keys());
  }

  /** Categories of an object in the order of PLACE_CATEGORIES; a value may be a list with semicolons. Empty: it is no place. */
  categoriesOf(tags: Tags): PlaceCategory[] {
    const found = new Set<PlaceCategory>();
    for (const [key, values] of this.#byKey) {
      const value = tags[key];
      if (value === undefined) continue;
      for (const each of value.split(';'))
        for (const category of values.get(each.trim()) ?? []) found.add(category);
    }
    return PLACE_CATEGORIES.filter((category) => found.has(category));
  }
}

/** Name of the drop of a place that is not open to the public or no more; null: it counts. */
export function exclusionOf(tags: Tags): string | null {
  for (const { drop, tags: rules } of EXCLUSIONS) {
    for (const rule of rules) {
      const at = rule.indexOf('=');
      if (tags[rule.slice(0, at)] === rule.slice(at + 1)) return drop;
    }
  }
  return null;
}

/** Name to show: `name`, else the brand or operator. */
export const nameOf = (tags: Tags): string | null =>
  tags.name ?? tags['name:en'] ?? tags.brand ?? tags.operator ?? null;

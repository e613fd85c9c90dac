import type { PlaceCategory } from '../../../schema/records/place.ts';
import { addressArea } from '../../fields/named_area.ts';
import { tidyText, tooLong } from '../../fields/tidy_text.ts';
import type { Shape } from '../../formats/feature.ts';
import { extentOf } from '../../formats/vector/feature_shape.ts';
import { PieceBudget } from '../../formats/vector/piece_budget.ts';
import type { RowTally } from '../../tally.ts';
import type { Place } from '../place_rows.ts';
import type { OsmObject } from './osm_object.ts';
import { exclusionOf, nameOf, type TagRules, type Tags } from './tag_rules.ts';

/** Drop of an object that belongs to no category. */
export const NOT_A_PLACE = 'not_a_place';

/** Turns objects into places, and counts the outcome of each. Memory: the ids of the places. */
export class OsmPlaces {
  readonly #rules: TagRules;
  readonly #tally: RowTally;
  readonly #unnamed: string;
  readonly #budget = new PieceBudget();
  readonly #seenIds = new Set<string>();
  /** Category and way of the relations that became places; for a hole also the kind of the relation. */
  readonly #parts = new Set<string>();

  /** `unnamed` precedes the numbers of objects without an identifier. */
  constructor(rules: TagRules, tally: RowTally, unnamed: string) {
    this.#rules = rules;
    this.#tally = tally;
    this.#unnamed = unnamed;
  }

  /** Returns the places of an object, one for each of its categories; none: it was dropped or rejected. */
  take(object: OsmObject): Place[] {
    const { no, id, tags } = object;
    const all = this.#rules.categoriesOf(tags);
    if (all.length === 0) return this.#drop(NOT_A_PLACE);
    const excluded = exclusionOf(tags);
    if (excluded !== null) return this.#drop(excluded);
    const kind = this.#kindOf(tags);
    const categories = all.filter(
      (category) => !this.#parts.has(`${category} ${id}`) && !this.#parts.has(`${category} ${id} ${kind}`),
    );
    if (categories.length === 0) return this.#drop('part_of_relation');
    const place_id = `osm:${id ?? `${this.#unnamed}${no}`}`;
    if (this.#seenIds.has(place_id))
      return this.#reject(object, 'duplicate_key', `${place_id} is repeated; the first one is kept`);
    const name = tidyText(nameOf(tags));
    const long = tooLong({ name });
    if (long !== null) return this.#reject(object, long.code, long.message);
    return this.#withShape(object, { source_no: no, place_id, name }, categories);
  }

  #withShape(
    object: OsmObject,
    identity: Pick<Place, 'source_no' | 'place_id' | 'name'>,
    categories: readonly PlaceCategory[],
  ): Place[] {
    const shape = this.#budget.bounded(object.shape(), categories.length);
    if (shape.kind === 'none') {
      if (object.parts !== undefined) return this.#drop('not_an_area');
      return this.#reject(object, 'no_geometry', 'the geometry is null');
    }
    if (shape.kind === 'reject') return this.#reject(object, shape.reject.code, shape.reject.message);
    const at = placeOf(shape);
    if (at === null)
      return this.#reject(
        object,
        'wrong_geometry',
        `the shape is a ${shape.kind}, one point or an area is needed`,
      );
    this.#seenIds.add(identity.place_id);
    for (const category of categories) {
      for (const part of object.parts ?? []) this.#parts.add(`${category} ${part}`);
      for (const hole of object.holes ?? [])
        this.#parts.add(`${category} ${hole} ${this.#kindOf(object.tags)}`);
    }
    this.#tally.records++;
    const is_only = categories.length === 1;
    return categories.map((category) => ({ ...identity, category, at, is_only }));
  }

  /** Returns the tags that make an object a place, with its name: equal for a relation and a hole that repeats its tags. */
  #kindOf(tags: Tags): string {
    return JSON.stringify([...this.#rules.keys].map((key) => tags[key] ?? '').concat(nameOf(tags) ?? ''));
  }

  #drop(name: string): Place[] {
    this.#tally.drop(name);
    return [];
  }

  #reject(object: OsmObject, code: string, message: string): Place[] {
    const {
      'addr:state': state = '',
      'addr:postcode': postcode = '',
      'addr:suburb': suburb = '',
    } = object.tags;
    const area = addressArea({ state, postcode, suburb });
    this.#tally.reject(object.no, code, message, { extent: extentOf(object.shape()), area });
    return [];
  }
}

function placeOf(shape: Exclude<Shape, { kind: 'none' | 'reject' }>): Place['at'] | null {
  if (shape.kind === 'polygon') return shape.geometry;
  if (shape.kind === 'line' || shape.geometry.coords.length !== 2) return null;
  return [shape.geometry.coords[0]!, shape.geometry.coords[1]!];
}

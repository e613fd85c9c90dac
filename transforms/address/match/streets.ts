import { nameWords, streetKey } from '../parse/keys.ts';
import { suffixCode } from '../parse/place_words.ts';
import { typeKey } from '../parse/street_types.ts';
import { GrowingInts, groupBy, lowerBound } from './growing.ts';
import { Interner } from './interner.ts';
import { editDistance, editsAllowed, letterMask, mayBeNear } from './typo.ts';

/** A street name within reach of a misspelt one. */
export interface SimilarName {
  name: number;
  edits: number;
}

/** Number of the missing type and suffix. */
export const NOTHING = 0;

/**
 * The streets of each locality, under their own names and others. A street is a number from 0; an entry is a name of a street.
 * Names, types and suffixes are numbers of `names`, `types`, `suffixes`, where 0 of the last two means none.
 */
export class Streets {
  readonly names = new Interner();
  readonly types = new Interner();
  readonly suffixes = new Interner();
  /** Long forms as they are written in labels, by street. */
  readonly labels = new Interner();
  readonly #locality = new GrowingInts();
  readonly #label = new GrowingInts();
  readonly #entryStreet = new GrowingInts();
  readonly #entryName = new GrowingInts();
  readonly #entryType = new GrowingInts();
  readonly #entrySuffix = new GrowingInts();
  readonly #entryIsAlias = new GrowingInts();
  /** Least and greatest number of a street, where it has any. */
  #least: Int32Array = new Int32Array(0);
  #greatest: Int32Array = new Int32Array(0);
  #starts: Int32Array = new Int32Array(0);
  #order: Int32Array = new Int32Array(0);
  /** Names of the entries in #order, ascending within a locality. */
  #orderedNames: Int32Array = new Int32Array(0);
  #byName: { starts: Int32Array; order: Int32Array } = {
    starts: new Int32Array(1),
    order: new Int32Array(0),
  };
  #masks: Int32Array = new Int32Array(0);

  constructor() {
    this.types.intern('');
    this.suffixes.intern('');
  }

  get size(): number {
    return this.#locality.size;
  }

  /** Adds a street of a locality; the number of the street. */
  add(locality: number, name: string, type: string | null, suffix: string | null): number {
    const street = this.#locality.size;
    this.#locality.push(locality);
    this.#label.push(this.labels.intern([name, type, suffix].filter(Boolean).join(' ')));
    this.#entry(street, name, type, suffix, 0);
    return street;
  }

  /** Adds another name of a street. */
  addAlias(street: number, name: string, type: string | null, suffix: string | null): void {
    this.#entry(street, name, type, suffix, 1);
  }

  #entry(street: number, name: string, type: string | null, suffix: string | null, alias: number): void {
    this.#entryStreet.push(street);
    this.#entryName.push(this.names.intern(streetKey(nameWords(name))));
    this.#entryType.push(this.types.intern(type === null ? '' : typeKey(type)));
    const code = suffix === null ? '' : (suffixCode(suffix.toUpperCase()) ?? suffix.toUpperCase());
    this.#entrySuffix.push(this.suffixes.intern(code));
    this.#entryIsAlias.push(alias);
  }

  /** Sorts the entries by locality and name. */
  finish(localities: number): void {
    const count = this.#entryStreet.size;
    const localityOf = new Int32Array(count);
    for (let e = 0; e < count; e++) localityOf[e] = this.#locality.at(this.#entryStreet.at(e));
    const { starts, order } = groupBy(localityOf, localities);
    for (let l = 0; l < localities; l++)
      order
        .subarray(starts[l]!, starts[l + 1]!)
        .sort((a, b) => this.#entryName.at(a) - this.#entryName.at(b) || a - b);
    this.#starts = starts;
    this.#order = order;
    this.#orderedNames = Int32Array.from(order, (e) => this.#entryName.at(e));
    this.#byName = groupBy(this.#entryName.finish(), this.names.size);
    this.#masks = new Int32Array(this.names.size);
    for (let n = 0; n < this.names.size; n++) this.#masks[n] = letterMask(this.names.text(n));
    this.#least = new Int32Array(this.size).fill(2 ** 31 - 1);
    this.#greatest = new Int32Array(this.size).fill(-1);
  }

  /** Notes a number of a street, after finish. */
  addNumber(street: number, value: number): void {
    if (Number.isNaN(value)) return;
    if (value < this.#least[street]!) this.#least[street] = value;
    if (value > this.#greatest[street]!) this.#greatest[street] = value;
  }

  /** True where a number lies between the least and the greatest of a street. */
  spans(street: number, value: number): boolean {
    return value >= this.#least[street]! && value <= this.#greatest[street]!;
  }

  localityOf = (street: number): number => this.#locality.at(street);
  label = (street: number): string => this.labels.text(this.#label.at(street));
  streetOf = (entry: number): number => this.#entryStreet.at(entry);
  typeOf = (entry: number): number => this.#entryType.at(entry);
  suffixOf = (entry: number): number => this.#entrySuffix.at(entry);
  isAlias = (entry: number): boolean => this.#entryIsAlias.at(entry) === 1;

  /** Entries of a name in a locality. */
  entries(locality: number, name: number): number[] {
    const end = this.#starts[locality + 1]!;
    const found: number[] = [];
    let at = lowerBound(this.#orderedNames, name, this.#starts[locality]!, end);
    for (; at < end && this.#orderedNames[at] === name; at++) found.push(this.#order[at]!);
    return found;
  }

  /** Entries of a name in any locality, no more than `limit`. */
  entriesAnywhere(name: number, limit: number): Int32Array {
    const from = this.#byName.starts[name]!;
    return this.#byName.order.subarray(from, Math.min(this.#byName.starts[name + 1]!, from + limit));
  }

  /** Names of a locality that are a slip away from a key, those with the fewest edits. */
  similar(locality: number, key: string): SimilarName[] {
    let limit = editsAllowed(key.length + 1);
    const mask = letterMask(key);
    let found: SimilarName[] = [];
    let last = -1;
    for (let at = this.#starts[locality]!; at < this.#starts[locality + 1]! && limit > 0; at++) {
      const name = this.#orderedNames[at]!;
      if (name === last || !mayBeNear(mask, this.#masks[name]!, limit)) continue;
      last = name;
      const known = this.names.text(name);
      const edits = editDistance(
        key,
        known,
        Math.min(limit, editsAllowed(Math.max(key.length, known.length))),
      );
      if (edits === 0 || edits > limit || edits > editsAllowed(Math.max(key.length, known.length))) continue;
      if (edits < limit) found = [];
      limit = edits;
      found.push({ name, edits });
    }
    return found;
  }
}

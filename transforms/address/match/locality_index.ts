import { nameWords, placeKey, swappedPlaceKey } from '../parse/keys.ts';
import { lowerBound } from './growing_ints.ts';
import type { LocalityFacts } from './localities_builder.ts';
import { type IndexSections, textOfUnits, typedSections } from './sections.ts';
import { SQUARES, squareOf } from './squares.ts';
import { editDistance, editsAllowed, letterMask, mayBeNear } from './typo.ts';

interface IndexedLocality {
  readonly pid: string;
  readonly name: string;
  readonly state: string;
  readonly postcodes: ReadonlySet<string>;
  /** Localities that share a border in the register, or have addresses in the same or adjacent squares; ascending. */
  readonly near: readonly number[];
}

/** A name similar to the one searched. */
export interface SimilarPlace {
  key: string;
  edits: number;
}

const push = (map: Map<string, number[]>, key: string, id: number): void => {
  const existing = map.get(key);
  if (existing === undefined) map.set(key, [id]);
  else if (!existing.includes(id)) existing.push(id);
};

/** Localities with their names, aliases, postcodes and neighbours. Ids count from 0 in pid order. */
export class LocalityIndex {
  readonly all: readonly IndexedLocality[];
  readonly #byKey = new Map<string, number[]>();
  readonly #aliases = new Map<string, number[]>();
  readonly #byPostcode = new Map<string, number[]>();
  /** Squares, ascending, once per locality in them, and these localities in parallel. */
  readonly #squares: Float64Array;
  readonly #squareLocalities: Int32Array;
  readonly #keys: readonly string[];
  readonly #masks: Int32Array;

  constructor(sections: IndexSections, part: string) {
    const { facts, square, square_locality } = typedSections(sections, part, [
      'facts',
      'square',
      'square_locality',
    ]);
    this.#squares = square as Float64Array;
    this.#squareLocalities = square_locality as Int32Array;
    const all = JSON.parse(textOfUnits(facts as Uint16Array)) as LocalityFacts[];
    this.all = all.map(({ aliases: _, ...each }) => ({ ...each, postcodes: new Set(each.postcodes) }));
    all.forEach(({ name, aliases, postcodes }, id) => {
      push(this.#byKey, placeKey(nameWords(name)), id);
      for (const alias of aliases) push(this.#aliases, placeKey(nameWords(alias)), id);
      for (const postcode of postcodes) push(this.#byPostcode, postcode, id);
    });
    this.#addSwapped();
    this.#keys = [...new Set([...this.#byKey.keys(), ...this.#aliases.keys()])].sort();
    this.#masks = Int32Array.from(this.#keys, letterMask);
  }

  /** Adds each name with its compass word at the other end. */
  #addSwapped(): void {
    this.all.forEach(({ name, state }, id) => {
      const swapped = swappedPlaceKey(nameWords(name));
      if (swapped === null) return;
      const isTaken = this.#byKey.get(swapped)?.some((other) => this.all[other]!.state === state);
      if (!isTaken) push(this.#byKey, swapped, id);
    });
  }

  #inState(ids: readonly number[] | undefined, state: string | null): readonly number[] {
    if (ids === undefined) return NONE;
    return state === null ? ids : ids.filter((id) => this.all[id]!.state === state);
  }

  /** Returns the localities with a name key in a state. State null: any. */
  named(key: string, state: string | null): readonly number[] {
    return this.#inState(this.#byKey.get(key), state);
  }

  /** Returns the localities with the name key as an alias. */
  aliased(key: string, state: string | null): readonly number[] {
    return this.#inState(this.#aliases.get(key), state);
  }

  /** Returns the localities that have addresses with a postcode. */
  withPostcode(postcode: string, state: string | null): readonly number[] {
    return this.#inState(this.#byPostcode.get(postcode), state);
  }

  /** Returns whether a key names a locality, as name or alias. */
  knows(key: string, state: string | null): boolean {
    return this.named(key, state).length > 0 || this.aliased(key, state).length > 0;
  }

  #ofSquare(square: number): Int32Array {
    const from = lowerBound(this.#squares, square, 0, this.#squares.length);
    let to = from;
    while (to < this.#squares.length && this.#squares[to] === square) to++;
    return this.#squareLocalities.subarray(from, to);
  }

  /** Returns the localities with addresses within about 250 m of a point. */
  around(lon: number, lat: number): number[] {
    const nearIds = new Set<number>();
    const square = squareOf(lon, lat);
    for (const row of [-SQUARES, 0, SQUARES])
      for (const column of [-1, 0, 1])
        for (const id of this.#ofSquare(square + row + column)) nearIds.add(id);
    return [...nearIds].sort((a, b) => a - b);
  }

  /** Returns names of a state that may be a typo of the key, only those with the fewest edits. */
  similar(key: string, state: string | null): SimilarPlace[] {
    let limit = Math.min(editsAllowed(key.length), key.length < 8 ? 1 : 2);
    const mask = letterMask(key);
    let similarPlaces: SimilarPlace[] = [];
    for (let i = 0; i < this.#keys.length && limit > 0; i++) {
      if (!mayBeNear(mask, this.#masks[i]!, limit) || Math.abs(this.#keys[i]!.length - key.length) > limit)
        continue;
      const edits = editDistance(key, this.#keys[i]!, limit);
      if (edits > limit || !this.knows(this.#keys[i]!, state)) continue;
      if (edits < limit) similarPlaces = [];
      limit = edits;
      similarPlaces.push({ key: this.#keys[i]!, edits });
    }
    return similarPlaces;
  }
}

const NONE: readonly number[] = [];

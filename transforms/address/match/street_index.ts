import { lowerBound } from './growing_ints.ts';
import { type IndexSections, type Ints, typedSections } from './sections.ts';
import { Texts } from './texts.ts';
import { editDistance, editsAllowed, letterMask, mayBeNear } from './typo.ts';

/** A street name similar to a misspelt one. */
export interface SimilarName {
  name: number;
  edits: number;
}

/** Id of the missing type and suffix: the empty text sorts first. */
export const NOTHING = 0;

const NAMES = [
  'locality',
  'label',
  'least',
  'greatest',
  'starts',
  'entry_street',
  'entry_name',
  'entry_type',
  'entry_suffix',
  'entry_is_alias',
  'name_starts',
  'name_entries',
  'name_mask',
] as const;

/**
 * Streets of each locality with their names and aliases. Streets are numbered from 0; an entry is one name of a street. Names,
 * types and suffixes are ids in `names`, `types` and `suffixes`; in the last two 0 means none.
 */
export class StreetIndex {
  readonly names: Texts;
  readonly types: Texts;
  readonly suffixes: Texts;
  /** Long names as written in labels. */
  readonly #labels: Texts;
  /** By street, by entry (ascending by locality and name), and by name. */
  readonly #of: Record<(typeof NAMES)[number], Ints>;

  constructor(all: IndexSections, part: string) {
    this.names = new Texts(all, `${part}.names`);
    this.types = new Texts(all, `${part}.types`);
    this.suffixes = new Texts(all, `${part}.suffixes`);
    this.#labels = new Texts(all, `${part}.labels`);
    this.#of = typedSections(all, part, NAMES) as Record<(typeof NAMES)[number], Ints>;
  }

  get size(): number {
    return this.#of.locality.length;
  }

  /** Returns whether a number is between the lowest and highest of a street. */
  spans(street: number, value: number): boolean {
    return value >= this.#of.least[street]! && value <= this.#of.greatest[street]!;
  }

  localityOf = (street: number): number => this.#of.locality[street]!;
  label = (street: number): string => this.#labels.text(this.#of.label[street]!);
  streetOf = (entry: number): number => this.#of.entry_street[entry]!;
  typeOf = (entry: number): number => this.#of.entry_type[entry]!;
  suffixOf = (entry: number): number => this.#of.entry_suffix[entry]!;
  isAlias = (entry: number): boolean => this.#of.entry_is_alias[entry] === 1;

  entries(locality: number, name: number): number[] {
    const { starts, entry_name } = this.#of;
    const end = starts[locality + 1]!;
    const ids: number[] = [];
    let at = lowerBound(entry_name, name, starts[locality]!, end);
    for (; at < end && entry_name[at] === name; at++) ids.push(at);
    return ids;
  }

  /** Returns the entries of a name in any locality, at most `limit`. */
  entriesAnywhere(name: number, limit: number): Ints {
    const { name_starts, name_entries } = this.#of;
    const from = name_starts[name]!;
    return name_entries.subarray(from, Math.min(name_starts[name + 1]!, from + limit));
  }

  /** Returns names of a locality that may be a typo of the key, only those with the fewest edits. */
  similar(locality: number, key: string): SimilarName[] {
    const { starts, entry_name, name_mask } = this.#of;
    let limit = editsAllowed(key.length + 1);
    const mask = letterMask(key);
    let similarNames: SimilarName[] = [];
    let last = -1;
    for (let at = starts[locality]!; at < starts[locality + 1]! && limit > 0; at++) {
      const name = entry_name[at]!;
      if (name === last || !mayBeNear(mask, name_mask[name]!, limit)) continue;
      last = name;
      const knownName = this.names.text(name);
      const edits = editDistance(
        key,
        knownName,
        Math.min(limit, editsAllowed(Math.max(key.length, knownName.length))),
      );
      if (edits === 0 || edits > limit || edits > editsAllowed(Math.max(key.length, knownName.length)))
        continue;
      if (edits < limit) similarNames = [];
      limit = edits;
      similarNames.push({ name, edits });
    }
    return similarNames;
  }
}

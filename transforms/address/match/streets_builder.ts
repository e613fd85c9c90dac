import { nameWords, streetKey } from '../parse/keys.ts';
import { suffixCode } from '../parse/place_words.ts';
import { typeKey } from '../parse/street_types.ts';
import { GrowingInts, groupIndexes, orderBy, pickOrdered } from './growing_ints.ts';
import { Interner } from './interner.ts';
import { type IndexSections, narrow, prefixed } from './sections.ts';
import { letterMask } from './typo.ts';

/** Street and number value of each address, by row; NaN: no number. */
interface Span {
  readonly street: Int32Array;
  readonly value: (position: number) => number;
}

/** Collects streets. A street is numbered as it arrives, until `finish` sorts them by locality and pid. */
export class StreetsBuilder {
  readonly #names = new Interner();
  readonly #types = new Interner();
  readonly #suffixes = new Interner();
  readonly #labels = new Interner();
  readonly #pids: string[] = [];
  readonly #locality = new GrowingInts();
  readonly #label = new GrowingInts();
  readonly #entryStreet = new GrowingInts();
  readonly #entryName = new GrowingInts();
  readonly #entryType = new GrowingInts();
  readonly #entrySuffix = new GrowingInts();
  readonly #entryIsAlias = new GrowingInts();

  constructor() {
    this.#types.intern('');
    this.#suffixes.intern('');
  }

  get size(): number {
    return this.#locality.size;
  }

  localityOf = (street: number): number => this.#locality.at(street);

  /** Adds a street of a locality and returns its number; `pid` identifies it within the locality. */
  add(locality: number, pid: string, name: string, type: string | null, suffix: string | null): number {
    const street = this.#locality.size;
    this.#pids.push(pid);
    this.#locality.push(locality);
    this.#label.push(this.#labels.intern([name, type, suffix].filter(Boolean).join(' ')));
    this.#entry(street, name, type, suffix, 0);
    return street;
  }

  addAlias(street: number, name: string, type: string | null, suffix: string | null): void {
    this.#entry(street, name, type, suffix, 1);
  }

  #entry(street: number, name: string, type: string | null, suffix: string | null, alias: number): void {
    this.#entryStreet.push(street);
    this.#entryName.push(this.#names.intern(streetKey(nameWords(name))));
    this.#entryType.push(this.#types.intern(type === null ? '' : typeKey(type)));
    const code = suffix === null ? '' : (suffixCode(suffix.toUpperCase()) ?? suffix.toUpperCase());
    this.#entrySuffix.push(this.#suffixes.intern(code));
    this.#entryIsAlias.push(alias);
  }

  /** Returns the position of each street in order of locality and pid. */
  ranks(): Int32Array {
    const pids = this.#pids;
    const byPid = Int32Array.from(pids.keys()).sort((a, b) => (pids[a]! < pids[b]! ? -1 : 1));
    const order = pickOrdered(byPid, orderBy(this.size, [pickOrdered(this.#locality.finish(), byPid)]));
    const ranks = new Int32Array(this.size);
    order.forEach((street, rank) => {
      ranks[street] = rank;
    });
    return ranks;
  }

  /** Returns the sections of `localities` localities, with streets renumbered by `ranks`. */
  finish(localities: number, ranks: Int32Array, spans: readonly Span[]): IndexSections {
    const [names, types] = [this.#names.finish(), this.#types.finish()];
    const [suffixes, labels] = [this.#suffixes.finish(), this.#labels.finish()];
    const reorder = (values: Int32Array): Int32Array => {
      const reordered = new Int32Array(values.length);
      values.forEach((value, street) => {
        reordered[ranks[street]!] = value;
      });
      return reordered;
    };
    const locality = reorder(this.#locality.finish());
    const label = reorder(this.#label.finish().map((id) => labels.ranks[id]!));
    const street = this.#entryStreet.finish().map((each) => ranks[each]!);
    const name = this.#entryName.finish().map((id) => names.ranks[id]!);
    const type = this.#entryType.finish().map((id) => types.ranks[id]!);
    const suffix = this.#entrySuffix.finish().map((id) => suffixes.ranks[id]!);
    const alias = this.#entryIsAlias.finish();
    const at = pickOrdered(locality, street);
    const order = orderBy(street.length, [at, name, street, alias, type, suffix]);
    const sorted = (values: Int32Array): Int32Array => pickOrdered(values, order);
    const byName = groupIndexes(sorted(name), names.texts.length);
    return {
      ...prefixed('names', names.sections),
      ...prefixed('types', types.sections),
      ...prefixed('suffixes', suffixes.sections),
      ...prefixed('labels', labels.sections),
      ...leastAndGreatest(this.size, spans),
      locality: narrow(locality),
      label: narrow(label),
      starts: groupIndexes(sorted(at), localities).starts,
      entry_street: sorted(street),
      entry_name: narrow(sorted(name)),
      entry_type: narrow(sorted(type)),
      entry_suffix: narrow(sorted(suffix)),
      entry_is_alias: narrow(sorted(alias)),
      name_starts: byName.starts,
      name_entries: byName.order,
      name_mask: Int32Array.from(names.texts, letterMask),
    };
  }
}

/** Returns the lowest and highest number of each street; 2^31 - 1 and -1 if it has none. */
function leastAndGreatest(streets: number, spans: readonly Span[]): IndexSections {
  const least = new Int32Array(streets).fill(2 ** 31 - 1);
  const greatest = new Int32Array(streets).fill(-1);
  for (const { street, value } of spans)
    for (let i = 0; i < street.length; i++) {
      const number = value(i);
      if (Number.isNaN(number)) continue;
      if (number < least[street[i]!]!) least[street[i]!] = number;
      if (number > greatest[street[i]!]!) greatest[street[i]!] = number;
    }
  return { least: narrow(least), greatest: narrow(greatest) };
}

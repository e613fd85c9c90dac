import { numberValue } from '../parse/keys.ts';
import { Addresses, NONE } from './addresses.ts';
import { GrowingInts } from './growing.ts';
import { Localities } from './localities.ts';
import { LotPlans } from './lot_plans.ts';
import { type AddressRow, eachRow, type IndexSource, type LocalityRow } from './rows.ts';
import { Streets } from './streets.ts';

/** Rows that could not be placed in the index, by what they lack. */
export interface IndexGaps {
  /** Addresses, streets and links whose locality is not in the index. */
  unknown_locality: number;
  /** Addresses and street aliases whose street is not in the index. */
  unknown_street: number;
  /** Alias and parent links with an address that is not in the index. */
  unknown_address: number;
}

/** The addresses of a register, ready to be matched. About 100 bytes an address; holds no object per address. */
export interface AddressIndex {
  readonly localities: Localities;
  readonly streets: Streets;
  readonly addresses: Addresses;
  readonly lotPlans: LotPlans;
  readonly gaps: Readonly<IndexGaps>;
}

/** Street numbers of a pid within a locality: an address may lie in another locality than its street. */
class StreetLookup {
  readonly #streets: Streets;
  readonly #byPid = new Map<string, number>();
  readonly #elsewhere = new Map<string, number>();
  readonly #rows = new Map<number, [name: string, type: string | null, suffix: string | null]>();

  constructor(streets: Streets) {
    this.#streets = streets;
  }

  add(pid: string, locality: number, name: string, type: string | null, suffix: string | null): void {
    if (this.#byPid.has(pid)) return;
    const street = this.#streets.add(locality, name, type, suffix);
    this.#byPid.set(pid, street);
    this.#rows.set(street, [name, type, suffix]);
  }

  find = (pid: string): number => this.#byPid.get(pid) ?? NONE;

  /** Street of an address; an address without one belongs to the nameless street of its locality. */
  ofAddress(pid: string | null, locality: number): number {
    const street = pid === null ? NONE : this.find(pid);
    if (pid !== null && street === NONE) return NONE;
    if (street !== NONE && this.#streets.localityOf(street) === locality) return street;
    const key = `${locality} ${pid ?? ''}`;
    const known = this.#elsewhere.get(key);
    if (known !== undefined) return known;
    const [name, type, suffix] = this.#rows.get(street) ?? ['', null, null];
    const added = this.#streets.add(locality, name, type, suffix);
    this.#elsewhere.set(key, added);
    return added;
  }
}

class IndexBuilder {
  readonly gaps: IndexGaps = { unknown_locality: 0, unknown_street: 0, unknown_address: 0 };
  readonly streets = new Streets();
  readonly addresses = new Addresses();
  readonly lotPlans = new LotPlans();
  readonly #lookup = new StreetLookup(this.streets);
  #localities!: Localities;

  async build(source: IndexSource): Promise<AddressIndex> {
    await this.#readLocalities(source);
    await this.#readStreets(source);
    await eachRow(source.addresses, (row) => this.#address(row));
    this.addresses.finishColumns();
    await this.#readLinks(source);
    this.#finish();
    const { streets, addresses, lotPlans, gaps } = this;
    return { localities: this.#localities, streets, addresses, lotPlans, gaps };
  }

  async #readLocalities(source: IndexSource): Promise<void> {
    const rows: LocalityRow[] = [];
    await eachRow(source.localities, (row) => rows.push(row));
    this.#localities = new Localities(rows);
    await eachRow(source.locality_aliases, ({ locality_pid, name }) => {
      const id = this.#locality(locality_pid);
      if (id !== NONE) this.#localities.addAlias(id, name);
    });
    await eachRow(source.locality_neighbours, ({ locality_pid, neighbour_pid }) => {
      const [a, b] = [this.#localities.find(locality_pid), this.#localities.find(neighbour_pid)];
      // A border of two states names a locality of the other, which is not here where one state is matched.
      if (a !== NONE && b !== NONE) this.#localities.addNeighbours(a, b);
    });
  }

  #locality(pid: string): number {
    const id = this.#localities.find(pid);
    if (id === NONE) this.gaps.unknown_locality++;
    return id;
  }

  async #readStreets(source: IndexSource): Promise<void> {
    await eachRow(source.streets, ({ street_pid, locality_pid, name, type, suffix }) => {
      const locality = this.#locality(locality_pid);
      if (locality !== NONE) this.#lookup.add(street_pid, locality, name, type, suffix);
    });
    await eachRow(source.street_aliases, ({ street_pid, name, type, suffix }) => {
      const street = this.#lookup.find(street_pid);
      if (street === NONE) this.gaps.unknown_street++;
      else this.streets.addAlias(street, name, type, suffix);
    });
  }

  #address(row: AddressRow): void {
    const locality = this.#locality(row.locality_pid);
    if (locality === NONE) return;
    const street = this.#lookup.ofAddress(row.street_pid, locality);
    if (street === NONE) {
      this.gaps.unknown_street++;
      return;
    }
    if (row.lot_plan !== null) this.lotPlans.add(row.lot_plan, this.addresses.size);
    this.addresses.push(row, street);
    this.#localities.addPostcode(locality, row.postcode);
    if (row.lon !== null && row.lat !== null && row.geocode_level & 1)
      this.#localities.addPoint(locality, row.lon, row.lat);
  }

  async #readLinks(source: IndexSource): Promise<void> {
    const { pids, principal } = this.addresses;
    pids.index();
    await eachRow(source.address_aliases, ({ alias_pid, principal_pid }) => {
      const [alias, row] = [pids.find(alias_pid), pids.find(principal_pid)];
      if (alias === NONE || row === NONE) this.gaps.unknown_address++;
      else if (
        alias !== row &&
        !(principal[alias]! !== NONE && pids.text(principal[alias]!) <= principal_pid)
      )
        principal[alias] = row;
    });
    const units = new GrowingInts();
    const parents = new GrowingInts();
    await eachRow(source.address_parents, ({ secondary_pid, primary_pid }) => {
      const [unit, parent] = [pids.find(secondary_pid), pids.find(primary_pid)];
      if (unit === NONE || parent === NONE) this.gaps.unknown_address++;
      else {
        units.push(unit);
        parents.push(parent);
      }
    });
    this.addresses.finishParents(units.finish(), parents.finish());
    pids.forget();
  }

  #finish(): void {
    const { streets, addresses } = this;
    this.#localities.finish();
    streets.finish(this.#localities.all.length);
    addresses.finishNumbers(streets.size);
    const values = Float64Array.from({ length: addresses.numbers.size }, (_, id) =>
      numberValue(addresses.numbers.text(id)),
    );
    for (const column of ['first', 'last'] as const) {
      const numbers = addresses.column(column);
      const street = addresses.column('street');
      for (let row = 0; row < addresses.size; row++)
        if (numbers[row] !== NONE) streets.addNumber(street[row]!, values[numbers[row]!]!);
    }
    this.lotPlans.finish();
  }
}

/**
 * Builds the index from rows of the record tables, read one after the other. Memory follows the index, not the input, where the
 * rows come in batches. An alias and its principal are linked by `address_aliases`; an alias of several principals
 * keeps the one whose pid sorts first. Linear in the rows but for sorting within streets.
 */
export const buildAddressIndex = (source: IndexSource): Promise<AddressIndex> =>
  new IndexBuilder().build(source);

import { NONE } from './address_columns.ts';
import { type AddressIndex, type IndexGaps, openIndex } from './address_index.ts';
import { AddressesBuilder } from './addresses_builder.ts';
import { GrowingInts } from './growing_ints.ts';
import { eachRow, type IndexAddressRow, type IndexSource, type LocalityRow } from './index_rows.ts';
import { LocalitiesBuilder } from './localities_builder.ts';
import { LotPlansBuilder } from './lot_plans.ts';
import type { Pids } from './pids.ts';
import { codeUnitsOf, type IndexSections, prefixed } from './sections.ts';
import { StreetsBuilder } from './streets_builder.ts';

/** Looks up street ids by pid and locality: an address may be in another locality than its street. */
class StreetLookup {
  readonly #streets: StreetsBuilder;
  readonly #byPid = new Map<string, number>();
  readonly #elsewhere = new Map<string, number>();
  readonly #rows = new Map<number, [name: string, type: string | null, suffix: string | null]>();

  constructor(streets: StreetsBuilder) {
    this.#streets = streets;
  }

  add(pid: string, locality: number, name: string, type: string | null, suffix: string | null): void {
    if (this.#byPid.has(pid)) return;
    const street = this.#streets.add(locality, pid, name, type, suffix);
    this.#byPid.set(pid, street);
    this.#rows.set(street, [name, type, suffix]);
  }

  find = (pid: string): number => this.#byPid.get(pid) ?? NONE;

  /** Returns the street of an address. Addresses without one belong to the nameless street of their locality. */
  ofAddress(pid: string | null, locality: number): number {
    const street = pid === null ? NONE : this.find(pid);
    if (pid !== null && street === NONE) return NONE;
    if (street !== NONE && this.#streets.localityOf(street) === locality) return street;
    const key = `${locality} ${pid ?? ''}`;
    const existing = this.#elsewhere.get(key);
    if (existing !== undefined) return existing;
    const [name, type, suffix] = this.#rows.get(street) ?? ['', null, null];
    const added = this.#streets.add(locality, pid ?? '', name, type, suffix);
    this.#elsewhere.set(key, added);
    return added;
  }
}

class IndexBuilder {
  readonly #gaps: IndexGaps = { unknown_locality: 0, unknown_street: 0, unknown_address: 0 };
  readonly #streets = new StreetsBuilder();
  readonly #addresses = new AddressesBuilder();
  readonly #lotPlans = new LotPlansBuilder();
  readonly #lookup = new StreetLookup(this.#streets);
  #localities!: LocalitiesBuilder;

  async build(source: IndexSource): Promise<IndexSections> {
    await this.#readLocalities(source);
    await this.#readStreets(source);
    await eachRow(source.addresses, (row) => this.#address(row));
    const streetRanks = this.#streets.ranks();
    const { pids, ranks } = this.#addresses.finishRows(streetRanks);
    const principal = await this.#readPrincipals(source, pids);
    const { units, parents } = await this.#readParents(source, pids);
    const streets = this.#streets.finish(this.#localities.size, streetRanks, this.#addresses.spans());
    return {
      ...prefixed('localities', this.#localities.finish()),
      ...prefixed('streets', streets),
      ...prefixed('addresses', this.#addresses.finish(this.#streets.size, principal, units, parents)),
      ...prefixed('lot_plans', this.#lotPlans.finish(ranks)),
      gaps: codeUnitsOf(JSON.stringify(this.#gaps)),
    };
  }
  async #readLocalities(source: IndexSource): Promise<void> {
    const rows: LocalityRow[] = [];
    await eachRow(source.localities, (row) => rows.push(row));
    this.#localities = new LocalitiesBuilder(rows);
    await eachRow(source.locality_aliases, ({ locality_pid, name }) => {
      const id = this.#locality(locality_pid);
      if (id !== NONE) this.#localities.addAlias(id, name);
    });
    await eachRow(source.locality_neighbours, ({ locality_pid, neighbour_pid }) => {
      const [a, b] = [this.#localities.find(locality_pid), this.#localities.find(neighbour_pid)];
      // At a state border the neighbour may be in another state, which is missing if only one state is indexed.
      if (a !== NONE && b !== NONE) this.#localities.addNeighbours(a, b);
    });
  }

  #locality(pid: string): number {
    const id = this.#localities.find(pid);
    if (id === NONE) this.#gaps.unknown_locality++;
    return id;
  }

  async #readStreets(source: IndexSource): Promise<void> {
    await eachRow(source.streets, ({ street_pid, locality_pid, name, type, suffix }) => {
      const locality = this.#locality(locality_pid);
      if (locality !== NONE) this.#lookup.add(street_pid, locality, name, type, suffix);
    });
    await eachRow(source.street_aliases, ({ street_pid, name, type, suffix }) => {
      const street = this.#lookup.find(street_pid);
      if (street === NONE) this.#gaps.unknown_street++;
      else this.#streets.addAlias(street, name, type, suffix);
    });
  }

  #address(row: IndexAddressRow): void {
    const locality = this.#locality(row.locality_pid);
    if (locality === NONE) return;
    const street = this.#lookup.ofAddress(row.street_pid, locality);
    if (street === NONE) {
      this.#gaps.unknown_street++;
      return;
    }
    if (row.lot_plan !== null) this.#lotPlans.add(row.lot_plan, this.#addresses.size);
    this.#addresses.push(row, street);
    this.#localities.addPostcode(locality, row.postcode);
    if (row.lon !== null && row.lat !== null && row.geocode_level & 1)
      this.#localities.addPoint(locality, row.lon, row.lat);
  }

  /** Reads the row of each row's principal; NONE: the row is a principal. */
  async #readPrincipals(source: IndexSource, pids: Pids): Promise<Int32Array> {
    const principal = new Int32Array(pids.size).fill(NONE);
    await eachRow(source.address_aliases, ({ alias_pid, principal_pid }) => {
      const [alias, row] = [pids.find(alias_pid), pids.find(principal_pid)];
      if (alias === NONE || row === NONE) this.#gaps.unknown_address++;
      else if (
        alias !== row &&
        !(principal[alias]! !== NONE && pids.text(principal[alias]!) <= principal_pid)
      )
        principal[alias] = row;
    });
    return principal;
  }

  /** Reads the rows of units and, in parallel, the rows of their parents. */
  async #readParents(source: IndexSource, pids: Pids): Promise<{ units: Int32Array; parents: Int32Array }> {
    const units = new GrowingInts();
    const parents = new GrowingInts();
    await eachRow(source.address_parents, ({ secondary_pid, primary_pid }) => {
      const [unit, parent] = [pids.find(secondary_pid), pids.find(primary_pid)];
      if (unit === NONE || parent === NONE) this.#gaps.unknown_address++;
      else {
        units.push(unit);
        parents.push(parent);
      }
    });
    return { units: units.finish(), parents: parents.finish() };
  }
}

/**
 * Builds the sections of an index from rows of the record tables, read one table after the other. If rows come in batches, memory
 * depends on the index, not the input.
 * `address_aliases` links an alias to its principal; of several principals the first pid in order is kept. Linear in the rows.
 * Equal rows in any order give equal sections.
 */
export const buildSections = (source: IndexSource): Promise<IndexSections> =>
  new IndexBuilder().build(source);

/** Builds the index from rows of the record tables, see buildSections. */
export const buildAddressIndex = async (source: IndexSource): Promise<AddressIndex> =>
  openIndex(await buildSections(source));

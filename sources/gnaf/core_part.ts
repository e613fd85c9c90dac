import {
  type AddressRecord,
  addressAliasRecord,
  addressParentRecord,
  addressRecord,
  localityRecord,
  streetRecord,
} from '../../schema/records/address.ts';
import type { Row, Table } from '../../schema/table.ts';
import type { InputAccount, SourceBatch } from '../adapter.ts';
import { readMember } from '../formats/archive/zip.ts';
import { type RowCursor, readDelimited } from '../formats/table/delimited.ts';
import { RowBatches } from '../release/row_batches.ts';
import { RowTally } from '../tally.ts';
import type { CoreColumn, CoreSource } from './core.ts';
import { CoreReader } from './core_address.ts';

/** Placeholder alias type: G-NAF Core has none. */
const UNSTATED = 'UNSTATED';
/** Placeholder classes of localities and streets, which G-NAF Core does not state: gazetted and confirmed. */
const GAZETTED = 'G';
const CONFIRMED = 'C';

/** Records of another table that are derived from a column of the file, with their own row account. */
class Derived<T extends Table> {
  readonly tally: RowTally;
  readonly batch: RowBatches<T>;
  readonly #seenPids = new Set<string>();

  constructor(table: T, file: string) {
    this.tally = new RowTally(file, table.name);
    this.batch = new RowBatches(table, this.tally);
  }

  add(row: Row<T>): void {
    this.tally.rows_in++;
    this.tally.records++;
    this.batch.add(row);
  }

  /** Adds the row of a key if the key is new. */
  addOnce(key: string, row: () => Row<T>): void {
    if (this.#seenPids.has(key)) return;
    this.#seenPids.add(key);
    this.add(row());
  }
}

/** Localities, streets and links derived from the rows of addresses. */
class CoreLinks {
  readonly #reader: CoreReader;
  readonly #localities: Derived<typeof localityRecord>;
  readonly #streets: Derived<typeof streetRecord>;
  readonly #aliases: Derived<typeof addressAliasRecord>;
  readonly #parents: Derived<typeof addressParentRecord>;

  constructor(reader: CoreReader, file: string) {
    this.#reader = reader;
    this.#localities = new Derived(localityRecord, `${file} › LOCALITY_NAME`);
    this.#streets = new Derived(streetRecord, `${file} › STREET_NAME`);
    this.#aliases = new Derived(addressAliasRecord, `${file} › PRINCIPAL_PID`);
    this.#parents = new Derived(addressParentRecord, `${file} › PRIMARY_PID`);
  }

  get #all() {
    return [this.#localities, this.#streets, this.#aliases, this.#parents];
  }

  add(rows: RowCursor, row: AddressRecord): void {
    const from = { load_id: 0, source_no: row.source_no };
    const { locality_pid, street_pid, state, gnaf_pid } = row;
    this.#localities.addOnce(locality_pid, () => ({
      ...from,
      locality_pid,
      state,
      name: row.locality_name,
      class: GAZETTED,
      postcode: row.postcode,
      lon: null,
      lat: null,
    }));
    const { street_name: name, street_type: type, street_suffix: suffix } = row;
    if (street_pid !== null && name !== null)
      this.#streets.addOnce(street_pid, () => ({
        ...from,
        street_pid,
        locality_pid,
        name,
        type,
        suffix,
        class: CONFIRMED,
      }));
    const principal_pid = row.alias_principal === 'A' ? this.#other(rows, 'PRINCIPAL_PID', gnaf_pid) : null;
    if (principal_pid !== null)
      this.#aliases.add({ ...from, alias_pid: gnaf_pid, principal_pid, alias_type: UNSTATED });
    const primary_pid = this.#other(rows, 'PRIMARY_PID', gnaf_pid);
    if (primary_pid !== null)
      this.#parents.add({ ...from, secondary_pid: gnaf_pid, primary_pid, join_type: null });
  }

  /** Returns an address that a row refers to, other than its own; null: none. */
  #other(rows: RowCursor, column: CoreColumn, ownColumn: string): string | null {
    const pid = this.#reader.text(rows, column);
    return pid === ownColumn ? null : pid;
  }

  /** Yields the full batches, or all rows. */
  *take(all: boolean): Generator<SourceBatch> {
    for (const { batch } of this.#all) if (all || batch.full) yield batch.rest();
  }

  accounts(): InputAccount[] {
    return this.#all.flatMap(({ tally }) => tally.accounts());
  }
}

/**
 * Reads G-NAF Core, one file without joins: addresses, their localities and streets by name, and the links in its columns PRINCIPAL_PID and
 * PRIMARY_PID. The coordinates and each of the other tables have their own row accounts.
 */
export async function* readCore(
  source: CoreSource,
  toGda2020: (coords: Float64Array) => void,
  signal: AbortSignal | undefined,
): AsyncGenerator<SourceBatch> {
  const { core, columns } = source;
  const reader = new CoreReader(source, toGda2020);
  const tally = new RowTally(core.name, addressRecord.name);
  const points = new RowTally(`${core.name} › LONGITUDE, LATITUDE`, null);
  const addresses = new RowBatches(addressRecord, tally);
  const links = new CoreLinks(reader, core.name);
  const input = { file: core.file, chunks: readMember(core, signal), delimiter: '|' };
  for await (const rows of readDelimited(input, columns, tally.badLine)) {
    while (rows.next()) {
      tally.rows_in++;
      const row = reader.read(rows, tally, points);
      if (row !== null) {
        tally.records++;
        addresses.add(row);
        links.add(rows, row);
      }
      if (!addresses.full) continue;
      yield addresses.rest();
      yield* links.take(false);
      yield { rejects: points.takeRejects() };
    }
  }
  yield addresses.rest();
  yield* links.take(true);
  yield {
    rejects: points.takeRejects(),
    accounts: [...tally.accounts(), ...points.accounts(), ...links.accounts()],
  };
}

import type { Row } from '../../schema/table.ts';
import type { InputAccount, RecordBatch, SourceBatch } from '../adapter.ts';
import { readMember, type ZipMember } from '../formats/archive/zip.ts';
import { type RowCursor, readDelimited } from '../formats/table/delimited.ts';
import { RowBatches } from '../release/row_batches.ts';
import { RowTally } from '../tally.ts';
import type { AuthorityTable, TableName } from './tables.ts';

/** Input for reading one state; crosses a worker boundary. */
export interface StateSource {
  state: string;
  tables: Partial<Record<TableName, ZipMember>>;
  authority: Partial<Record<AuthorityTable, ZipMember>>;
  /** Null: the release has no mesh-block tables, or the configuration turns them off. */
  meshBlocks: { year: number; link: ZipMember; codes: ZipMember } | null;
  /** Maximum geocodes held in memory at once. */
  geocodesInMemory: number;
}

/** Reads the tables of one state and collects their row accounts. */
export class StateReader {
  readonly source: StateSource;
  /** Transforms [lon, lat] to GDA2020 in place. */
  readonly toGda2020: (coords: Float64Array) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #tallies: RowTally[] = [];

  constructor(source: StateSource, toGda2020: (coords: Float64Array) => void, signal?: AbortSignal) {
    this.source = source;
    this.toGda2020 = toGda2020;
    this.#signal = signal;
  }

  /** Creates a tally whose row account is sent with the last batch. */
  tally(member: ZipMember, table: string | null): RowTally {
    const tally = new RowTally(member.name, table);
    this.#tallies.push(tally);
    return tally;
  }

  keep(tallies: readonly RowTally[]): void {
    this.#tallies.push(...tallies);
  }

  rows(
    member: ZipMember,
    columns: readonly string[],
    badLine: RowTally['badLine'],
  ): AsyncGenerator<RowCursor> {
    const source = { file: member.file, chunks: readMember(member, this.#signal), delimiter: '|' };
    return readDelimited(source, columns, badLine);
  }

  accounts(): InputAccount[] {
    return this.#tallies.flatMap((tally) => tally.accounts());
  }

  /** Returns rejects of lookup tables, which have no batches of their own; empty while there are fewer than `least`. */
  takeRejects(least = 1): SourceBatch[] {
    const pendingRejects = this.#tallies.reduce((sum, tally) => sum + tally.pendingRejects, 0);
    if (pendingRejects < least) return [];
    const rejects = this.#tallies.flatMap((tally) => tally.takeRejects());
    return [{ rejects }];
  }
}

/**
 * Reads a table whose rows become records one by one. `toRow` returns the record; null: it rejected or dropped the row. A table that the
 * release lacks yields nothing.
 */
export async function* readTable<T extends RecordBatch['table']>(
  reader: StateReader,
  input: { member: ZipMember | undefined; columns: readonly string[]; table: T },
  toRow: (rows: RowCursor, tally: RowTally) => Row<T> | null,
): AsyncGenerator<SourceBatch> {
  if (input.member === undefined) return;
  const tally = reader.tally(input.member, input.table.name);
  const batch = new RowBatches(input.table, tally);
  for await (const rows of reader.rows(input.member, input.columns, tally.badLine)) {
    while (rows.next()) {
      tally.rows_in++;
      const row = toRow(rows, tally);
      if (row === null) continue;
      tally.records++;
      batch.add(row);
      if (batch.full) yield batch.rest();
    }
  }
  yield batch.rest();
}

/** Returns true if one of the named columns is empty; the row is then rejected with `missing_value`. */
export function lacksValue(
  rows: RowCursor,
  tally: RowTally,
  names: readonly string[],
  columns: readonly number[],
): boolean {
  for (const column of columns) {
    if (!rows.isEmpty(column)) continue;
    tally.reject(rows.line, 'missing_value', `${names[column]} is empty`);
    return true;
  }
  return false;
}

/** Returns true for a row with a retirement date, which is then dropped as `retired`. */
export function isRetired(rows: RowCursor, tally: RowTally, column: number): boolean {
  if (rows.isEmpty(column)) return false;
  tally.drop('retired');
  return true;
}

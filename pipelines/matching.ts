import type pg from 'pg';
import { EtlError } from '../schema/errors.ts';
import {
  addressAliasRecord,
  addressParentRecord,
  addressRecord,
  localityAliasRecord,
  localityNeighbourRecord,
  localityRecord,
  streetAliasRecord,
  streetRecord,
} from '../schema/records/address.ts';
import type { Table } from '../schema/table.ts';
import { readCsvRows } from '../sources/formats/csv_rows.ts';
import { readAll, readCells } from '../store/assets.ts';
import type { MatchEvidence, MatchResult } from '../transforms/address/match/answer.ts';
import { type AddressIndex, buildAddressIndex } from '../transforms/address/match/build.ts';
import { type MatchInput, matchAddress } from '../transforms/address/match/match.ts';
import { INDEX_COLUMNS, type IndexSource } from '../transforms/address/match/rows.ts';

/** Rows of addresses or of their links that are in memory at a time while an index is built. */
const BATCH_ROWS = 100_000;
const STATE = /^[A-Z]{2,3}$/;

/** Cells of the addresses in groups of about BATCH_ROWS; one cell may hold more. */
async function cellGroups(client: pg.ClientBase, where: string): Promise<number[][]> {
  const { rows } = await client.query<{ cell: number; rows: number }>(
    `SELECT cell, count(*)::float8 AS rows FROM record.address WHERE ${where} GROUP BY cell ORDER BY cell`,
  );
  const groups: number[][] = [];
  let size = BATCH_ROWS;
  for (const { cell, rows: count } of rows) {
    if (size + count > BATCH_ROWS) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)!.push(cell);
    size += count;
  }
  return groups;
}

async function* addressBatches(client: pg.ClientBase, where: string): AsyncGenerator<never[]> {
  for (const cells of await cellGroups(client, where))
    yield (await readCells(client, addressRecord, INDEX_COLUMNS.addresses, cells, where)) as never[];
}

/** The index source of a database. `state` null: every state that is loaded. */
function sourceOf(client: pg.ClientBase, state: string | null): IndexSource {
  const inState = state === null ? 'true' : `state = '${state}'`;
  const ofLocality = `locality_pid IN (SELECT locality_pid FROM record.locality WHERE ${inState})`;
  const ofStreet = `street_pid IN (SELECT street_pid FROM record.street WHERE ${ofLocality})`;
  const ofAddress = (column: string): string =>
    `${column} IN (SELECT gnaf_pid FROM record.address WHERE ${inState})`;
  const all = async function* (
    table: Table,
    columns: readonly string[],
    where: string,
  ): AsyncGenerator<never[]> {
    yield (await readAll(client, table, columns, where)) as never[];
  };
  return {
    localities: all(localityRecord, INDEX_COLUMNS.localities, inState),
    locality_aliases: all(localityAliasRecord, INDEX_COLUMNS.locality_aliases, ofLocality),
    locality_neighbours: all(localityNeighbourRecord, INDEX_COLUMNS.locality_neighbours, ofLocality),
    streets: all(streetRecord, INDEX_COLUMNS.streets, ofLocality),
    street_aliases: all(streetAliasRecord, INDEX_COLUMNS.street_aliases, ofStreet),
    addresses: addressBatches(client, inState),
    address_aliases: all(addressAliasRecord, INDEX_COLUMNS.address_aliases, ofAddress('alias_pid')),
    address_parents: all(addressParentRecord, INDEX_COLUMNS.address_parents, ofAddress('secondary_pid')),
  };
}

/**
 * Builds the index of the addresses that are loaded, reading only the columns that it needs. `state`: an abbreviation, or null
 * for all. EtlError `config_invalid` for what is no state, `no_addresses` where none is loaded.
 */
export async function readAddressIndex(client: pg.ClientBase, state: string | null): Promise<AddressIndex> {
  if (state !== null && !STATE.test(state))
    throw new EtlError('config_invalid', `--state ${state}: give an abbreviation such as VIC.`);
  const index = await buildAddressIndex(sourceOf(client, state));
  if (index.addresses.size === 0)
    throw new EtlError(
      'no_addresses',
      `There are no addresses${state === null ? '' : ` of ${state}`} to match with. Load G-NAF first: pipeline refresh.`,
      { details: { state } },
    );
  return index;
}

/** One address to be matched, with what else is known of it. */
export interface MatchRequest {
  /** Line of the input, from 1. */
  line: number;
  input: MatchInput;
  evidence: MatchEvidence;
}

/** Columns of an input file, besides that of the text, which are used where the file has them. */
const FIELDS = [
  'building',
  'level',
  'unit_type',
  'unit',
  'lot',
  'number',
  'street',
  'street_type',
  'suburb',
  'state',
  'postcode',
] as const;

const numberOf = (text: string | undefined): number | null => {
  const value = text === undefined || text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
};

/** The request of a record whose fields have names. Unreadable coordinates count as not given. */
export function requestOf(
  record: Readonly<Record<string, string>>,
  column: string,
  line: number,
): MatchRequest {
  const input: Record<string, string | null> = { text: record[column] || null };
  for (const name of FIELDS) if (name !== column) input[name] = record[name] || null;
  const evidence = {
    lon: numberOf(record.lon),
    lat: numberOf(record.lat),
    lot_plan: record.lot_plan || null,
  };
  return { line, input, evidence };
}

/**
 * Requests of a CSV file: the text of `column`, completed by columns named as the fields of an address, `lon`, `lat`, `lot_plan`.
 * EtlError `missing_column` where the file has neither `column` nor `street`; and those of readCsvRows.
 */
export async function* requestsOfCsv(path: string, column: string): AsyncGenerator<MatchRequest> {
  let header: readonly string[] | null = null;
  for await (const { line, cells } of readCsvRows(path, path)) {
    if (header === null) {
      header = cells;
      if (!header.includes(column) && !header.includes('street'))
        throw new EtlError(
          'missing_column',
          `${path}: the header has no column ${column}. It reads: ${header.join(',').slice(0, 300)}. Name the column of the address with --column.`,
          { details: { missing: [column] } },
        );
      continue;
    }
    yield requestOf(Object.fromEntries(header.map((name, i) => [name, cells[i] ?? ''])), column, line);
  }
}

/** Matches one request. */
export const answer = (index: AddressIndex, { input, evidence }: MatchRequest): MatchResult =>
  matchAddress(index, input, evidence);

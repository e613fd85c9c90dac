import type pg from 'pg';
import { typed } from '../../schema/command_line.ts';
import { EtlError } from '../../schema/errors.ts';
import { statePartition } from '../../schema/state_partition.ts';
import { readCsvRows, unreadableRow } from '../../sources/formats/table/csv_rows.ts';
import { type AddressIndex, openIndex } from '../../transforms/address/match/address_index.ts';
import { type MatchInput, matchAddress } from '../../transforms/address/match/match.ts';
import type { MatchHints, MatchResult } from '../../transforms/address/match/match_result.ts';
import type { IndexSections } from '../../transforms/address/match/sections.ts';
import { DeclaredReader } from '../engine/declared_reader.ts';
import { planStage } from '../engine/plan.ts';
import { RecordedState } from '../engine/recorded_state.ts';
import { addressIndexStage } from '../stages/events/address_index.ts';
import { ADDRESS_INPUTS, readAddressSections } from '../stages/events/address_sections.ts';
import { matchStateStage } from '../stages/events/match_state.ts';
import { readStoredSections, STORED_INDEX } from '../stages/events/stored_index.ts';

const STATE = /^[A-Z]{2,3}$/;

/** Reads the stored index of a state if it matches the loaded addresses; null: it does not, or none is stored. */
async function readCurrentSections(
  client: pg.ClientBase,
  state: string | null,
): Promise<IndexSections | null> {
  const cell = statePartition(state);
  const recorded = await RecordedState.read(client, [matchStateStage, addressIndexStage]);
  const { partitions } = planStage(addressIndexStage, {}, recorded);
  if (partitions.some((partition) => partition.cell === cell)) return null;
  return readStoredSections(new DeclaredReader(client, { inputs: STORED_INDEX }), state);
}

/**
 * Returns the index of the loaded addresses, stored or newly built. `state`: an abbreviation; null: all.
 * @throws EtlError `config_invalid` for an unknown state, `no_addresses` if none is loaded
 */
export async function readAddressIndex(client: pg.ClientBase, state: string | null): Promise<AddressIndex> {
  if (state !== null && !STATE.test(state))
    throw new EtlError('config_invalid', `--state ${state}: give an abbreviation such as VIC.`);
  const sections =
    (await readCurrentSections(client, state)) ??
    (await readAddressSections(new DeclaredReader(client, { inputs: ADDRESS_INPUTS }), state));
  if (sections === null)
    throw new EtlError(
      'no_addresses',
      `No addresses${state === null ? '' : ` in ${state}`} to match with. Load G-NAF first: ${typed('refresh')}.`,
      { details: { state } },
    );
  return openIndex(sections);
}

/** An address to match, with other known facts. */
export interface MatchRequest {
  /** Line of the input, from 1. */
  line: number;
  input: MatchInput;
  hints: MatchHints;
}

/** Optional columns of an input file. */
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

/** Returns the request for a record with named fields. Unreadable coordinates count as missing. */
export function matchRequest(
  record: Readonly<Record<string, string>>,
  column: string,
  line: number,
): MatchRequest {
  const input: Record<string, string | null> = { text: record[column] || null };
  for (const name of FIELDS) if (name !== column) input[name] = record[name] || null;
  const hints = {
    lon: numberOf(record.lon),
    lat: numberOf(record.lat),
    lot_plan: record.lot_plan || null,
  };
  return { line, input, hints };
}

/**
 * Reads requests from a CSV file: the text in `column`, and columns named like the fields of an address, `lon`, `lat`, `lot_plan`.
 * @throws EtlError `missing_column` if the file has neither `column` nor `street`. Also errors of readCsvRows.
 */
export async function* requestsOfCsv(path: string, column: string): AsyncGenerator<MatchRequest> {
  let header: readonly string[] | null = null;
  for await (const { line, cells, problem } of readCsvRows(path, path)) {
    if (header === null) {
      header = cells;
      if (!header.includes(column) && !header.includes('street'))
        throw new EtlError(
          'missing_column',
          `${path}: no column ${column} in the header, which reads: ${header.join(',').slice(0, 300)}. Name the column of the address with --column.`,
          { details: { missing: [column] } },
        );
      continue;
    }
    if (problem) throw unreadableRow(path, { line, cells, problem });
    yield matchRequest(Object.fromEntries(header.map((name, i) => [name, cells[i] ?? ''])), column, line);
  }
}

export const answer = (index: AddressIndex, { input, hints }: MatchRequest): MatchResult =>
  matchAddress(index, input, hints);

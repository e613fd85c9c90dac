import { NO_CELL } from '../../schema/grid.ts';
import type { addressRecord } from '../../schema/records/address.ts';
import type { Row } from '../../schema/table.ts';
import { formatLabel } from '../../transforms/address/label.ts';
import { normaliseLotPlan } from '../../transforms/address/lot_plan.ts';
import type { RowCursor } from '../formats/table/delimited.ts';
import type { RowTally } from '../tally.ts';
import type { Codes } from './codes.ts';
import type { LocalityNames } from './localities.ts';
import { lacksValue } from './part.ts';
import type { Street, StreetsByPid } from './streets.ts';
import { TABLES } from './tables.ts';

/** An address record before its point and mesh block are filled in. */
export type PartialAddress = {
  -readonly [K in keyof Row<typeof addressRecord>]: Row<typeof addressRecord>[K];
};

/** Code lists and names that rows of ADDRESS_DETAIL are joined with. */
export interface AddressLookups {
  state: string;
  codes: Codes;
  localities: LocalityNames;
  streets: StreetsByPid;
}

const { names, at } = TABLES.ADDRESS_DETAIL;
const REQUIRED = [
  at.ADDRESS_DETAIL_PID,
  at.LOCALITY_PID,
  at.ALIAS_PRINCIPAL,
  at.CONFIDENCE,
  at.LEVEL_GEOCODED_CODE,
];
const NUMBERS = [at.FLAT_NUMBER, at.LEVEL_NUMBER, at.NUMBER_FIRST, at.NUMBER_LAST];

/** Joins prefix, number and suffix; null if all three are empty. */
function assemble(rows: RowCursor, prefix: number, number: number, suffix: number): string | null {
  if (rows.isEmpty(prefix) && rows.isEmpty(suffix)) return rows.text(number);
  return (rows.text(prefix) ?? '') + (rows.text(number) ?? '') + (rows.text(suffix) ?? '');
}

/** Rejects the row of an address, and names the address. */
function rejectAddress(rows: RowCursor, tally: RowTally, code: string, problem: string): void {
  const gnaf_pid = rows.text(at.ADDRESS_DETAIL_PID) ?? '';
  tally.reject(rows.line, code, `${gnaf_pid}: ${problem}`, { gnaf_pid });
}

/** Returns true if required values are present and numbers are valid. */
function isSound(rows: RowCursor, tally: RowTally): boolean {
  if (lacksValue(rows, tally, names, REQUIRED)) return false;
  let bad = NUMBERS.find((column) => !rows.isDigits(column));
  if (Number.isNaN(rows.int2(at.CONFIDENCE))) bad = at.CONFIDENCE;
  if (Number.isNaN(rows.int2(at.LEVEL_GEOCODED_CODE))) bad = at.LEVEL_GEOCODED_CODE;
  if (bad === undefined) return isAliasOrPrincipal(rows, tally);
  rejectAddress(rows, tally, 'bad_number', `${names[bad]} "${rows.text(bad)}" is not a whole number`);
  return false;
}

/** Checks the code that serving selects principals by: an unknown one would lose the address unnoticed. */
function isAliasOrPrincipal(rows: RowCursor, tally: RowTally): boolean {
  const code = rows.text(at.ALIAS_PRINCIPAL);
  if (code === 'P' || code === 'A') return true;
  rejectAddress(rows, tally, 'bad_code', `ALIAS_PRINCIPAL "${code}" is neither P nor A`);
  return false;
}

const readNumbers = (rows: RowCursor) => ({
  lot_number: assemble(rows, at.LOT_NUMBER_PREFIX, at.LOT_NUMBER, at.LOT_NUMBER_SUFFIX),
  flat_number: assemble(rows, at.FLAT_NUMBER_PREFIX, at.FLAT_NUMBER, at.FLAT_NUMBER_SUFFIX),
  level_number: assemble(rows, at.LEVEL_NUMBER_PREFIX, at.LEVEL_NUMBER, at.LEVEL_NUMBER_SUFFIX),
  number_first: assemble(rows, at.NUMBER_FIRST_PREFIX, at.NUMBER_FIRST, at.NUMBER_FIRST_SUFFIX),
  number_last: assemble(rows, at.NUMBER_LAST_PREFIX, at.NUMBER_LAST, at.NUMBER_LAST_SUFFIX),
});

/** Returns the address without its point and mesh block; null: the row was rejected. */
export function toAddress(rows: RowCursor, tally: RowTally, lookups: AddressLookups): PartialAddress | null {
  if (!isSound(rows, tally)) return null;
  const locality_pid = rows.text(at.LOCALITY_PID)!;
  const locality_name = lookups.localities.get(locality_pid);
  if (locality_name === undefined) {
    rejectAddress(rows, tally, 'unknown_locality', `LOCALITY_PID ${locality_pid} is not in LOCALITY`);
    return null;
  }
  const street_pid = rows.text(at.STREET_LOCALITY_PID);
  const street = street_pid === null ? null : lookups.streets.get(street_pid);
  if (street === undefined) {
    rejectAddress(
      rows,
      tally,
      'unknown_street',
      `STREET_LOCALITY_PID ${street_pid} is not in STREET_LOCALITY`,
    );
    return null;
  }
  return buildAddress(rows, lookups, { locality_pid, locality_name, street_pid, street });
}

interface StreetAndLocality {
  locality_pid: string;
  locality_name: string;
  street_pid: string | null;
  street: Street | null;
}

type AddressNumbers = ReturnType<typeof readNumbers>;

function labelOf(
  rows: RowCursor,
  { state, codes }: AddressLookups,
  streetAndLocality: StreetAndLocality,
  numbers: AddressNumbers,
): string {
  const { street } = streetAndLocality;
  return formatLabel({
    level_type: codes.levelType(rows.text(at.LEVEL_TYPE_CODE)),
    level_number: numbers.level_number,
    flat_type: codes.flatType(rows.text(at.FLAT_TYPE_CODE)),
    flat_number: numbers.flat_number,
    building_name: rows.text(at.BUILDING_NAME),
    lot_number: numbers.lot_number,
    number_first: numbers.number_first,
    number_last: numbers.number_last,
    street: street === null ? null : street.label,
    location_description: street === null ? rows.text(at.LOCATION_DESCRIPTION) : null,
    locality_name: streetAndLocality.locality_name,
    state,
    postcode: rows.text(at.POSTCODE),
  });
}

function buildAddress(
  rows: RowCursor,
  lookups: AddressLookups,
  streetAndLocality: StreetAndLocality,
): PartialAddress {
  const { street } = streetAndLocality;
  const numbers = readNumbers(rows);
  const legal_parcel_id = rows.text(at.LEGAL_PARCEL_ID);
  const confidence = rows.int2(at.CONFIDENCE)!;
  return {
    load_id: 0,
    source_no: rows.line,
    cell: NO_CELL,
    gnaf_pid: rows.text(at.ADDRESS_DETAIL_PID)!,
    state: lookups.state,
    label: labelOf(rows, lookups, streetAndLocality, numbers),
    building_name: rows.text(at.BUILDING_NAME),
    lot_number: numbers.lot_number,
    flat_type: rows.text(at.FLAT_TYPE_CODE),
    flat_number: numbers.flat_number,
    level_type: rows.text(at.LEVEL_TYPE_CODE),
    level_number: numbers.level_number,
    number_first: numbers.number_first,
    number_last: numbers.number_last,
    street_pid: streetAndLocality.street_pid,
    street_name: street === null ? null : street.name,
    street_type: street === null ? null : street.type,
    street_suffix: street === null ? null : street.suffix,
    locality_pid: streetAndLocality.locality_pid,
    locality_name: streetAndLocality.locality_name,
    postcode: rows.text(at.POSTCODE),
    legal_parcel_id,
    lot_plan: normaliseLotPlan(lookups.state, legal_parcel_id),
    confidence,
    alias_principal: rows.text(at.ALIAS_PRINCIPAL)!,
    primary_secondary: rows.text(at.PRIMARY_SECONDARY),
    is_live: confidence >= 0 && rows.isEmpty(at.DATE_RETIRED),
    geocode_type: null,
    geocode_level: rows.int2(at.LEVEL_GEOCODED_CODE)!,
    lon: null,
    lat: null,
    mesh_block: null,
    mesh_block_year: null,
  };
}

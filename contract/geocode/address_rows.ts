import { sql } from 'kysely';
import type { Serving } from '../../schema/serving/database.ts';
import type { AddressIndex } from '../../transforms/address/match/address_index.ts';
import { buildAddressIndex } from '../../transforms/address/match/build.ts';
import type { IndexAddressRow, LocalityRow, StreetRow } from '../../transforms/address/match/index_rows.ts';
import { numberKey } from '../../transforms/address/parse/keys.ts';
import type { ParsedAddress } from '../../transforms/address/parse/parse.ts';
import { suffixCode } from '../../transforms/address/parse/place_words.ts';
import { streetTypes } from '../../transforms/address/parse/street_types.ts';
import { levelAt } from '../../transforms/address/parse/unit_words.ts';
import type { LocalityMatchRow } from './places.ts';

/** House numbers to search on each side of the requested one, because an address may be a range that contains it. */
const RANGE = 6;
/** Maximum addresses to compare with one text. */
const ROWS_MAX = 20_000;
/** Bit of a geocode on the parcel. Source: G-NAF, GEOCODED_LEVEL_TYPE_AUT. */
const ON_PARCEL = 1;

/**
 * Lists the first house numbers of addresses that a text may mean: its own numbers, with and without letters, and the starts of ranges
 * around them.
 */
function firstNumbers({ number_first, number_last }: ParsedAddress): string[] {
  const numbers = new Set<string>();
  for (const text of [number_first, number_last]) {
    const digits = text === null ? null : /\d+/.exec(numberKey(text));
    if (text === null || digits === null) continue;
    numbers.add(numberKey(text));
    const value = Number(digits[0]);
    for (let n = Math.max(1, value - RANGE); n <= value + RANGE; n++) {
      numbers.add(String(n));
      if (n === value) for (const letter of 'ABCDEF') numbers.add(`${n}${letter}`);
    }
  }
  return [...numbers];
}

interface StreetParts {
  name: string;
  type: string | null;
  suffix: string | null;
}

/** Splits a street as served into name, type and suffix. */
function streetParts(street: string): StreetParts {
  const words = street.split(' ');
  const n = words.length;
  const suffix = n >= 3 ? suffixCode(words[n - 1]!) : undefined;
  if (suffix !== undefined && streetTypes(words[n - 2]!) !== undefined)
    return { name: words.slice(0, n - 2).join(' '), type: words[n - 2]!, suffix };
  if (n >= 2 && streetTypes(words[n - 1]!) !== undefined)
    return { name: words.slice(0, n - 1).join(' '), type: words[n - 1]!, suffix: null };
  return { name: street, type: null, suffix: null };
}

/** Reads the properties of localities whose house or lot number may be the one in the text. */
async function propertiesOf(db: Serving, places: readonly LocalityMatchRow[], parsed: ParsedAddress) {
  const numbers = firstNumbers(parsed);
  const pairs = sql.join(places.map(({ state, name }) => sql`(${state}, ${name})`));
  const lot = parsed.lot ?? parsed.legal_lot?.lot ?? null;
  if (places.length === 0 || (numbers.length === 0 && lot === null)) return [];
  return db
    .selectFrom('serving.property')
    .select([
      'gnaf_pid',
      'state',
      'locality',
      'postcode',
      'building_name',
      'lot_number',
      'flat_type',
      'flat_number',
      'level_number',
      'number_first',
      'number_last',
      'street',
      'lon',
      'lat',
      'sal',
      'address',
      'is_parcel_position',
    ])
    .where(sql<boolean>`(state, locality) IN (${pairs})`)
    .where((eb) =>
      eb.or([
        ...(numbers.length > 0 ? [eb('number_first', 'in', numbers)] : []),
        ...(lot === null ? [] : [eb.and([eb('number_first', 'is', null), eb('lot_number', '=', lot)])]),
      ]),
    )
    .orderBy('gnaf_pid')
    .limit(ROWS_MAX)
    .execute();
}

export type PropertyRow = Awaited<ReturnType<typeof propertiesOf>>[number];

/** Type of the level that a served address begins with, in the form of parsed texts. Null: none. */
const levelTypeOf = (address: string): string | null =>
  levelAt(address.split(/[ ,]+/, 3), 0)?.level.type ?? null;

/** Street of a property, or the text after its number if it has none. Null: neither. */
const streetOf = ({ street, address }: PropertyRow): string | null =>
  street ?? /\S*\d\S* ([^,]+), [^,]+$/.exec(address)?.[1] ?? null;

const placeId = (state: string, name: string): string => `${state}|${name}`;

function addressOf(row: PropertyRow): IndexAddressRow {
  const locality_pid = placeId(row.state, row.locality);
  const street = streetOf(row);
  return {
    gnaf_pid: row.gnaf_pid,
    building_name: row.building_name,
    lot_number: row.lot_number,
    flat_type: row.flat_type,
    flat_number: row.flat_number,
    level_type: levelTypeOf(row.address),
    level_number: row.level_number,
    number_first: row.number_first,
    number_last: row.number_last,
    street_pid: street === null ? null : `${locality_pid}|${street}`,
    locality_pid,
    postcode: row.postcode,
    lot_plan: null,
    is_live: true,
    geocode_level: row.is_parcel_position ? ON_PARCEL : 0,
    lon: row.lon,
    lat: row.lat,
  };
}

/** Reads the addresses that a text may mean, as an index for the matcher and by id. */
export async function addressesFor(
  db: Serving,
  places: readonly LocalityMatchRow[],
  parsed: ParsedAddress,
): Promise<{ index: AddressIndex; byPid: Map<string, PropertyRow> }> {
  const rows = await propertiesOf(db, places, parsed);
  const localities = places.map(({ state, name }): LocalityRow => {
    return { locality_pid: placeId(state, name), state, name, postcode: null, class: 'G' };
  });
  const streets = new Map<string, StreetRow>();
  for (const row of rows) {
    const street = streetOf(row);
    if (street === null) continue;
    const locality_pid = placeId(row.state, row.locality);
    const street_pid = `${locality_pid}|${street}`;
    streets.set(street_pid, { street_pid, locality_pid, ...streetParts(street) });
  }
  const index = await buildAddressIndex({
    localities,
    streets: streets.values(),
    addresses: rows.map(addressOf),
  });
  return { index, byPid: new Map(rows.map((row) => [row.gnaf_pid, row])) };
}

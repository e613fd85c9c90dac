import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';
import { seededRandom } from '../sample/random.ts';

const STREETS = 5_000;
const LOCALITIES = 200;
const MESH_BLOCKS = 6_000;

/** Where the addresses of a synthetic state are. */
export interface SyntheticPlaces {
  /** Flat pairs of degrees. */
  readonly lonlat: Float64Array;
  /** Code of the mesh block at a point. */
  readonly meshBlockAt: (lon: number, lat: number) => string;
}

const pidOf = (i: number): string => `GAVIC${String(400_000_000 + i * 7).padStart(9, '0')}`;
const streetOf = (i: number): string => `VIC${1_900_000 + i}`;
const localityOf = (i: number): string => `loc${(0x9901d119afda + i).toString(16)}`;

function* lines(header: string, count: number, row: (i: number) => string): Generator<Buffer> {
  let text = `${header}\r\n`;
  for (let i = 0; i < count; i++) {
    text += `${row(i)}\r\n`;
    if (text.length < 1 << 16) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}

const DETAIL_HEADER =
  'ADDRESS_DETAIL_PID|DATE_CREATED|DATE_LAST_MODIFIED|DATE_RETIRED|BUILDING_NAME|LOT_NUMBER_PREFIX|LOT_NUMBER|LOT_NUMBER_SUFFIX|FLAT_TYPE_CODE|FLAT_NUMBER_PREFIX|FLAT_NUMBER|FLAT_NUMBER_SUFFIX|LEVEL_TYPE_CODE|LEVEL_NUMBER_PREFIX|LEVEL_NUMBER|LEVEL_NUMBER_SUFFIX|NUMBER_FIRST_PREFIX|NUMBER_FIRST|NUMBER_FIRST_SUFFIX|NUMBER_LAST_PREFIX|NUMBER_LAST|NUMBER_LAST_SUFFIX|STREET_LOCALITY_PID|LOCATION_DESCRIPTION|LOCALITY_PID|ALIAS_PRINCIPAL|POSTCODE|PRIVATE_STREET|LEGAL_PARCEL_ID|CONFIDENCE|ADDRESS_SITE_PID|LEVEL_GEOCODED_CODE|PROPERTY_PID|GNAF_PROPERTY_PID|PRIMARY_SECONDARY';

function detailRow(i: number, random: () => number): string {
  const street = Math.floor(random() * STREETS);
  const unit = random() < 0.3;
  const flat = unit ? `UNIT||${1 + (i % 40)}|` : '|||';
  const last = random() < 0.08 ? String(200 + (i % 99)) : '';
  return `${pidOf(i)}|2004-04-29|2025-08-04||||||${flat}||||||${1 + (i % 199)}|||${last}||${streetOf(street)}||${localityOf(street % LOCALITIES)}|P|${3000 + (street % LOCALITIES)}||${1 + (i % 900)}\\PS${500_000 + (i % 99_999)}|2|${400_000_000 + i}|7|||${unit ? 'S' : ''}`;
}

/** Codes of all mesh blocks, and the one of each address by number. */
function meshBlocks(
  addresses: number,
  places: SyntheticPlaces | null,
): { codes: readonly string[]; of: (address: number) => string } {
  if (places === null) {
    const codes = Array.from({ length: MESH_BLOCKS }, (_, i) => String(20_000_000_000 + i * 10));
    return { codes, of: (address) => codes[address % MESH_BLOCKS]! };
  }
  const { lonlat, meshBlockAt } = places;
  const all = Array.from({ length: addresses }, (_, i) => meshBlockAt(lonlat[i * 2]!, lonlat[i * 2 + 1]!));
  return { codes: [...new Set(all)], of: (address) => all[address]! };
}

function tables(addresses: number, places: SyntheticPlaces | null): Record<string, Generator<Buffer>> {
  const lonlat = places?.lonlat;
  const blocks = meshBlocks(addresses, places);
  const random = seededRandom(7, 'state').next;
  const spot = seededRandom(8, 'state').next;
  const [lon, lat] = [144.5, -38].map(
    (origin, axis) => (address: number) =>
      (lonlat ? lonlat[address * 2 + axis]! : origin + spot()).toFixed(8),
  ) as [(address: number) => string, (address: number) => string];
  // A stride that shares no factor with the number of addresses shuffles the geocodes, as in the publisher's files.
  const stride = 7_919;
  const numberOf = (i: number): number => (i * stride) % addresses;
  const shuffled = (i: number): string => pidOf(numberOf(i));
  return {
    ADDRESS_DETAIL: lines(DETAIL_HEADER, addresses, (i) => detailRow(i, random)),
    ADDRESS_DEFAULT_GEOCODE: lines(
      'ADDRESS_DEFAULT_GEOCODE_PID|DATE_CREATED|DATE_RETIRED|ADDRESS_DETAIL_PID|GEOCODE_TYPE_CODE|LONGITUDE|LATITUDE',
      addresses,
      (i) => `${3_000_000 + i}|2012-11-01||${shuffled(i)}|PC|${lon(numberOf(i))}|${lat(numberOf(i))}`,
    ),
    ADDRESS_MESH_BLOCK_2021: lines(
      'ADDRESS_MESH_BLOCK_2021_PID|DATE_CREATED|DATE_RETIRED|ADDRESS_DETAIL_PID|MB_MATCH_CODE|MB_2021_PID',
      addresses,
      (i) => `VIC${9_000_000 + i}|2021-08-01||${shuffled(i)}|1|MB21${blocks.of(numberOf(i))}`,
    ),
    MB_2021: lines(
      'MB_2021_PID|DATE_CREATED|DATE_RETIRED|MB_2021_CODE',
      blocks.codes.length,
      (i) => `MB21${blocks.codes[i]}|2021-08-01||${blocks.codes[i]}`,
    ),
    LOCALITY: lines(
      'LOCALITY_PID|DATE_CREATED|DATE_RETIRED|LOCALITY_NAME|PRIMARY_POSTCODE|LOCALITY_CLASS_CODE|STATE_PID|GNAF_LOCALITY_PID|GNAF_RELIABILITY_CODE',
      LOCALITIES,
      (i) => `${localityOf(i)}|2021-06-24||LOCALITY ${i}||G|2||5`,
    ),
    STREET_LOCALITY: lines(
      'STREET_LOCALITY_PID|DATE_CREATED|DATE_RETIRED|STREET_CLASS_CODE|STREET_NAME|STREET_TYPE_CODE|STREET_SUFFIX_CODE|LOCALITY_PID|GNAF_STREET_PID|GNAF_STREET_CONFIDENCE|GNAF_RELIABILITY_CODE',
      STREETS,
      (i) => `${streetOf(i)}|2007-07-13||C|STREET ${i}|AVENUE||${localityOf(i % LOCALITIES)}||2|4`,
    ),
  };
}

/**
 * Writes a seeded synthetic G-NAF release of one state: the tables that carry its bulk, in the publisher's layout. Without
 * `places` the addresses are anywhere around Melbourne.
 */
export async function writeSyntheticState(
  path: string,
  addresses: number,
  places: SyntheticPlaces | null = null,
): Promise<void> {
  const zip = new yazl.ZipFile();
  for (const [table, rows] of Object.entries(tables(addresses, places))) {
    zip.addReadStream(Readable.from(rows), `G-NAF/G-NAF NOVEMBER 2025/Standard/VIC_${table}_psv.psv`);
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}

import { cellOf, NO_CELL } from '../../schema/grid.ts';
import { addressRecord } from '../../schema/records/address.ts';
import type { Row } from '../../schema/table.ts';
import { formatLabel } from '../../transforms/address/label.ts';
import { normaliseLotPlan } from '../../transforms/address/lot_plan.ts';
import type { Batch } from '../adapter.ts';
import type { RowCursor } from '../formats/delimited.ts';
import { pidKey, shareOf } from '../formats/pid_table.ts';
import type { Codes } from './codes.ts';
import type { Localities } from './localities.ts';
import { BatchBuilder, lacksValue, type StateReader } from './part.ts';
import { badLineOf, type MeshBlocks, Positions, readDefaultGeocodes, readMeshBlockLinks, type Share } from './positions.ts';
import { SiteGeocodes } from './site_geocodes.ts';
import type { Streets } from './streets.ts';
import { TABLES } from './tables.ts';
import type { Tally } from './tally.ts';

/** Shortest plausible row of ADDRESS_DEFAULT_GEOCODE: an upper estimate of the number of rows comes from the file's size. */
const MIN_GEOCODE_BYTES = 60;
/** Addresses without a default geocode that wait for a reading of the site geocodes. */
const MAX_WAITING = 50_000;

type AddressRow = { -readonly [K in keyof Row<typeof addressRecord>]: Row<typeof addressRecord>[K] };

/** The lookups that an address is joined with. */
export interface AddressContext {
  reader: StateReader;
  codes: Codes;
  localities: Localities;
  streets: Streets;
  meshBlocks: MeshBlocks | null;
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

/** Prefix, number and suffix in one; null where all three are empty. */
function assemble(rows: RowCursor, prefix: number, number: number, suffix: number): string | null {
  if (rows.isEmpty(prefix) && rows.isEmpty(suffix)) return rows.text(number);
  return (rows.text(prefix) ?? '') + (rows.text(number) ?? '') + (rows.text(suffix) ?? '');
}

function rejectNumber(rows: RowCursor, tally: Tally, column: number): null {
  tally.reject('bad_number', rows.line, `${names[column]} "${rows.text(column)}" is not a whole number`);
  return null;
}

/** The address without its point and mesh block; null where the row was rejected. */
function toAddress(rows: RowCursor, tally: Tally, context: AddressContext): AddressRow | null {
  if (lacksValue(rows, tally, names, REQUIRED)) return null;
  for (const column of NUMBERS) if (!rows.isDigits(column)) return rejectNumber(rows, tally, column);
  const confidence = rows.int2(at.CONFIDENCE)!;
  if (Number.isNaN(confidence)) return rejectNumber(rows, tally, at.CONFIDENCE);
  const geocode_level = rows.int2(at.LEVEL_GEOCODED_CODE)!;
  if (Number.isNaN(geocode_level)) return rejectNumber(rows, tally, at.LEVEL_GEOCODED_CODE);
  const locality_pid = rows.text(at.LOCALITY_PID)!;
  const locality_name = context.localities.get(locality_pid);
  if (locality_name === undefined) {
    tally.reject('unknown_locality', rows.line, `LOCALITY_PID ${locality_pid} is not in LOCALITY`);
    return null;
  }
  const street_pid = rows.text(at.STREET_LOCALITY_PID);
  const street = street_pid === null ? null : context.streets.get(street_pid);
  if (street === undefined) {
    tally.reject('unknown_street', rows.line, `STREET_LOCALITY_PID ${street_pid} is not in STREET_LOCALITY`);
    return null;
  }
  const { state } = context.reader.source;
  const building_name = rows.text(at.BUILDING_NAME);
  const lot_number = assemble(rows, at.LOT_NUMBER_PREFIX, at.LOT_NUMBER, at.LOT_NUMBER_SUFFIX);
  const flat_type = rows.text(at.FLAT_TYPE_CODE);
  const flat_number = assemble(rows, at.FLAT_NUMBER_PREFIX, at.FLAT_NUMBER, at.FLAT_NUMBER_SUFFIX);
  const level_type = rows.text(at.LEVEL_TYPE_CODE);
  const level_number = assemble(rows, at.LEVEL_NUMBER_PREFIX, at.LEVEL_NUMBER, at.LEVEL_NUMBER_SUFFIX);
  const number_first = assemble(rows, at.NUMBER_FIRST_PREFIX, at.NUMBER_FIRST, at.NUMBER_FIRST_SUFFIX);
  const number_last = assemble(rows, at.NUMBER_LAST_PREFIX, at.NUMBER_LAST, at.NUMBER_LAST_SUFFIX);
  const postcode = rows.text(at.POSTCODE);
  const legal_parcel_id = rows.text(at.LEGAL_PARCEL_ID);
  return {
    load_id: 0,
    source_no: rows.line,
    cell: NO_CELL,
    gnaf_pid: rows.text(at.ADDRESS_DETAIL_PID)!,
    state,
    label: formatLabel({
      level_type: context.codes.levelType(level_type),
      level_number,
      flat_type: context.codes.flatType(flat_type),
      flat_number,
      building_name,
      lot_number,
      number_first,
      number_last,
      street: street === null ? null : street.label,
      location_description: street === null ? rows.text(at.LOCATION_DESCRIPTION) : null,
      locality_name,
      state,
      postcode,
    }),
    building_name,
    lot_number,
    flat_type,
    flat_number,
    level_type,
    level_number,
    number_first,
    number_last,
    street_pid,
    street_name: street === null ? null : street.name,
    street_type: street === null ? null : street.type,
    street_suffix: street === null ? null : street.suffix,
    locality_pid,
    locality_name,
    postcode,
    legal_parcel_id,
    lot_plan: normaliseLotPlan(state, legal_parcel_id),
    confidence,
    alias_principal: rows.text(at.ALIAS_PRINCIPAL)!,
    primary_secondary: rows.text(at.PRIMARY_SECONDARY),
    is_live: confidence >= 0 && rows.isEmpty(at.DATE_RETIRED),
    geocode_type: null,
    geocode_level,
    lon: null,
    lat: null,
    mesh_block: null,
    mesh_block_year: null,
  };
}

function place(row: AddressRow, lon: number, lat: number, type: string): void {
  row.lon = lon;
  row.lat = lat;
  row.geocode_type = type;
  row.cell = cellOf(lon, lat);
}

/** Joins the point and the mesh block. False where the address has no default geocode with coordinates. */
function join(row: AddressRow, key: number, positions: Positions, meshBlocks: MeshBlocks | null): boolean {
  const entry = positions.find(key, () => row.gnaf_pid);
  if (meshBlocks !== null) {
    const meshBlock = positions.useMeshBlock(entry);
    if (meshBlock >= 0) {
      row.mesh_block = meshBlocks.codes[meshBlock]!;
      row.mesh_block_year = meshBlocks.year;
    }
  }
  const lon = positions.useLon(entry);
  if (lon === null) return false;
  place(row, lon, positions.lat(entry), positions.geocodeType(entry));
  return true;
}

/** Addresses that have no default geocode, and their sites. */
class Waiting {
  #waiting: { row: AddressRow; site: string | null }[] = [];
  readonly #sites: SiteGeocodes;
  /** Addresses that no geocode was found for. */
  unplaced = 0;

  constructor(sites: SiteGeocodes) {
    this.#sites = sites;
  }

  get size(): number {
    return this.#waiting.length;
  }

  add(row: AddressRow, site: string | null): void {
    this.#waiting.push({ row, site });
  }

  /** All rows that wait, placed by the geocode of their site where it has one. */
  async resolve(): Promise<AddressRow[]> {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0) return [];
    const points = await this.#sites.find(new Set(waiting.flatMap(({ site }) => (site === null ? [] : [site]))));
    return waiting.map(({ row, site }) => {
      const point = site === null ? undefined : points.get(site);
      if (point === undefined) this.unplaced++;
      else place(row, point.lon, point.lat, point.type);
      return row;
    });
  }
}

/** Number of passes that keep the geocodes of each below the limit. */
function passesFor(reader: StateReader): { passes: number; expected: number } {
  const rows = Math.ceil(reader.source.tables.ADDRESS_DEFAULT_GEOCODE!.bytes / MIN_GEOCODE_BYTES);
  const passes = Math.max(1, Math.ceil(rows / reader.source.geocodesInMemory));
  return { passes, expected: Math.ceil((rows / passes) * 1.02) };
}

/**
 * Emits the addresses, each with its street, locality, default geocode and mesh block. A state with more geocodes than fit
 * into the set memory is read in several passes, each taking the addresses of one share of the PIDs, so that the order of
 * the records depends on that limit and their content does not. An address whose default geocode is missing or has no
 * coordinates takes the best geocode of its site and comes last.
 */
export async function* readAddresses(context: AddressContext): AsyncGenerator<Batch> {
  const { reader, meshBlocks } = context;
  const { tables } = reader.source;
  const detail = reader.tally(tables.ADDRESS_DETAIL!, addressRecord.name);
  const geocodes = reader.tally(tables.ADDRESS_DEFAULT_GEOCODE!, null);
  const links = meshBlocks === null ? null : reader.tally(reader.source.meshBlocks!.link, null);
  const sites = new SiteGeocodes(reader);
  const waiting = new Waiting(sites);
  const batch = new BatchBuilder(addressRecord, detail);
  const { passes, expected } = passesFor(reader);
  for (let pass = 0; pass < passes; pass++) {
    const share = { pass, passes };
    const positions = new Positions(expected);
    await readDefaultGeocodes(reader, share, positions, geocodes);
    if (meshBlocks !== null) await readMeshBlockLinks(reader, share, meshBlocks, positions, links!);
    yield* readShare(context, share, positions, { detail, batch, waiting });
    positions.close(geocodes, links);
  }
  for (const row of await waiting.resolve()) {
    batch.add(row);
    if (batch.full) yield* batch.take();
  }
  yield* batch.take();
  sites.close();
  if (waiting.unplaced > 0) {
    yield { notes: [`${reader.source.state}: ${waiting.unplaced} addresses have no coordinates in any geocode table.`] };
  }
}

async function* readShare(
  context: AddressContext,
  share: Share,
  positions: Positions,
  out: { detail: Tally; batch: BatchBuilder<typeof addressRecord>; waiting: Waiting },
): AsyncGenerator<Batch> {
  const { reader, meshBlocks } = context;
  const { detail, batch, waiting } = out;
  for await (const rows of reader.rows(reader.source.tables.ADDRESS_DETAIL!, names, badLineOf(detail, share))) {
    while (rows.next()) {
      const key = rows.span(at.ADDRESS_DETAIL_PID, pidKey);
      if (shareOf(key, share.passes) !== share.pass) continue;
      detail.rows_in++;
      const row = toAddress(rows, detail, context);
      if (row !== null) {
        detail.records++;
        if (join(row, key, positions, meshBlocks)) batch.add(row);
        else waiting.add(row, rows.text(at.ADDRESS_SITE_PID));
      }
      if (batch.full) yield* batch.take();
    }
    if (waiting.size >= MAX_WAITING) {
      for (const row of await waiting.resolve()) {
        batch.add(row);
        if (batch.full) yield* batch.take();
      }
    }
  }
}

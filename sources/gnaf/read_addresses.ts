import { addressRecord } from '../../schema/records/address.ts';
import type { SourceBatch } from '../adapter.ts';
import { RowBatches } from '../release/row_batches.ts';
import type { RowTally } from '../tally.ts';
import { type AddressLookups, type PartialAddress, toAddress } from './address_row.ts';
import type { StateReader } from './part.ts';
import { partOfKey, pidKey } from './pid_table.ts';
import {
  badLineOf,
  GeocodeTable,
  type MeshBlocks,
  type ReadPass,
  readDefaultGeocodes,
  readMeshBlockLinks,
} from './positions.ts';
import { SiteGeocodes } from './site_geocodes.ts';
import { TABLES } from './tables.ts';
import { setPoint, UnplacedAddresses } from './unplaced_addresses.ts';

/** Minimum bytes of a plausible row of ADDRESS_DEFAULT_GEOCODE: gives an upper estimate of the row count from the file size. */
const MIN_GEOCODE_BYTES = 60;
/** Maximum addresses without a default geocode that wait for the next pass over the site geocodes. */
const MAX_WAITING = 50_000;

const { names, at } = TABLES.ADDRESS_DETAIL;

/** Joins the point and the mesh block. False: the address has no default geocode with coordinates. */
function join(
  row: PartialAddress,
  key: number,
  positions: GeocodeTable,
  meshBlocks: MeshBlocks | null,
): boolean {
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
  setPoint(row, lon, positions.lat(entry), positions.geocodeType(entry));
  return true;
}

/** Computes the number of passes that keeps the geocodes of each pass below the limit. */
function passesFor(reader: StateReader): { passes: number; expected: number } {
  const rows = Math.ceil(reader.source.tables.ADDRESS_DEFAULT_GEOCODE!.bytes / MIN_GEOCODE_BYTES);
  const passes = Math.max(1, Math.ceil(rows / reader.source.geocodesInMemory));
  return { passes, expected: Math.ceil((rows / passes) * 1.02) };
}

/**
 * Emits the addresses, each with its street, locality, default geocode and mesh block. A state with more geocodes than the memory limit is
 * read in several passes, each for one share of the PIDs. The limit changes the order of the records, but not their content. An address
 * whose default geocode is missing or has no coordinates takes the best geocode of its site and comes last.
 */
export async function* readAddresses(
  reader: StateReader,
  lookups: AddressLookups,
  meshBlocks: MeshBlocks | null,
): AsyncGenerator<SourceBatch> {
  const { tables } = reader.source;
  const detail = reader.tally(tables.ADDRESS_DETAIL!, addressRecord.name);
  const geocodes = reader.tally(tables.ADDRESS_DEFAULT_GEOCODE!, null);
  const links = meshBlocks === null ? null : reader.tally(reader.source.meshBlocks!.link, null);
  const sites = new SiteGeocodes(reader);
  const unplaced = new UnplacedAddresses(sites);
  const batch = new RowBatches(addressRecord, detail);
  const { passes, expected } = passesFor(reader);
  for (let pass = 0; pass < passes; pass++) {
    const share = { pass, passes };
    const positions = new GeocodeTable(expected);
    yield* readDefaultGeocodes(reader, share, positions, geocodes);
    if (meshBlocks !== null) yield* readMeshBlockLinks(reader, share, meshBlocks, positions, links!);
    yield* readShare({ reader, lookups, meshBlocks, positions, detail, batch, unplaced }, share);
    positions.close(geocodes, links);
  }
  yield* emit(await unplaced.resolve(), batch);
  yield batch.rest();
  sites.close();
  if (unplaced.unplaced > 0) {
    yield {
      notes: [
        `${reader.source.state}: ${unplaced.unplaced} addresses have no coordinates in any geocode table.`,
      ],
    };
  }
}

interface AddressReadState {
  reader: StateReader;
  lookups: AddressLookups;
  meshBlocks: MeshBlocks | null;
  positions: GeocodeTable;
  detail: RowTally;
  batch: RowBatches<typeof addressRecord>;
  unplaced: UnplacedAddresses;
}

async function* readShare(reading: AddressReadState, share: ReadPass): AsyncGenerator<SourceBatch> {
  const { reader, lookups, meshBlocks, positions, detail, batch, unplaced } = reading;
  for await (const rows of reader.rows(
    reader.source.tables.ADDRESS_DETAIL!,
    names,
    badLineOf(detail, share),
  )) {
    while (rows.next()) {
      const key = rows.span(at.ADDRESS_DETAIL_PID, pidKey);
      if (partOfKey(key, share.passes) !== share.pass) continue;
      detail.rows_in++;
      const row = toAddress(rows, detail, lookups);
      if (row !== null) {
        detail.records++;
        if (join(row, key, positions, meshBlocks)) batch.add(row);
        else unplaced.add(row, rows.text(at.ADDRESS_SITE_PID));
      }
      if (batch.full) yield batch.rest();
    }
    if (unplaced.size >= MAX_WAITING) yield* emit(await unplaced.resolve(), batch);
  }
}

function* emit(
  rows: readonly PartialAddress[],
  batch: RowBatches<typeof addressRecord>,
): Generator<SourceBatch> {
  for (const row of rows) {
    batch.add(row);
    if (batch.full) yield batch.rest();
  }
}

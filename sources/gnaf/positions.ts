import type { SourceBatch } from '../adapter.ts';
import type { RowCursor } from '../formats/table/delimited.ts';
import { MAX_REJECTS } from '../release/row_batches.ts';
import type { RowTally } from '../tally.ts';
import type { StateReader } from './part.ts';
import { PidTable as Pids, type PidTable, partOfKey, pidKey } from './pid_table.ts';
import { dateRank, pidRank, readPoint } from './point.ts';
import { meshBlockLinkColumns, TABLES } from './tables.ts';

const HAS_POINT = 1;
const POINT_USED = 2;
const HAS_MESH_BLOCK = 4;
const MESH_BLOCK_USED = 8;

/** One pass over the tables: it takes the addresses whose PID belongs to share `pass` of `passes`. */
export interface ReadPass {
  pass: number;
  passes: number;
}

/** Codes of mesh blocks, and the position of each MB_<year>_PID among them. */
export interface MeshBlocks {
  year: number;
  codes: string[];
  byPid: Map<string, number>;
}

/** Type of a point, and what decides between two points of one address: the later date, then the lower rank. */
interface GeocodeRank {
  type: string;
  date: number;
  rank: number;
}

/** Default geocode and mesh block of a share's addresses, in typed arrays: about 45 bytes per address. */
export class GeocodeTable {
  readonly #pids: PidTable;
  readonly #types: string[] = [];
  readonly #typeNumbers = new Map<string, number>();
  #lon: Float64Array;
  #lat: Float64Array;
  #type: Uint16Array;
  #flags: Uint8Array;
  #date: Uint16Array;
  #pid: Uint32Array;
  #meshBlock: Int32Array;
  #meshDate: Uint16Array;

  /** @param expected number of addresses to allocate for; the table grows beyond it. */
  constructor(expected: number) {
    const size = Math.max(1024, expected);
    this.#pids = new Pids(size);
    this.#lon = new Float64Array(size);
    this.#lat = new Float64Array(size);
    this.#type = new Uint16Array(size);
    this.#flags = new Uint8Array(size);
    this.#date = new Uint16Array(size);
    this.#pid = new Uint32Array(size);
    this.#meshBlock = new Int32Array(size);
    this.#meshDate = new Uint16Array(size);
  }

  /** Returns the number of an address; -1: not in the table. */
  find(key: number, pid: () => string): number {
    return this.#pids.find(key, pid);
  }

  /** Returns the longitude of an address and marks its point as used; null: no point. */
  useLon(at: number): number | null {
    if (at < 0 || (this.#flags[at]! & HAS_POINT) === 0) return null;
    this.#flags[at]! |= POINT_USED;
    return this.#lon[at]!;
  }

  lat(at: number): number {
    return this.#lat[at]!;
  }

  geocodeType(at: number): string {
    return this.#types[this.#type[at]!]!;
  }

  /** Returns the position of the mesh block in its list and marks it as used; -1: none. */
  useMeshBlock(at: number): number {
    if (at < 0 || (this.#flags[at]! & HAS_MESH_BLOCK) === 0) return -1;
    this.#flags[at]! |= MESH_BLOCK_USED;
    return this.#meshBlock[at]!;
  }

  /** Sets the point of an address unless it has a better one. False: one of two points was discarded. */
  setPoint(key: number, pid: () => string, point: Float64Array, { type, date, rank }: GeocodeRank): boolean {
    const at = this.#add(key, pid);
    const hasPoint = (this.#flags[at]! & HAS_POINT) !== 0;
    if (hasPoint && (date < this.#date[at]! || (date === this.#date[at]! && rank >= this.#pid[at]!)))
      return false;
    this.#flags[at]! |= HAS_POINT;
    this.#lon[at] = point[0]!;
    this.#lat[at] = point[1]!;
    this.#type[at] = this.#typeNumber(type);
    this.#date[at] = date;
    this.#pid[at] = rank;
    return !hasPoint;
  }

  /** Sets the mesh block of an address unless it has a later one. False: one of two was discarded. */
  setMeshBlock(key: number, pid: () => string, meshBlock: number, date: number): boolean {
    const at = this.#add(key, pid);
    const hasMeshBlock = (this.#flags[at]! & HAS_MESH_BLOCK) !== 0;
    if (
      hasMeshBlock &&
      (date < this.#meshDate[at]! || (date === this.#meshDate[at]! && meshBlock >= this.#meshBlock[at]!))
    ) {
      return false;
    }
    this.#flags[at]! |= HAS_MESH_BLOCK;
    this.#meshBlock[at] = meshBlock;
    this.#meshDate[at] = date;
    return !hasMeshBlock;
  }

  /** Counts used rows as records and the rest as `no_address`. */
  close(geocodes: RowTally, meshBlocks: RowTally | null): void {
    for (let at = 0; at < this.#pids.size; at++) {
      const flags = this.#flags[at]!;
      if (flags & POINT_USED) geocodes.records++;
      else if (flags & HAS_POINT) geocodes.drop('no_address');
      if (meshBlocks === null) continue;
      if (flags & MESH_BLOCK_USED) meshBlocks.records++;
      else if (flags & HAS_MESH_BLOCK) meshBlocks.drop('no_address');
    }
  }

  #typeNumber(type: string): number {
    let number = this.#typeNumbers.get(type);
    if (number === undefined) {
      number = this.#types.length;
      this.#typeNumbers.set(type, number);
      this.#types.push(type);
    }
    return number;
  }

  #add(key: number, pid: () => string): number {
    const at = this.#pids.add(key, pid);
    if (at === this.#lon.length) this.#grow();
    return at;
  }

  #grow(): void {
    const size = this.#lon.length * 2;
    const larger = <A extends Float64Array | Uint16Array | Uint8Array | Uint32Array | Int32Array>(
      from: A,
      to: A,
    ): A => {
      to.set(from);
      return to;
    };
    this.#lon = larger(this.#lon, new Float64Array(size));
    this.#lat = larger(this.#lat, new Float64Array(size));
    this.#type = larger(this.#type, new Uint16Array(size));
    this.#flags = larger(this.#flags, new Uint8Array(size));
    this.#date = larger(this.#date, new Uint16Array(size));
    this.#pid = larger(this.#pid, new Uint32Array(size));
    this.#meshBlock = larger(this.#meshBlock, new Int32Array(size));
    this.#meshDate = larger(this.#meshDate, new Uint16Array(size));
  }
}

/** Returns the text of a PID column of the current row, for PIDs without a numeric key. */
const pidText =
  (rows: RowCursor, column: number): (() => string) =>
  () =>
    rows.text(column) ?? '';

/**
 * Reads the default geocodes of a share. Retired ones are dropped, and all but the best of one address: the latest DATE_CREATED wins, then
 * the lowest pid, then the first in the file.
 */
export async function* readDefaultGeocodes(
  reader: StateReader,
  share: ReadPass,
  into: GeocodeTable,
  tally: RowTally,
): AsyncGenerator<SourceBatch> {
  const { names, at } = TABLES.ADDRESS_DEFAULT_GEOCODE;
  const member = reader.source.tables.ADDRESS_DEFAULT_GEOCODE!;
  const point = new Float64Array(2);
  for await (const rows of reader.rows(member, names, badLineOf(tally, share))) {
    const pid = pidText(rows, at.ADDRESS_DETAIL_PID);
    while (rows.next()) {
      const key = rows.span(at.ADDRESS_DETAIL_PID, pidKey);
      if (partOfKey(key, share.passes) !== share.pass) continue;
      tally.rows_in++;
      if (!rows.isEmpty(at.DATE_RETIRED)) tally.drop('retired');
      else if (readPoint(rows, at, tally, reader.toGda2020, point)) {
        const type = rows.text(at.GEOCODE_TYPE_CODE) ?? 'UNK';
        const date = rows.span(at.DATE_CREATED, dateRank);
        const rank = rows.span(at.ADDRESS_DEFAULT_GEOCODE_PID, pidRank);
        if (!into.setPoint(key, pid, point, { type, date, rank })) tally.drop('extra_geocode');
      }
    }
    yield* reader.takeRejects(MAX_REJECTS);
  }
}

/** Counts malformed lines in the first pass only. */
export const badLineOf = (tally: RowTally, share: ReadPass): RowTally['badLine'] =>
  share.pass === 0 ? tally.badLine : () => {};

/** Reads the mesh-block links of a share. Of several live links of one address the latest wins, then the lowest code. */
export async function* readMeshBlockLinks(
  reader: StateReader,
  share: ReadPass,
  meshBlocks: MeshBlocks,
  into: GeocodeTable,
  tally: RowTally,
): AsyncGenerator<SourceBatch> {
  const { link } = reader.source.meshBlocks!;
  const [CREATED, RETIRED, ADDRESS, MESH_BLOCK] = [0, 1, 2, 3];
  for await (const rows of reader.rows(
    link,
    meshBlockLinkColumns(meshBlocks.year),
    badLineOf(tally, share),
  )) {
    const pid = pidText(rows, ADDRESS);
    while (rows.next()) {
      const key = rows.span(ADDRESS, pidKey);
      if (partOfKey(key, share.passes) !== share.pass) continue;
      tally.rows_in++;
      if (!rows.isEmpty(RETIRED)) {
        tally.drop('retired');
        continue;
      }
      const meshBlockPid = rows.text(MESH_BLOCK) ?? '';
      const meshBlock = meshBlocks.byPid.get(meshBlockPid);
      if (meshBlock === undefined) {
        tally.reject(
          rows.line,
          'unknown_mesh_block',
          `MB_${meshBlocks.year}_PID "${meshBlockPid}" is not in MB_${meshBlocks.year}`,
        );
      } else if (!into.setMeshBlock(key, pid, meshBlock, rows.span(CREATED, dateRank)))
        tally.drop('extra_mesh_block');
    }
    yield* reader.takeRejects(MAX_REJECTS);
  }
}

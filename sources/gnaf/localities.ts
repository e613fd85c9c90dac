import {
  localityAliasRecord,
  localityNeighbourRecord,
  localityRecord,
} from '../../schema/records/address.ts';
import type { SourceBatch } from '../adapter.ts';
import { isRetired, lacksValue, readTable, type StateReader } from './part.ts';
import { dateRank, pidRank, readPoint } from './point.ts';
import { TABLES } from './tables.ts';

/** Locality names by LOCALITY_PID. */
export type LocalityNames = Map<string, string>;

interface LocalityPoint {
  lon: number;
  lat: number;
  date: number;
  pid: number;
  used: boolean;
}

/**
 * Reads points by LOCALITY_PID. Of several points, the latest DATE_CREATED wins, then the lowest pid; the others are dropped as
 * `extra_point`.
 */
async function readPoints(
  reader: StateReader,
): Promise<{ points: Map<string, LocalityPoint>; finish: () => void }> {
  const points = new Map<string, LocalityPoint>();
  const member = reader.source.tables.LOCALITY_POINT;
  if (member === undefined) return { points, finish: () => {} };
  const { names, at } = TABLES.LOCALITY_POINT;
  const tally = reader.tally(member, null);
  const point = new Float64Array(2);
  for await (const rows of reader.rows(member, names, tally.badLine)) {
    while (rows.next()) {
      tally.rows_in++;
      if (isRetired(rows, tally, at.DATE_RETIRED)) continue;
      if (!readPoint(rows, at, tally, reader.toGda2020, point)) continue;
      const locality = rows.text(at.LOCALITY_PID) ?? '';
      const date = rows.span(at.DATE_CREATED, dateRank);
      const pid = rows.span(at.LOCALITY_POINT_PID, pidRank);
      const existing = points.get(locality);
      if (existing !== undefined) tally.drop('extra_point');
      if (existing === undefined || date > existing.date || (date === existing.date && pid < existing.pid)) {
        points.set(locality, { lon: point[0]!, lat: point[1]!, date, pid, used: false });
      }
    }
  }
  const finish = (): void => {
    for (const { used } of points.values()) {
      if (used) tally.records++;
      else tally.drop('no_locality');
    }
  };
  return { points, finish };
}

/**
 * Emits the localities with their points and fills `localities`. Includes retired ones: retired addresses, kept for matching, refer to
 * them.
 */
export async function* readLocalities(
  reader: StateReader,
  localities: LocalityNames,
): AsyncGenerator<SourceBatch> {
  const { points, finish } = await readPoints(reader);
  const { names, at } = TABLES.LOCALITY;
  const { state, tables } = reader.source;
  yield* readTable(
    reader,
    { member: tables.LOCALITY, columns: names, table: localityRecord },
    (rows, tally) => {
      if (lacksValue(rows, tally, names, [at.LOCALITY_PID, at.LOCALITY_NAME, at.LOCALITY_CLASS_CODE]))
        return null;
      const pid = rows.text(at.LOCALITY_PID)!;
      const name = rows.text(at.LOCALITY_NAME)!.toUpperCase();
      localities.set(pid, name);
      const point = points.get(pid);
      if (point !== undefined) point.used = true;
      return {
        load_id: 0,
        source_no: rows.line,
        locality_pid: pid,
        state,
        name,
        class: rows.text(at.LOCALITY_CLASS_CODE)!,
        postcode: rows.text(at.PRIMARY_POSTCODE),
        lon: point?.lon ?? null,
        lat: point?.lat ?? null,
      };
    },
  );
  finish();
}

export function readLocalityAliases(
  reader: StateReader,
  localities: LocalityNames,
): AsyncGenerator<SourceBatch> {
  const { names, at } = TABLES.LOCALITY_ALIAS;
  const input = { member: reader.source.tables.LOCALITY_ALIAS, columns: names, table: localityAliasRecord };
  return readTable(reader, input, (rows, tally) => {
    if (isRetired(rows, tally, at.DATE_RETIRED)) return null;
    if (lacksValue(rows, tally, names, [at.LOCALITY_ALIAS_PID, at.LOCALITY_PID, at.NAME])) return null;
    const locality = rows.text(at.LOCALITY_PID)!;
    if (!localities.has(locality)) {
      tally.reject(rows.line, 'unknown_locality', `LOCALITY_PID ${locality} is not in LOCALITY`);
      return null;
    }
    return {
      load_id: 0,
      source_no: rows.line,
      alias_id: rows.text(at.LOCALITY_ALIAS_PID)!,
      locality_pid: locality,
      name: rows.text(at.NAME)!.toUpperCase(),
      postcode: rows.text(at.POSTCODE),
      alias_type: rows.text(at.ALIAS_TYPE_CODE),
    };
  });
}

/** Reads neighbouring localities. A neighbour may be in another state, so only the presence of its pid is checked. */
export function readLocalityNeighbours(reader: StateReader): AsyncGenerator<SourceBatch> {
  const { names, at } = TABLES.LOCALITY_NEIGHBOUR;
  const input = {
    member: reader.source.tables.LOCALITY_NEIGHBOUR,
    columns: names,
    table: localityNeighbourRecord,
  };
  return readTable(reader, input, (rows, tally) => {
    if (isRetired(rows, tally, at.DATE_RETIRED)) return null;
    if (lacksValue(rows, tally, names, [at.LOCALITY_PID, at.NEIGHBOUR_LOCALITY_PID])) return null;
    return {
      load_id: 0,
      source_no: rows.line,
      locality_pid: rows.text(at.LOCALITY_PID)!,
      neighbour_pid: rows.text(at.NEIGHBOUR_LOCALITY_PID)!,
    };
  });
}

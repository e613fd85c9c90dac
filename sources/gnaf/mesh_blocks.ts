import type { StateReader } from './part.ts';
import type { MeshBlocks } from './positions.ts';
import { meshBlockColumns } from './tables.ts';

/** Reads MB_<year>. Codes are in ascending order, so a lower position is a lower code. Null: the release has none. */
export async function readMeshBlocks(reader: StateReader): Promise<MeshBlocks | null> {
  const source = reader.source.meshBlocks;
  if (source === null) return null;
  const tally = reader.tally(source.codes, null);
  const names = meshBlockColumns(source.year);
  const [PID, CODE] = [0, 1];
  const pairs: [pid: string, code: string][] = [];
  for await (const rows of reader.rows(source.codes, names, tally.badLine)) {
    while (rows.next()) {
      tally.rows_in++;
      const [pid, code] = [rows.text(PID), rows.text(CODE)];
      if (pid === null || code === null)
        tally.reject(rows.line, 'missing_value', `${pid === null ? names[PID] : names[CODE]} is empty`);
      else if (!/^\d{11}$/.test(code))
        tally.reject(rows.line, 'bad_mesh_block', `mesh block "${code}" is not eleven digits`);
      else {
        tally.records++;
        pairs.push([pid, code]);
      }
    }
  }
  const codes = [...new Set(pairs.map(([, code]) => code))].sort();
  const places = new Map(codes.map((code, place) => [code, place]));
  return { year: source.year, codes, byPid: new Map(pairs.map(([pid, code]) => [pid, places.get(code)!])) };
}

import type pg from 'pg';
import { EtlError } from '../../schema/errors.ts';
import type { InputAccount, Part, Release } from '../../sources/adapter.ts';
import { jsonText } from '../../store/json_text.ts';

/** A dataset to read, with the fingerprint of its files and settings together. */
interface DatasetToRead {
  dataset: string;
  adapter: string;
  fingerprint: string;
}

/** A part of a release, with the fingerprint of everything that determines its records. */
export interface PartToRead {
  part: Part;
  fingerprint: string;
}

/** Records loads about to be read, one for each part, and returns their ids in part order. */
export async function startLoads(
  client: pg.ClientBase,
  plan: DatasetToRead,
  release: Release,
  parts: readonly PartToRead[],
  runId: number,
): Promise<number[]> {
  if (parts.length === 0) return [];
  const files = release.dataset.files.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 }));
  const { rows } = await client.query<{ load_id: number; part: string }>(
    `INSERT INTO control.load (dataset, part, adapter, release, fingerprint, state, run_id, crs, files, notes, part_fingerprint)
     SELECT $1, part, $2, $3, $4, 'loading', $5, $6, $7, $8, part_fingerprint
     FROM unnest($9::text[], $10::text[]) p (part, part_fingerprint) RETURNING load_id, part`,
    [
      plan.dataset,
      plan.adapter,
      release.id,
      plan.fingerprint,
      runId,
      jsonText(release.crs),
      jsonText(files),
      jsonText(release.notes),
      parts.map(({ part }) => part.id),
      parts.map(({ fingerprint }) => fingerprint),
    ],
  );
  const loadOf = new Map(rows.map(({ part, load_id }) => [part, load_id]));
  return parts.map(({ part }) => loadOf.get(part.id)!);
}

export interface CompleteLoad {
  load_id: number;
  part: string;
  accounts: InputAccount[];
  notes: string[];
}

/** Reads the records of complete loads, in id order. @throws EtlError run_superseded if one is not complete */
export async function completeLoads(
  client: pg.ClientBase,
  loadIds: readonly number[],
): Promise<CompleteLoad[]> {
  const { rows } = await client.query<CompleteLoad>(
    `SELECT load_id, part, accounts, notes FROM control.load WHERE load_id = ANY ($1) AND state = 'loaded'
     ORDER BY array_position($1, load_id)`,
    [loadIds],
  );
  if (rows.length === loadIds.length) return rows;
  throw new EtlError('run_superseded', 'A load of this run is gone: another run took over.');
}

/** Finds the active loads, by part, of parts that name their files and have not changed. */
export async function unchangedLoads(
  client: pg.ClientBase,
  dataset: string,
  parts: readonly PartToRead[],
): Promise<ReadonlyMap<string, CompleteLoad>> {
  const withFiles = parts.filter(({ part }) => part.files);
  if (withFiles.length === 0) return new Map();
  const { rows } = await client.query<CompleteLoad & { part_fingerprint: string }>(
    `SELECT part, part_fingerprint, load_id, accounts, notes FROM control.load
     WHERE dataset = $1 AND state = 'active' AND part = ANY ($2) ORDER BY load_id DESC`,
    [dataset, withFiles.map(({ part }) => part.id)],
  );
  const fingerprints = new Map(withFiles.map(({ part, fingerprint }) => [part.id, fingerprint]));
  return new Map(
    rows.filter((row) => fingerprints.get(row.part) === row.part_fingerprint).map((row) => [row.part, row]),
  );
}

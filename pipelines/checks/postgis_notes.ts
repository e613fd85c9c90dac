import type pg from 'pg';
import { ident, qualified } from '../../schema/ddl.ts';
import { RECORD_TABLES } from '../../schema/records/index.ts';

/** Maximum shapes checked in one table; a few seconds of work. */
const MOST = 200_000;

/**
 * Checks the shapes that a run loaded with PostGIS, if installed. Returns a sentence for each table with shapes that ST_IsValid rejects.
 */
export async function postgisNotes(client: pg.ClientBase, runId: number): Promise<string[]> {
  const { rows: installed } = await client.query<{ schema: string }>(
    `SELECT n.nspname AS schema FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'postgis'`,
  );
  const schema = installed[0]?.schema;
  if (schema === undefined) return [];
  const notes: string[] = [];
  for (const table of RECORD_TABLES) {
    if (table.columns.geom?.type !== 'bytea') continue;
    const id = table.primaryKey.at(-1)!;
    const { rows } = await client.query<{ looked: number; invalid: number; example: string | null }>(
      `SELECT count(*)::int AS looked, count(*) FILTER (WHERE NOT ok)::int AS invalid, min(id) FILTER (WHERE NOT ok) AS example
       FROM (SELECT ${ident(id)}::text AS id, ${ident(schema)}.ST_IsValid(${ident(schema)}.ST_GeomFromWKB(geom)) AS ok
         FROM ${qualified(table)} WHERE load_id IN (SELECT load_id FROM control.load WHERE state = 'active' AND run_id = $1)
         LIMIT ${MOST}) s`,
      [runId],
    );
    const { looked, invalid, example } = rows[0]!;
    if (invalid > 0)
      notes.push(
        `PostGIS ST_IsValid rejects ${invalid} of ${looked} shapes of ${table.name}, for example ${example}.`,
      );
  }
  return notes;
}

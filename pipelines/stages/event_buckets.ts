import type { ClientBase } from 'pg';

/** Buckets that have market events (schema/event_bucket.ts), from the books; no event is read. */
export async function readEventBuckets(client: ClientBase): Promise<number[]> {
  const { rows } = await client.query<{ cell: number }>(
    `SELECT DISTINCT d.cell FROM control.load_digest d JOIN control.load l USING (load_id)
     WHERE l.state = 'active' AND d.table_name = 'market_event'`,
  );
  return rows.map((row) => row.cell);
}

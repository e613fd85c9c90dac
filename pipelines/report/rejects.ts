import type pg from 'pg';
import type { RunReport } from './report.ts';

/** SQL for rejects of active loads and of stages. */
const ACTIVE = `FROM control.reject r LEFT JOIN control.load l USING (load_id)
  WHERE (r.load_id IS NULL OR l.state = 'active')`;

const PLACE = `r.file || ':' || r.at || ' ' || r.message`;

/** Counts rejects by code and source, with three examples each, the first by location. */
export async function readRejectCounts(client: pg.ClientBase): Promise<RunReport['rejects']> {
  const { rows } = await client.query(
    `SELECT code, source, count(*)::int AS rows, min(place) AS example,
       COALESCE(array_agg(place ORDER BY place) FILTER (WHERE n <= 3), '{}') AS examples
     FROM (SELECT r.code, COALESCE(l.dataset, r.stage) AS source, ${PLACE} AS place,
         row_number() OVER (PARTITION BY r.code, COALESCE(l.dataset, r.stage) ORDER BY ${PLACE}) AS n ${ACTIVE}) t
     GROUP BY code, source ORDER BY source, code`,
  );
  return rows;
}

export interface RejectedRow {
  /** Dataset, or the stage that rejected it. */
  source: string;
  code: string;
  file: string;
  at: string;
  message: string;
  /** Whether the row belongs to the dataset's last delivery, which was rejected as a whole because of its rejects. */
  failed: boolean;
}

export interface RejectFilter {
  dataset: string | null;
  code: string | null;
  limit: number;
}

/** Lists rejected rows of loaded datasets, rejected deliveries and computed stages, by source, code and location. */
export async function listRejects(client: pg.ClientBase, filter: RejectFilter): Promise<RejectedRow[]> {
  const { rows } = await client.query<RejectedRow>(
    `SELECT * FROM (
       SELECT COALESCE(l.dataset, r.stage) AS source, r.code, r.file, r.at, r.message, false AS failed ${ACTIVE}
       UNION ALL SELECT dataset, code, file, at, message, true FROM control.failed_reject) t
     WHERE ($1::text IS NULL OR source = $1) AND ($2::text IS NULL OR code = $2)
     ORDER BY source, failed, code, file, length(at), at, message LIMIT $3`,
    [filter.dataset, filter.code, filter.limit],
  );
  return rows;
}

import type pg from 'pg';
import type { DatasetReport } from '../report/report.ts';

export async function loadedReport(
  client: pg.ClientBase,
  plan: { dataset: string; adapter: string; reason: string },
): Promise<DatasetReport> {
  const { rows } = await client.query(
    `SELECT release, crs, accounts, notes FROM control.load WHERE dataset = $1 AND state = 'active' ORDER BY part`,
    [plan.dataset],
  );
  return {
    dataset: plan.dataset,
    adapter: plan.adapter,
    release: rows[0]?.release ?? '',
    action: 'unchanged',
    reason: plan.reason,
    crs: rows[0]?.crs ?? { applied: '', stated: null, overridden: false },
    accounts: rows.flatMap((row) => row.accounts),
    notes: [...new Set<string>(rows.flatMap((row) => row.notes))],
    rows: 0,
    seconds: 0,
  };
}

/** Returns the reports of all loaded datasets, without reading files. */
export async function loadedDatasets(client: pg.ClientBase): Promise<DatasetReport[]> {
  const { rows } = await client.query<{ dataset: string; adapter: string }>(
    `SELECT DISTINCT dataset, adapter FROM control.load WHERE state = 'active' ORDER BY dataset`,
  );
  const reports: DatasetReport[] = [];
  for (const row of rows) reports.push(await loadedReport(client, { ...row, reason: 'not looked at' }));
  return reports;
}

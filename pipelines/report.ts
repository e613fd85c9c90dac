import type { ErrorKind } from '../schema/errors.ts';
import type { InputAccount } from '../sources/adapter.ts';

/** What became of one dataset in a run. */
export interface DatasetReport {
  dataset: string;
  adapter: string;
  release: string;
  action: 'loaded' | 'unchanged' | 'removed';
  reason: string;
  crs: { applied: string; stated: string | null; overridden: boolean };
  accounts: InputAccount[];
  notes: string[];
  rows: number;
  seconds: number;
}

/** What became of one stage in a run. Row figures are those of all its partitions, computed in this run or before. */
export interface StageReport {
  stage: string;
  partitions_run: number;
  partitions_removed: number;
  partitions_unchanged: number;
  reasons: Record<string, number>;
  account: { in: number; out: number; rejects: number; drops: Record<string, number> };
  rows: number;
  rows_written: number;
  seconds: number;
}

export interface AuditCheck {
  check: string;
  table: string;
  status: 'pass' | 'accepted' | 'fail';
  message: string;
}

export interface TableReport {
  table: string;
  rows: number;
  inserted: number;
  updated: number;
  deleted: number;
}

/** One report for one run: stored, printed and returned by jobs. */
export interface RunReport {
  run_id: number;
  command: string;
  state: 'published' | 'unchanged' | 'failed' | 'refused';
  publication: number | null;
  datasets: DatasetReport[];
  stages: StageReport[];
  rejects: { code: string; source: string; rows: number; example: string }[];
  audit: AuditCheck[];
  tables: TableReport[];
  seconds: number;
  peak_memory_mb: number;
  error: { code: string; message: string; kind: ErrorKind; details: unknown } | null;
}

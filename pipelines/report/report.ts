import type { ErrorKind } from '../../schema/errors.ts';
import type { InputAccount, Release } from '../../sources/adapter.ts';
import type { TableFacts } from '../../store/journal/counted_facts.ts';
import type { Vacuumed } from '../../store/vacuum.ts';
import type { MadeBy } from './made_by.ts';
import type { RunTimeline } from './timeline.ts';

/** What became of one dataset in a run. */
export interface DatasetReport {
  dataset: string;
  adapter: string;
  release: string;
  /** kept: it could not be read, for the reason, and what was loaded last stays in service. */
  action: 'loaded' | 'unchanged' | 'removed' | 'kept';
  reason: string;
  crs: Release['crs'];
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
  /** Partitions that were not computed because what they read from was set aside. */
  partitions_blocked: number;
  /** Of those that ran or were removed, the ones that workers of other machines took. */
  partitions_elsewhere: number;
  reasons: Record<string, number>;
  account: { in: number; out: number; rejects: number; drops: Record<string, number> };
  rows: number;
  rows_written: number;
  seconds: number;
}

/** How a check may end; `too_few`: beyond its limit, and of too few rows for that to say anything; `warning`: an audit found rows, and lets them pass. */
export const AUDIT_STATUSES = ['pass', 'too_few', 'warning', 'accepted', 'fail'] as const;

export interface AuditCheck {
  check: string;
  table: string;
  status: (typeof AUDIT_STATUSES)[number];
  message: string;
}

const SAID = {
  pass: 'passed',
  fail: 'failed',
  accepted: 'accepted',
  warning: 'warned',
  too_few: 'too few to judge',
} as const;

/** How the checks of an audit ended, in words: `138 passed, 1 failed`. */
export function auditWords(audit: readonly AuditCheck[]): string {
  const counts = (Object.keys(SAID) as (keyof typeof SAID)[]).map(
    (status) => [status, audit.filter((check) => check.status === status).length] as const,
  );
  return counts
    .filter(([status, n]) => n > 0 || status === 'pass')
    .map(([status, n]) => `${n.toLocaleString('en-AU')} ${SAID[status]}`)
    .join(', ');
}

/** What a publication did to one serving table. */
export interface TableReport {
  table: string;
  rows: number;
  inserted: number;
  updated: number;
  deleted: number;
  /** The rows are the first ones of the table; the journal does not list them. */
  base: boolean;
  /** Sum of the row hashes of the table, comparable on one server only; null: not published. */
  digest: string | null;
  /** Identifies the columns that the digest covers. */
  shape: string;
  facts: TableFacts;
  /** Rows by state at the publication before. */
  states_before: Record<string, number>;
}

/** A partition that could not be computed, and was left out so that the rest could be done. */
export interface SetAside {
  stage: string;
  /** In words: `cell 2893710`, `month VIC 2024-03` (schema/partition.ts). */
  partition: string;
  /** How often it was tried. */
  attempts: number;
  code: string;
  message: string;
}

/** One report for one run: stored, printed and returned by jobs. */
export interface RunReport {
  run_id: number;
  /** The program and the settings that made it; absent: a run from before this was kept. */
  made_by?: MadeBy;
  command: string;
  state: 'published' | 'unchanged' | 'failed' | 'refused';
  publication: number | null;
  datasets: DatasetReport[];
  stages: StageReport[];
  rejects: { code: string; source: string; rows: number; example: string; examples: string[] }[];
  /** Partitions that failed; nothing is published where there are any. */
  set_aside: SetAside[];
  audit: AuditCheck[];
  tables: TableReport[];
  /** What an operator should know besides. */
  notes: string[];
  /** What was done about dead rows at the end; null or absent: nothing. */
  vacuum?: Vacuumed | null;
  /** When it did what; absent: a run from before this was kept, or a rollback. */
  timeline?: RunTimeline;
  seconds: number;
  peak_memory_mb: number;
  /** Size of the database when it ended; absent: it could not be asked, or a run from before this was kept. */
  database_mb?: number;
  error: { code: string; message: string; kind: ErrorKind; details: unknown } | null;
}

import type { ErrorKind } from '../../schema/errors.ts';
import type { InputAccount, Release } from '../../sources/adapter.ts';
import type { TableFacts } from '../../store/journal/counted_facts.ts';
import type { Vacuumed } from '../../store/vacuum.ts';
import type { RunProvenance } from './run_provenance.ts';
import type { RunTimeline } from './timeline.ts';

/** The result of one dataset in a run. */
export interface DatasetReport {
  dataset: string;
  adapter: string;
  release: string;
  /** kept: the dataset could not be read, for the given reason, and its last load stays in service. */
  action: 'loaded' | 'unchanged' | 'removed' | 'kept';
  reason: string;
  crs: Release['crs'];
  accounts: InputAccount[];
  notes: string[];
  rows: number;
  seconds: number;
}

/** The result of one stage in a run. Row counts cover all its partitions, whether computed in this run or before. */
export interface StageReport {
  stage: string;
  partitions_run: number;
  partitions_removed: number;
  partitions_unchanged: number;
  /** Partitions among partitions_run and partitions_removed that workers on other machines took. */
  partitions_elsewhere: number;
  reasons: Record<string, number>;
  account: { in: number; out: number; rejects: number; drops: Record<string, number> };
  rows: number;
  rows_written: number;
  seconds: number;
}

/**
 * Outcomes of a check. `too_few`: beyond its limit, but with too few rows to fail. `nothing`: nothing to compare. `warning`: an audit found
 * rows and does not block.
 */
export const AUDIT_STATUSES = ['pass', 'nothing', 'too_few', 'warning', 'accepted', 'fail'] as const;

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
  nothing: 'had nothing to compare',
} as const;

/** The error of a run that ended without a report. */
export const INTERRUPTED = {
  code: 'interrupted',
  kind: 'transient',
  details: null,
  message:
    'The process ended before the run did: it was killed, or lost its machine or its database. The next refresh resumes its work.',
} as const;

/** Says what a run that published nothing leaves in service. */
export const stillServed = ({ served }: Pick<RunReport, 'served'>): string =>
  served === null
    ? 'Nothing is published yet.'
    : served === undefined
      ? 'Any earlier publication is still served.'
      : `Publication ${served} is still served.`;

/** Counts checks by status, in words: `138 passed, 1 failed`. */
export function auditWords(audit: readonly AuditCheck[]): string {
  const counts = (Object.keys(SAID) as (keyof typeof SAID)[]).map(
    (status) => [status, audit.filter((check) => check.status === status).length] as const,
  );
  return counts
    .filter(([status, n]) => n > 0 || status === 'pass')
    .map(([status, n]) => `${n.toLocaleString('en-AU')} ${SAID[status]}`)
    .join(', ');
}

/** Effect of a publication on one serving table. */
export interface TableReport {
  table: string;
  rows: number;
  inserted: number;
  updated: number;
  deleted: number;
  /** Whether these are the table's first rows; the journal does not list them. */
  base: boolean;
  /** Sum of the row hashes of the table, comparable only on the same server; null: not published. */
  digest: string | null;
  /** Identifies the columns that the digest covers. */
  shape: string;
  facts: TableFacts;
  /** Rows by state at the previous publication. */
  states_before: Record<string, number>;
}

/** A partition that could not be computed. */
export interface FailedPartition {
  stage: string;
  /** In words: `cell 2893710`, `month VIC 2024-03` (schema/partition.ts). */
  partition: string;
  attempts: number;
  code: string;
  message: string;
}

/** Report of one run: stored, printed and returned by jobs. */
export interface RunReport {
  run_id: number;
  /** The program and its settings; absent: a run from before this field existed. */
  made_by?: RunProvenance;
  command: string;
  /** `held`: computed and audited, but not published. */
  state: 'published' | 'unchanged' | 'held' | 'failed' | 'refused';
  publication: number | null;
  /** Publication served when the run began; null: none; absent: a run from before this field existed. */
  served?: number | null;
  datasets: DatasetReport[];
  stages: StageReport[];
  rejects: { code: string; source: string; rows: number; example: string; examples: string[] }[];
  /** Partitions that failed. A run with any of them publishes nothing. */
  set_aside: FailedPartition[];
  audit: AuditCheck[];
  tables: TableReport[];
  /** Further remarks for the operator. */
  notes: string[];
  /** Vacuum at the end of the run; null or absent: none. */
  vacuum?: Vacuumed | null;
  /** Timings; absent: a rollback, or a run from before this field existed. */
  timeline?: RunTimeline;
  seconds: number;
  peak_memory_mb: number;
  /** Size of the database at the end; absent: not measured, or a run from before this field existed. */
  database_mb?: number;
  error: { code: string; message: string; kind: ErrorKind; details: unknown } | null;
}

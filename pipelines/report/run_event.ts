import type { DatasetReport, FailedPartition, RunReport, StageReport } from './report.ts';

/** Events of a run, for logs and lineage. */
export type RunEvent =
  | { event: 'run_started'; run_id: number; command: string; at: string }
  | { event: 'dataset_done'; run_id: number; dataset: DatasetReport }
  | { event: 'stage_started'; run_id: number; stage: string; partitions: number; at: string }
  | { event: 'batch_done'; run_id: number; stage: string; cells: number[]; rows: number }
  | {
      event: 'retrying';
      run_id: number;
      /** Stage or dataset. */
      subject: string;
      cells: number[];
      attempt: number;
      wait_ms: number;
      code: string;
      message: string;
    }
  | { event: 'partition_failed'; run_id: number; partition: FailedPartition }
  | { event: 'stage_done'; run_id: number; stage: StageReport; at: string }
  | { event: 'run_done'; run_id: number; report: RunReport; at: string };

/** Receives the events of a run; must not throw. */
export type OnRunEvent = (event: RunEvent) => void;

/** Returns the current time, ISO 8601 in UTC. */
export const now = (): string => new Date().toISOString();

import type { RefreshRequest } from './backend.ts';

/** A computation that workers run by name on its own schedule, in addition to the nightly full refresh. */
export interface NamedJob {
  name: 'avm' | 'cma';
  title: string;
  doc: string;
  /** Serving tables to update, with everything that they need. */
  tables: readonly string[];
  /** Five cron fields, in `queue.timezone`, unless the configuration says otherwise (`queue.jobs`). */
  cron: string;
  /** True: its batches also go to workers on other machines. */
  distribute: boolean;
}

/** Builds the job's request for the queue. */
export const requestOf = ({ tables, distribute }: NamedJob): Omit<RefreshRequest, 'requested_by'> => ({
  tables,
  ...(distribute ? { distribute } : {}),
});

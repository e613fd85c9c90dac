import type { RefreshRequest } from './backend.ts';

/** A computation that workers run by name on its own schedule, in addition to the nightly full refresh. */
export interface NamedJob {
  name: 'avm' | 'cma';
  title: string;
  doc: string;
  /** The serving tables that it brings up to date, with all that they need. */
  tables: readonly string[];
  /** Five cron fields, in `queue.timezone`, unless the configuration says otherwise (`queue.jobs`). */
  cron: string;
  /** Whether its batches go to workers on other machines too. */
  distribute: boolean;
}

/** The request on the queue. */
export const requestOf = ({ tables, distribute }: NamedJob): Omit<RefreshRequest, 'requested_by'> => ({
  tables,
  ...(distribute ? { distribute } : {}),
});

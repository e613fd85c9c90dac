import type { RefreshRequest } from './backend.ts';

/**
 * A refresh that workers run by name on its own schedule, in addition to the nightly one. It reads only the datasets of market events and
 * publishes every table that depends on them, so that answers agree after it.
 */
export interface NamedJob {
  name: NonNullable<RefreshRequest['job']>;
  title: string;
  doc: string;
  /** Five cron fields, in `queue.timezone`, unless the configuration says otherwise (`queue.jobs`). */
  cron: string;
  /** True: its batches also go to workers on other machines. */
  distribute: boolean;
}

/** Builds the job's request for the queue. */
export const requestOfJob = ({ name, distribute }: NamedJob): Omit<RefreshRequest, 'requested_by'> => ({
  job: name,
  ...(distribute ? { distribute } : {}),
});

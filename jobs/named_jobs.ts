import type { Config } from '../schema/config.ts';
import { EtlError } from '../schema/errors.ts';
import { AVM_JOB } from './avm.ts';
import { CMA_JOB } from './cma.ts';
import type { NamedJob } from './named_job.ts';

export const NAMED_JOBS: readonly NamedJob[] = [AVM_JOB, CMA_JOB];

/** Finds a job by name. @throws EtlError config_invalid */
export function namedJob(name: string): NamedJob {
  const job = NAMED_JOBS.find((each) => each.name === name);
  if (job !== undefined) return job;
  const names = NAMED_JOBS.map((each) => each.name).join(' and ');
  throw new EtlError('config_invalid', `There is no job ${JSON.stringify(name)}; there are ${names}.`);
}

/** Schedule of a job. Null: none, or workers run nothing on schedule. */
export const cronOf = ({ name, cron }: NamedJob, queue: Config['queue']): string | null => {
  const { [name]: configured = cron } = queue.jobs;
  return queue.cron === null ? null : configured;
};

import type { NamedJob } from './named_job.ts';

/** Automated valuation model: events of the day update the estimates of the affected homes. */
export const AVM_JOB: NamedJob = {
  name: 'avm',
  title: 'Automated valuation (AVM)',
  doc: 'Reads new sales and listings, and updates estimates and everything else that depends on them.',
  cron: '0 6-18/4 * * *',
  distribute: false,
};

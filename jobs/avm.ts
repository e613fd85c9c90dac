import type { NamedJob } from './named_job.ts';

/** Automated valuation model: events of the day update the estimates of the affected homes. */
export const AVM_JOB: NamedJob = {
  name: 'avm',
  title: 'Automated valuation (AVM)',
  doc: 'Brings estimated values and rents up to date with what has arrived: new sales and listings, changed homes.',
  tables: ['property_avm'],
  cron: '0 6-18/4 * * *',
  distribute: false,
};

import type { NamedJob } from './named_job.ts';

/** Comparative market analysis: the comparable sales of every home, before the working day begins. */
export const CMA_JOB: NamedJob = {
  name: 'cma',
  title: 'Comparable sales (CMA)',
  doc: 'Chooses the comparable sales of every home again where sales or homes have changed.',
  tables: ['property_comparable'],
  cron: '30 6 * * 1-5',
  distribute: true,
};

import type { NamedJob } from './named_job.ts';

/** Comparative market analysis: the comparable sales of every home, before the working day begins. */
export const CMA_JOB: NamedJob = {
  name: 'cma',
  title: 'Comparable sales (CMA)',
  doc: 'Reads new sales and listings before the working day, and updates comparable sales and everything else that depends on them.',
  cron: '30 6 * * 1-5',
  distribute: true,
};

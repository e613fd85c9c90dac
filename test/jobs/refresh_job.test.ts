import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../jobs/refresh_job.ts';
import type { RunReport } from '../../pipelines/report/report.ts';
import type { ErrorKind } from '../../schema/errors.ts';

const report = (changes: Partial<RunReport>): RunReport => ({
  run_id: 7,
  command: 'worker',
  state: 'published',
  publication: 3,
  datasets: [],
  stages: [],
  rejects: [],
  set_aside: [],
  audit: [],
  tables: [],
  notes: [],
  seconds: 1,
  peak_memory_mb: 100,
  error: null,
  ...changes,
});

const failed = (kind: ErrorKind, code: string, message: string): RunReport =>
  report({ state: 'failed', publication: null, error: { code, message, kind, details: {} } });

/** Name of the error that the queue gets; BullMQ retries every other than UnrecoverableError. */
const errorOf = (of: RunReport): { name: string; message: string } => {
  try {
    outcomeOf(of);
  } catch (error) {
    const { name, message } = error as Error;
    return { name, message };
  }
  throw new Error('no error');
};

describe('outcomeOf', () => {
  it.each([
    ['published', 3],
    ['unchanged', null],
  ] as const)('takes %s as done', (state, publication) => {
    expect(outcomeOf(report({ state, publication }))).toEqual({ run_id: 7, state, publication });
  });

  it.each([
    ['database_lost', 'Connection terminated unexpectedly'],
    ['file_changed', 'why'],
    ['postgres_or_system_53100', 'could not extend file'],
    ['postgres_or_system_40P01', 'deadlock detected'],
  ])('has %s tried again: %s', (code, message) => {
    expect(errorOf(failed('transient', code, message))).toEqual({
      name: 'Error',
      message: `${code}: ${message}`,
    });
  });

  it.each([
    ['bad_zip', 'why'],
    ['worker_crashed', 'out of memory'],
    ['postgres_or_system_23505', 'duplicate key'],
    ['internal', 'undefined is not a function'],
  ])('has %s fail at once: %s', (code, message) => {
    expect(errorOf(failed('permanent', code, message))).toEqual({
      name: 'UnrecoverableError',
      message: `${code}: ${message}`,
    });
  });

  it('fails at once with the checks that the audit did not pass', () => {
    const audit: RunReport['audit'] = [
      { check: 'rows:property', table: 'property', status: 'fail', message: '' },
      { check: 'rows:suburb', table: 'suburb', status: 'pass', message: '' },
    ];
    expect(errorOf(report({ state: 'refused', publication: null, audit }))).toEqual({
      name: 'UnrecoverableError',
      message: 'audit_refused: run 7: rows:property',
    });
  });
});

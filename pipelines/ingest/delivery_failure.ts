import { isUsage } from '../../schema/error_codes.ts';
import { EtlError } from '../../schema/errors.ts';

/** Error codes of problems in the program, the machine or the database, not in the delivery of a dataset. */
const NOT_OF_DELIVERY =
  /^(internal|unbalanced|worker_crashed|worker_differs|run_superseded|locked|out_of_resources|statement_cancelled|disk_\w+|database_\w+|postgres_or_system_\w+)$/;

/** Returns whether a failure is in the delivery of one dataset, which then keeps its last load. Transient failures are retried instead. */
export const isDeliveryFailure = (error: unknown): error is EtlError =>
  error instanceof EtlError &&
  error.kind === 'permanent' &&
  !isUsage(error.code) &&
  !NOT_OF_DELIVERY.test(error.code);

/** Returns why a dataset keeps its last load, for plan, status and report. */
export const failureText = ({ code, message }: EtlError): string => `${code}: ${message}`;

/** Adds the name of the dataset to a failure. */
export function withDatasetName(error: unknown, dataset: string): unknown {
  if (!(error instanceof EtlError) || 'dataset' in error.details) return error;
  const { code, message, kind, details, cause } = error;
  return new EtlError(code, message, { kind, details: { ...details, dataset }, cause });
}

/** What the package of the read contract exports: the operations with their types, and a connection that they can be asked on. */
import type { Serving } from '../../../../schema/serving/database.ts';
import { asReader, openServing } from '../../../../store/read/serving.ts';

export { type Envelope, NO_DATA, type NoData } from '../../../../contract/answer.ts';
export { answerOf, ask, find, readParams } from '../../../../contract/ask.ts';
export { propertyAll, suburbAll } from '../../../../contract/bundle.ts';
export { saleHistory, saleHistoryLatest } from '../../../../contract/history.ts';
export { ENDPOINTS, SEARCHES } from '../../../../contract/index.ts';
export { landArea } from '../../../../contract/land_area.ts';
export { neighbours } from '../../../../contract/neighbours.ts';
export type { AnyOperation, Operation } from '../../../../contract/operation.ts';
export type { ParameterError } from '../../../../contract/parameter_errors.ts';
export { profile } from '../../../../contract/profile.ts';
export { risksAll } from '../../../../contract/risks.ts';
export { datasetCatalogue, publications, servedPublication } from '../../../../contract/service.ts';
export { avm, cmaCompSet } from '../../../../contract/valuation.ts';
export { CONTRACT_VERSION } from '../../../../contract/version.ts';
export { zoningCode } from '../../../../contract/zoning_code.ts';
export type { Serving, ServingDatabase } from '../../../../schema/serving/database.ts';

export interface ConnectOptions {
  /** Connections that may be open at a time. */
  readonly connections?: number;
  /** Role that the sessions take, such as `api_reader`; without it that of the URL. */
  readonly role?: string;
}

/** Opens the published tables for reading; `destroy()` closes the connections. */
export const connect = (url: string, { connections = 4, role }: ConnectOptions = {}): Serving =>
  openServing(url, connections, role === undefined ? {} : { settings: [asReader(role)] });

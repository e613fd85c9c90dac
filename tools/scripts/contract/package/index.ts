/** What the package of the read contract exports: the operations with their types, and a connection that they can be asked on. */
import type { Serving } from '../../../../schema/serving/database.ts';
import { asReader, openServing } from '../../../../store/read/serving.ts';

export { type Envelope, NO_DATA, type NoData } from '../../../../contract/answers/answer.ts';
export { answerOf, ask, find, readParams } from '../../../../contract/answers/ask.ts';
export type { AnyOperation, Operation } from '../../../../contract/answers/operation.ts';
export type { ParameterError } from '../../../../contract/answers/parameter_errors.ts';
export { propertyAll, suburbAll } from '../../../../contract/bundles/bundle.ts';
export { ENDPOINTS, SEARCHES } from '../../../../contract/index.ts';
export { saleHistory, saleHistoryLatest } from '../../../../contract/property/history.ts';
export { landArea } from '../../../../contract/property/land_area.ts';
export { neighbours } from '../../../../contract/property/neighbours.ts';
export { risksAll } from '../../../../contract/property/risks.ts';
export { avm, cmaCompSet } from '../../../../contract/property/valuation.ts';
export { zoningCode } from '../../../../contract/property/zoning_code.ts';
export { datasetCatalogue, publications, servedPublication } from '../../../../contract/service/service.ts';
export { CONTRACT_VERSION } from '../../../../contract/service/version.ts';
export { profile } from '../../../../contract/suburb/profile.ts';
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

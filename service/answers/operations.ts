import { z } from 'zod';
import { parseParams } from '../../contract/answers/ask.ts';
import {
  notAnObject,
  type ParameterError,
  type ParameterLocation,
} from '../../contract/answers/parameter_errors.ts';
import { numberParam } from '../../contract/answers/parameters.ts';
import { geocodeAddress } from '../../contract/geocode/geocode_v1.ts';
import { ENDPOINTS, SEARCHES } from '../../contract/index.ts';
import { rateCard } from '../../contract/service/rate_card.ts';
import { isRecord } from '../../schema/json_value.ts';
import type { ParsedRequest, ServiceOperation } from '../operation.ts';
import { batchOf } from './batch.ts';

/** Every operation of the service. */
export const OPERATIONS: readonly ServiceOperation[] = [
  ...ENDPOINTS,
  batchOf(
    ENDPOINTS.filter(({ subject }) => subject === 'property'),
    geocodeAddress,
  ),
  ...SEARCHES,
  rateCard,
];

/** The parameter `as_of`, for every operation with `hasAsOf`. */
export const AS_OF = z.strictObject({
  as_of: numberParam(
    'Answer as of this earlier, readable publication.',
    z.number().int().min(1).max(2_147_483_647),
  ),
});

/** No earlier publication is requested. */
const NOW = { params: {} } as const;

/** Parses a request by the declaration of its operation, or lists everything that is wrong with it. */
export function readRequest(
  operation: ServiceOperation,
  id: string,
  givenParams: Readonly<Record<string, unknown>>,
  location: ParameterLocation,
): ParsedRequest | { detail: ParameterError[] } {
  if (!isRecord(givenParams)) return { detail: [notAnObject(givenParams, location)] };
  const { as_of, ...query } = operation.hasAsOf ? givenParams : { ...givenParams, as_of: undefined };
  const pathParameter = operation.id;
  const path = pathParameter ? parseParams(pathParameter.path, { [pathParameter.name]: id }, 'path') : null;
  const when = as_of === undefined ? NOW : parseParams(AS_OF, { as_of }, location);
  const ownParams = parseParams(operation.params, operation.hasAsOf ? query : givenParams, location);
  const detail = [path, ownParams, when].flatMap((each) =>
    each !== null && 'detail' in each ? each.detail : [],
  );
  if (detail.length > 0) return { detail };
  const params = (ownParams as { params: Record<string, unknown> }).params;
  return { id, params, asOf: (when as { params: { as_of?: number } }).params.as_of ?? null };
}

import { type Bill, billHeaders } from '../http/headers.ts';
import type { ServiceAnswer } from '../operation.ts';

/** An answer with its price. */
export interface PricedResponse {
  status: 200 | 304;
  /** Id of the call in the ledger. */
  requestId: string;
  /** JSON of the body; empty for a 304. */
  text: string;
  /** Ids of its charges. */
  charged: readonly string[];
  publication: number | null;
  bill: Bill;
  headers: Record<string, string>;
}

/** An answer stored for an idempotency key. */
export interface StoredAnswer {
  text: string;
  etag: string;
  publication: number | null;
  principal: string | null;
  version: number;
}

/** Text of an answer. */
export function responseText({ body, composed }: ServiceAnswer, isLines = false): string {
  if (composed === undefined) return JSON.stringify(body);
  return isLines
    ? composed.lines.map((line) => `${line}\n`).join('')
    : `{"results":[${composed.lines.join(',')}]}`;
}

/** Adds price and headers to an answer. If the client already has the answer, it becomes a 304. */
export function priceResponse(
  { requestId, ifNoneMatch }: { requestId: string; ifNoneMatch?: string | undefined },
  {
    text,
    etag,
    publication,
    principal,
    bill,
    charged = [],
  }: Omit<StoredAnswer, 'version'> & { bill: Bill; charged?: readonly string[] },
): PricedResponse {
  const isGiven = matchesEtag(ifNoneMatch, etag);
  return {
    status: isGiven ? 304 : 200,
    requestId,
    charged,
    text: isGiven ? '' : text,
    publication,
    bill,
    headers: {
      etag,
      'x-request-id': requestId,
      'x-publication': String(publication ?? 0),
      ...(principal === null ? {} : { 'x-canonical-gnaf-id': principal }),
      'cache-control': 'private, no-cache',
      ...billHeaders(bill),
    },
  };
}

/** True if an entity tag of If-None-Match equals the answer's. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch
    .split(',')
    .map((each) => each.trim().replace(/^W\//, ''))
    .includes(etag);
}

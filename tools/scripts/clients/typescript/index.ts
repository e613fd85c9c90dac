import createClient, { type Client } from 'openapi-fetch';
import type { paths } from './types.js';

export type { components, paths } from './types.js';

/** How the service is reached. */
export interface Options {
  baseUrl: string;
  /** An API key. */
  key: string;
  /** Attempts of a call that is refused for a moment or gets no answer; default 5. */
  attempts?: number;
}

/** The service with its typed paths: `client.GET('/v1/properties/{gnaf_id}/profile', { params: { path: { gnaf_id } } })`. */
export type PropertyData = Client<paths>;

/** Waits between attempts double from this, unless the service says how long. */
const FIRST_WAIT_MS = 500;
const AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Most properties of one batch. */
const BATCH = 1000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends a request again where that can help. Of a POST every attempt has the same Idempotency-Key, so that it is paid once. */
async function sendAgain(request: Request, attempts: number): Promise<Response> {
  if (request.method === 'POST' && !request.headers.has('idempotency-key'))
    request.headers.set('idempotency-key', crypto.randomUUID());
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt >= attempts;
    const wait = FIRST_WAIT_MS * 2 ** (attempt - 1);
    try {
      const response = await fetch(request.clone());
      if (isLast || !AGAIN.has(response.status)) return response;
      await response.arrayBuffer();
      await pause(1000 * Number(response.headers.get('retry-after') ?? wait / 1000));
    } catch (error) {
      if (isLast) throw error;
      await pause(wait);
    }
  }
}

/** Opens a client. */
export const propertyData = ({ baseUrl, key, attempts = 5 }: Options): PropertyData =>
  createClient<paths>({
    baseUrl,
    headers: { authorization: `Bearer ${key}` },
    fetch: (request) => sendAgain(request, attempts),
  });

/** A call that was refused: its status, and what the service says. */
export class Refused extends Error {
  readonly status: number;
  readonly detail: unknown;

  constructor(status: number, detail: unknown) {
    super(`refused with ${status}: ${JSON.stringify(detail)}`);
    this.name = 'Refused';
    this.status = status;
    this.detail = detail;
  }
}

/** The data of an answer. @throws Refused */
export function dataOf<T>({ data, error, response }: { data?: T; error?: unknown; response: Response }): T {
  if (data === undefined) throw new Refused(response.status, error);
  return data;
}

type BatchBody = NonNullable<paths['/v1/batch']['post']['requestBody']>['content']['application/json'];
const askBatch = (client: PropertyData, body: BatchBody) => client.POST('/v1/batch', { body });
type BatchResult = NonNullable<Awaited<ReturnType<typeof askBatch>>['data']>['results'][number];

/** Results of any number of properties, by id or by address, in order; each 1,000 are one call. @throws Refused */
export async function* batch(
  client: PropertyData,
  { ids, addresses, ...asked }: BatchBody,
): AsyncGenerator<BatchResult> {
  const all = ids ?? addresses ?? [];
  for (let from = 0; from < all.length; from += BATCH) {
    const some = all.slice(from, from + BATCH);
    const body = { ...asked, ...(ids === undefined ? { addresses: some } : { ids: some }) };
    yield* dataOf(await askBatch(client, body)).results;
  }
}

type ChangesQuery = NonNullable<paths['/v1/changes']['get']['parameters']['query']>;
const askChanges = (client: PropertyData, query: ChangesQuery) =>
  client.GET('/v1/changes', { params: { query } });
type Changes = NonNullable<NonNullable<Awaited<ReturnType<typeof askChanges>>['data']>['data']>;

/** Changes since a publication, page by page; a page with `start_anew` is the only one. Ask with `publication` of the last page next time. @throws Refused */
export async function* changes(
  client: PropertyData,
  query: Omit<ChangesQuery, 'cursor'>,
): AsyncGenerator<Changes> {
  for (let cursor: string | undefined; ; ) {
    const { data } = dataOf(
      await askChanges(client, { ...query, ...(cursor === undefined ? {} : { cursor }) }),
    );
    if (data === null) return;
    yield data;
    if (data.next_cursor === null) return;
    cursor = data.next_cursor;
  }
}

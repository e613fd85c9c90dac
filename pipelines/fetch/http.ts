import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { isMetadataHost, isPrivateHost } from '../../store/system/private_host.ts';
import { connectionFailure, downloadUnavailable } from './download_failure.ts';
import { publicLookup } from './public_lookup.ts';
import { startWatch } from './stall_watch.ts';
import { parseUrl, shownUrl } from './web_url.ts';

/** Maximum redirects of one request. */
const MAX_REDIRECTS = 8;
const CONNECT_MS = 30_000;

export type Headers = Readonly<Record<string, string>>;

/** A response whose body has not been read. */
export interface HttpResponse {
  status: number;
  /** By lower-case name; of a repeated header, the first value. */
  headers: Headers;
  /** Responding address, after redirects. */
  url: URL;
  /** Bytes as sent. Fails if the connection breaks or stalls. */
  body: AsyncIterable<Buffer>;
  /** Closes the connection, even if not everything was read. */
  close(): void;
}

/** What a request needs besides its URL. */
export interface HttpRequestOptions {
  /** Sent to every address. */
  headers: Headers;
  /** Sent to the first address, but to no other host after a redirect. */
  secretHeaders: Headers;
  /** Maximum seconds without data from the server. */
  stall_s: number;
  signal?: AbortSignal;
}

/** Client for files over HTTP and HTTPS, through the proxy that the environment names. */
export interface Http {
  get(url: URL, options: HttpRequestOptions): Promise<HttpResponse>;
  close(): Promise<void>;
}

/** Returns the proxy variables of an environment, in upper or lower case. */
function proxyOptions(env: NodeJS.ProcessEnv): EnvHttpProxyAgent.Options {
  const value = (name: string): string => env[name.toLowerCase()] || env[name] || '';
  return { httpProxy: value('HTTP_PROXY'), httpsProxy: value('HTTPS_PROXY'), noProxy: value('NO_PROXY') };
}

/** Opens connections through the proxy that an environment names; `lookup` resolves names of direct connections. */
export const openAgent = (env: NodeJS.ProcessEnv, lookup: LookupFunction): EnvHttpProxyAgent =>
  new EnvHttpProxyAgent({
    ...proxyOptions(env),
    connect: { timeout: CONNECT_MS, lookup },
    // Our own watch (stall_watch.ts) also detects servers that send a byte now and then.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

/**
 * Opens a client with the proxy settings HTTP_PROXY, HTTPS_PROXY and NO_PROXY of an environment. `lookup` resolves names of direct
 * connections. `mayGoInside`: other hosts may redirect to addresses inside the network, but never to metadata services.
 */
export function openHttp(
  env: NodeJS.ProcessEnv,
  lookup: LookupFunction = publicLookup(),
  mayGoInside = false,
): Http {
  const agent = openAgent(env, lookup);
  return { get: (url, request) => follow(agent, url, request, mayGoInside), close: () => agent.destroy() };
}

/** Returns where a response redirects to; null: it does not. */
function redirectOf({ status, headers, url }: HttpResponse, mayGoInside: boolean): URL | null {
  if (![301, 302, 303, 307, 308].includes(status)) return null;
  const { location } = headers;
  const next = location === undefined ? null : parseUrl(location, url);
  if (next === null || !/^https?:$/.test(next.protocol))
    throw downloadUnavailable(`${shownUrl(url)} redirects to something other than a web address.`, {
      again: false,
    });
  if (url.protocol === 'https:' && next.protocol === 'http:')
    throw downloadUnavailable(
      `${shownUrl(url)} redirects from https to ${shownUrl(next)}, where anyone on the network could change the file.`,
      { again: false },
    );
  const within = next.origin === url.origin || mayGoInside;
  if (isMetadataHost(next) || (isPrivateHost(next) && !within))
    throw downloadUnavailable(
      `${shownUrl(url)} redirects to ${shownUrl(next)}, which is not a public internet address. If that is intended, configure it as the URL, or set downloads.private_addresses: true.`,
      { again: false },
    );
  return next;
}

async function follow(
  agent: Dispatcher,
  url: URL,
  request: HttpRequestOptions,
  mayGoInside: boolean,
): Promise<HttpResponse> {
  let at = url;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const secret = at.origin === url.origin ? request.secretHeaders : {};
    const answer = await once(agent, at, { ...request.headers, ...secret }, request);
    let next: URL | null;
    try {
      next = redirectOf(answer, mayGoInside);
    } catch (error) {
      answer.close();
      throw error;
    }
    if (next === null) return answer;
    answer.close();
    at = next;
  }
  throw downloadUnavailable(
    `${shownUrl(url)} redirects more than ${MAX_REDIRECTS} times, last to ${shownUrl(at)}.`,
    {
      again: false,
    },
  );
}

async function once(
  agent: Dispatcher,
  url: URL,
  headers: Headers,
  requestOptions: HttpRequestOptions,
): Promise<HttpResponse> {
  const watch = startWatch(requestOptions.stall_s, requestOptions.signal);
  const failed = (error: unknown): Error => {
    if (requestOptions.signal?.aborted) return requestOptions.signal.reason as Error;
    if (watch.stalled()) {
      const text = `${shownUrl(url)} sends nothing, or almost nothing, for ${requestOptions.stall_s} s (downloads.stall_s).`;
      return downloadUnavailable(text, { again: true });
    }
    return connectionFailure(error, url);
  };
  try {
    const answer = await request(url, { method: 'GET', headers, dispatcher: agent, signal: watch.signal });
    const body = answer.body as Readable;
    // A body that is closed early emits an error when nobody listens any more.
    body.on('error', () => undefined);
    return {
      status: answer.statusCode,
      headers: Object.fromEntries(
        Object.entries(answer.headers).map(([name, value]) => [name, [value ?? ''].flat()[0] ?? '']),
      ),
      url,
      body: watched(body, watch.count, watch.end, failed),
      close: () => {
        watch.end();
        body.destroy();
      },
    };
  } catch (error) {
    watch.end();
    throw failed(error);
  }
}

async function* watched(
  body: Readable,
  count: (bytes: number) => void,
  end: () => void,
  failed: (error: unknown) => Error,
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body) {
      count((chunk as Buffer).length);
      yield chunk as Buffer;
    }
  } catch (error) {
    throw failed(error);
  } finally {
    end();
  }
}

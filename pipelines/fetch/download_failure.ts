import { EtlError } from '../../schema/errors.ts';
import { shownUrl } from './web_url.ts';

/**
 * Returns the error for a source that did not deliver its file. Transient if a retry can help, after `retryAfter_s` if the server stated a
 * time.
 */
export function downloadUnavailable(
  message: string,
  options: { again: boolean; retryAfter_s?: number | null; cause?: unknown; status?: number },
): EtlError {
  return new EtlError('source_unavailable', message, {
    kind: options.again ? 'transient' : 'permanent',
    cause: options.cause,
    details: { status: options.status ?? null, retry_after_s: options.retryAfter_s ?? null },
  });
}

/** Parses a Retry-After header, a number of seconds or a date, to seconds; null: no time. */
export function retryAfterSeconds(header: string | undefined, now_ms: number): number | null {
  if (header === undefined) return null;
  if (/^\s*\d+\s*$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now_ms) / 1000));
}

/** Error codes of untrusted certificates; a retry does not help. */
const CERTIFICATE = /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO_)/;

export function connectionFailure(error: unknown, url: URL): EtlError {
  if (error instanceof EtlError) return error;
  const { code = 'unknown', message } = error as NodeJS.ErrnoException;
  if (CERTIFICATE.test(code))
    return downloadUnavailable(
      `${shownUrl(url)}: its certificate is not trusted (${code}). Behind a proxy that intercepts TLS, set NODE_EXTRA_CA_CERTS to its certificate.`,
      { again: false, cause: error },
    );
  const what = code === 'unknown' ? message : code;
  return downloadUnavailable(`${shownUrl(url)}: the connection failed (${what}).`, {
    again: true,
    cause: error,
  });
}

/** Response statuses after which a retry can help. */
const AGAIN: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

const ADVICE: Readonly<Record<number, string>> = {
  401: ' Check the credentials in fetch.headers.',
  403: ' Portals refuse unknown clients: check fetch.user_agent and the credentials in fetch.headers.',
  404: " The address has changed: look at the publisher's page.",
  407: ' Check user and password of the proxy.',
  410: " The file was withdrawn: look at the publisher's page.",
};

/** Returns a response without a file as an error of the source. */
export function statusFailure(
  status: number,
  retryAfter: string | undefined,
  url: URL,
  now_ms: number,
): EtlError {
  return downloadUnavailable(`${shownUrl(url)} answers ${status}.${ADVICE[status] ?? ''}`, {
    again: AGAIN.has(status),
    retryAfter_s: retryAfterSeconds(retryAfter, now_ms),
    status,
  });
}

import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import type { DownloadOrigin, PartialFile } from '../../store/downloads/partial.ts';
import type { FetchedFile } from '../../store/downloads/release_manifest.ts';
import type { Progress } from '../report/progress.ts';
import { downloadUnavailable, statusFailure } from './download_failure.ts';
import { nameInDisposition, nameInUrl } from './file_name.ts';
import type { Headers, Http, HttpRequestOptions, HttpResponse } from './http.ts';
import { type FetchRetry, persistently } from './persistence.ts';
import type { Target } from './target.ts';
import { noOrigin, verifyFile } from './verify.ts';
import { shownUrl } from './web_url.ts';

/** What downloading one file needs. */
export interface DownloadSetting {
  http: Http;
  policy: Config['downloads'];
  dataset: string;
  request: HttpRequestOptions;
  fileName: string | null;
  progress: Progress;
  onRetry(failed: FetchRetry): void;
}

/** Result of a download: the complete file (still as a partial one), nothing new, or (if only checking) that a newer file exists. */
export type Downloaded =
  | { state: 'unchanged' }
  | { state: 'newer'; bytes: number | null }
  | { state: 'complete'; name: string; url: string; origin: DownloadOrigin; verified: string[] };

/** Returns an ETag that guarantees equal bytes; null: a weak one does not. */
const strong = (etag: string | null): string | null =>
  etag !== null && /^"[^"]*"$/.test(etag) ? etag : null;

/** Returns what a response states about the file that its body is, or is a part of. */
function originOf(answer: HttpResponse, target: Target): DownloadOrigin {
  const { headers, status } = answer;
  const range = /^bytes\s+\d+-\d+\/(\d+)$/i.exec(headers['content-range'] ?? '');
  const length = /^\d+$/.test(headers['content-length'] ?? '') ? Number(headers['content-length']) : null;
  return {
    source: target.source,
    etag: headers.etag ?? null,
    last_modified: headers['last-modified'] ?? null,
    total: status === 206 ? (range ? Number(range[1]) : null) : length,
  };
}

/** Returns the validator for resuming a download; null: nothing shows whether the content is still the same. */
const resumeValidator = (origin: DownloadOrigin | null): string | null =>
  origin === null ? null : (strong(origin.etag) ?? origin.last_modified);

function requestHeaders(partial: PartialFile, earlierFile: FetchedFile | undefined, target: Target): Headers {
  const origin = partial.origin;
  const validator = origin?.source === target.source ? resumeValidator(origin) : null;
  // Compression in transit would change sizes and ranges.
  const headers: Record<string, string> = { accept: '*/*', 'accept-encoding': 'identity' };
  if (validator !== null) return { ...headers, range: `bytes=${partial.bytes}-`, 'if-range': validator };
  if (earlierFile?.etag) headers['if-none-match'] = earlierFile.etag;
  if (earlierFile?.last_modified) headers['if-modified-since'] = earlierFile.last_modified;
  return headers;
}

/** Returns whether a full response has the known file, although its status does not say so. */
function isKnown(answer: HttpResponse, earlierFile: FetchedFile | undefined): boolean {
  if (earlierFile === undefined) return false;
  const { etag, 'last-modified': modified, 'content-length': length } = answer.headers;
  if (earlierFile.etag !== null && etag !== undefined) return etag === earlierFile.etag;
  return (
    earlierFile.last_modified !== null &&
    modified === earlierFile.last_modified &&
    Number(length) === earlierFile.bytes
  );
}

/** Returns whether two stated values do not contradict each other; null: not stated. */
const isAlike = <T>(a: T | null, b: T | null): boolean => a === null || b === null || a === b;

/** Returns whether a partial response continues exactly the bytes received so far. */
function continues(answer: HttpResponse, partial: PartialFile, origin: DownloadOrigin): boolean {
  const start = /^bytes\s+(\d+)-/i.exec(answer.headers['content-range'] ?? '')?.[1];
  const before = partial.origin;
  return (
    before !== null &&
    Number(start) === partial.bytes &&
    isAlike(origin.total, before.total) &&
    isAlike(origin.etag, before.etag) &&
    isAlike(origin.last_modified, before.last_modified)
  );
}

const tooLarge = (answer: HttpResponse, max_mb: number): EtlError =>
  new EtlError(
    'download_too_large',
    `${shownUrl(answer.url)} sends more than ${max_mb} MB (downloads.max_mb). If the release is that large, raise fetch.max_mb of the dataset.`,
    { details: { max_mb } },
  );

/** Appends the body to the partial file, and saves what arrived even if the body breaks off. */
async function receive(answer: HttpResponse, partial: PartialFile, setting: DownloadSetting): Promise<void> {
  const total = partial.origin?.total ?? Number(answer.headers['content-length'] ?? 0);
  const label = `fetch ${setting.dataset}, MB`;
  const bar = setting.progress.start(label, Math.ceil(total / 1e6));
  let shownBytes = 0;
  const show = (): void => {
    const megabytes = Math.floor(partial.bytes / 1e6);
    if (megabytes > shownBytes) bar.done(megabytes - shownBytes);
    shownBytes = megabytes;
  };
  const most = setting.policy.max_mb * 1e6;
  try {
    if (total > most) throw tooLarge(answer, setting.policy.max_mb);
    for await (const chunk of answer.body) {
      if (partial.bytes + chunk.length > most) throw tooLarge(answer, setting.policy.max_mb);
      await partial.append(chunk);
      show();
    }
    if (total > shownBytes * 1e6) bar.done(Math.ceil(total / 1e6) - shownBytes);
  } finally {
    bar.end();
    await partial.checkpoint();
  }
}

/** Rejects a compressed response: its size and ranges differ from the file's. */
function checkEncoding(answer: HttpResponse): void {
  const encoding = (answer.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity' || encoding === '') return;
  // Some servers declare a .gz file as compressed in transit; it is kept unchanged.
  if (/gzip/.test(encoding) && /\.t?gz$/i.test(answer.url.pathname)) return;
  throw downloadUnavailable(
    `${shownUrl(answer.url)} sends the file as ${encoding}, although the request asked for it unencoded.`,
    { again: false },
  );
}

/** Handles a server that has no more bytes: the download is complete if the sizes match, else it restarts. */
async function nothingLeft(
  answer: HttpResponse,
  target: Target,
  partial: PartialFile,
  setting: DownloadSetting,
): Promise<Downloaded> {
  const { origin, bytes } = partial;
  const size = /^bytes\s+\*\/(\d+)$/i.exec(answer.headers['content-range'] ?? '')?.[1];
  if (origin !== null && Number(size) === bytes && isAlike(answer.headers.etag ?? null, origin.etag))
    return complete(target, partial, { ...origin, total: bytes }, answer, setting);
  await partial.restart(noOrigin(target));
  throw downloadUnavailable(`${shownUrl(answer.url)} cannot resume the download.`, { again: true });
}

/** Sends one request and writes its whole response. */
async function attempt(
  target: Target,
  partial: PartialFile,
  earlierFile: FetchedFile | undefined,
  setting: DownloadSetting,
  checkOnly: boolean,
): Promise<Downloaded> {
  const headers = { ...setting.request.headers, ...requestHeaders(partial, earlierFile, target) };
  const answer = await setting.http.get(target.url, { ...setting.request, headers });
  try {
    const { status } = answer;
    if (status === 304 && earlierFile !== undefined) return { state: 'unchanged' };
    if (status === 416) return await nothingLeft(answer, target, partial, setting);
    if (status !== 200 && status !== 206)
      throw statusFailure(status, answer.headers['retry-after'], answer.url, Date.now());
    checkEncoding(answer);
    const origin = originOf(answer, target);
    if (status === 200 && isKnown(answer, earlierFile)) return { state: 'unchanged' };
    if (checkOnly) return { state: 'newer', bytes: origin.total };
    if (status === 206 && !continues(answer, partial, origin)) {
      await partial.restart({ ...origin, total: null });
      throw downloadUnavailable(`${shownUrl(answer.url)} changed during the download.`, { again: true });
    }
    if (status === 200) await partial.restart(origin);
    await receive(answer, partial, setting);
    const total = partial.origin?.total ?? origin.total;
    return await complete(target, partial, { ...origin, total }, answer, setting);
  } finally {
    answer.close();
  }
}

/** Names and verifies a completely received file. */
async function complete(
  target: Target,
  partial: PartialFile,
  origin: DownloadOrigin,
  answer: HttpResponse,
  setting: DownloadSetting,
): Promise<Downloaded> {
  const where = shownUrl(answer.url);
  if (origin.total !== null && partial.bytes < origin.total)
    throw downloadUnavailable(`${where} broke off after ${partial.bytes} of ${origin.total} bytes.`, {
      again: true,
    });
  const name = setting.fileName ?? nameOf(target.url, answer) ?? `${setting.dataset}.bin`;
  const verified = await verifyFile({ partial, origin, target, name, where });
  return { state: 'complete', name, url: where, origin, verified };
}

const nameOf = (requested: URL, answer: HttpResponse): string | null =>
  nameInUrl(requested) ?? nameInDisposition(answer.headers['content-disposition']) ?? nameInUrl(answer.url);

/**
 * Downloads a file with retries. After a broken or stalled connection, 429 or 5xx, it resumes if the content is unchanged, otherwise it
 * restarts.
 * @throws EtlError source_unavailable, download_damaged, download_mismatch, disk_full
 */
export function download(
  target: Target,
  partial: PartialFile,
  earlierFile: FetchedFile | undefined,
  setting: DownloadSetting,
  checkOnly: boolean,
): Promise<Downloaded> {
  const { policy, dataset, onRetry, request } = setting;
  const how = { policy, dataset, onRetry, signal: request.signal, bytes: () => partial.bytes };
  return persistently(how, () => attempt(target, partial, earlierFile, setting, checkOnly));
}

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../../schema/config.ts';
import { CADENCES, type FetchCadence, type FetchSettings } from '../../schema/config_fetch.ts';
import { EtlError } from '../../schema/errors.ts';
import { withDownloadLock } from '../../store/downloads/lock.ts';
import { type HashName, PartialFile } from '../../store/downloads/partial.ts';
import { pruneReleases } from '../../store/downloads/prune.ts';
import {
  currentManifest,
  downloadFolder,
  type FetchedFile,
  isInPlace,
  type ReleaseManifest,
  releaseHash,
  writeManifest,
} from '../../store/downloads/release_manifest.ts';
import type { Progress } from '../report/progress.ts';
import { type Downloaded, type DownloadSetting, download } from './download.ts';
import { headersOf } from './from_environment.ts';
import type { Http, HttpRequestOptions } from './http.ts';
import { type FetchRetry, persistently } from './persistence.ts';
import { isSameResource, type Target, targetsOf } from './target.ts';

export interface FetchResult {
  dataset: string;
  action: 'fetched' | 'unchanged' | 'newer' | 'not due';
  /** Release on disk; null: none. */
  release: string | null;
  sha256: string | null;
  /** Total bytes of its files. */
  bytes: number;
  files: string[];
  retrieved_at: string | null;
  note: string;
}

/** Context of fetching datasets. */
export interface FetchSetting {
  config: Config;
  http: Http;
  env: NodeJS.ProcessEnv;
  progress: Progress;
  onRetry(failed: FetchRetry): void;
  /** Only check for newer files; download nothing. */
  checkOnly: boolean;
  /** Only send requests if the cadence allows a newer release since the last request. */
  dueOnly: boolean;
  /** Download even if the file has not changed. */
  force: boolean;
  signal?: AbortSignal;
}

/** Minimum hours between requests, by cadence. Publishers can be late or early, so it is much shorter than the cadence. */
const POLL_H: Readonly<Record<FetchCadence, number>> = {
  daily: 12,
  weekly: 20,
  monthly: 20,
  quarterly: 20,
  yearly: 7 * 24 - 4,
  five_yearly: 28 * 24 - 4,
  irregular: 7 * 24 - 4,
};
/** Hours for a dataset without a stated cadence. */
const POLL_DEFAULT_H = POLL_H[CADENCES[0]];

/** Returns whether a newer release is possible since the last request for the dataset. */
export function isDue(
  manifest: ReleaseManifest | null,
  cadence: FetchCadence | null,
  now_ms: number,
): boolean {
  if (manifest === null) return true;
  const age_h = (now_ms - Date.parse(manifest.checked_at)) / 3_600_000;
  return !(age_h >= 0 && age_h < (cadence === null ? POLL_DEFAULT_H : POLL_H[cadence]));
}

function resultOf(
  dataset: string,
  action: FetchResult['action'],
  manifest: ReleaseManifest | null,
  folder: string,
  note: string,
): FetchResult {
  return {
    dataset,
    action,
    release: manifest?.release ?? null,
    sha256: manifest?.sha256 ?? null,
    bytes: manifest?.files.reduce((sum, file) => sum + file.bytes, 0) ?? 0,
    files: manifest?.files.map((file) => join(folder, file.path)) ?? [],
    retrieved_at: manifest?.retrieved_at ?? null,
    note,
  };
}

/** Returns the key of a partial file, the same for the same target. */
const partialKey = (target: Target): string =>
  createHash('sha256').update(target.key).digest('hex').slice(0, 20);

function requestOf(dataset: string, settings: FetchSettings, setting: FetchSetting): HttpRequestOptions {
  const { config, env, signal } = setting;
  return {
    headers: { 'user-agent': settings.user_agent ?? config.downloads.user_agent },
    secretHeaders: headersOf(settings, env, dataset),
    stall_s: config.downloads.stall_s,
    signal,
  };
}

/** Returns the date of a Last-Modified header, `YYYY-MM-DD`; null: none. */
function dateOf(header: string | null): string | null {
  const at = header === null ? Number.NaN : Date.parse(header);
  return Number.isNaN(at) ? null : new Date(at).toISOString().slice(0, 10);
}

/** One file of a release. */
interface FileRequest {
  /** Download folder of the dataset. */
  folder: string;
  target: Target;
  /** Existing file of the target; undefined: none. */
  earlierFile: FetchedFile | undefined;
  retrieved_at: string;
}

/** Returns one file of a release: the existing one, or a download that replaces it. Null: a newer one exists, but this is only a check. */
async function fetchFile(
  request: FileRequest,
  setting: DownloadSetting,
  checkOnly: boolean,
): Promise<FetchedFile | null> {
  const { folder, target, earlierFile } = request;
  if (isSameResource(target, earlierFile)) return earlierFile!;
  if (checkOnly && target.resource !== null) return null;
  const names = [...new Set<HashName>(['sha256', ...(Object.keys(target.hashes) as HashName[])])];
  // A portal that announces another resource is trusted; only plain URLs are requested conditionally.
  const before =
    target.resource === null && (target.hashes.sha256 ?? earlierFile?.sha256) === earlierFile?.sha256
      ? earlierFile
      : undefined;
  const partial = await PartialFile.open(
    join(folder, '.partial'),
    partialKey(target),
    names,
    setting.policy.min_free_mb * 1e6,
  );
  try {
    const answer = await download(target, partial, before, setting, checkOnly).catch(async (error) => {
      // A partial file that is too large is not worth keeping.
      if (error instanceof EtlError && error.code === 'download_too_large') await partial.discard();
      throw error;
    });
    if (answer.state === 'newer') return null;
    if (answer.state === 'unchanged') return earlierFile!;
    return await moveIntoPlace(request, partial, answer);
  } finally {
    await (partial.bytes === 0 ? partial.discard() : partial.close());
  }
}

/** Moves a verified file into place. If its content is unchanged, the existing file stays. */
async function moveIntoPlace(
  { folder, target, earlierFile, retrieved_at }: FileRequest,
  partial: PartialFile,
  downloaded: Extract<Downloaded, { state: 'complete' }>,
): Promise<FetchedFile> {
  const { etag, last_modified } = downloaded.origin;
  const { resource, key } = target;
  const sha256 = partial.hashes().sha256!;
  const summary = {
    target: key,
    url: downloaded.url,
    etag,
    last_modified,
    resource,
    verified: downloaded.verified,
  };
  if (earlierFile?.sha256 === sha256 && earlierFile.name === downloaded.name) {
    await partial.discard();
    return { ...earlierFile, ...summary };
  }
  const release = target.release ?? dateOf(last_modified) ?? retrieved_at.slice(0, 10);
  const path = `${release}/${sha256.slice(0, 16)}/${downloaded.name}`;
  const bytes = partial.bytes;
  await partial.moveTo(join(folder, path));
  return { name: downloaded.name, path, bytes, sha256, release, ...summary };
}

async function fetchLocked(
  dataset: string,
  settings: FetchSettings,
  folder: string,
  setting: FetchSetting,
): Promise<FetchResult> {
  const { config, http, env, checkOnly, progress, onRetry } = setting;
  const before = await currentManifest(folder);
  const request = requestOf(dataset, settings, setting);
  const how = { dataset, policy: config.downloads, signal: setting.signal, bytes: () => 0, onRetry };
  const targets = await persistently(how, () => targetsOf(http, dataset, settings, request, env));
  const now = new Date().toISOString();
  const use: DownloadSetting = {
    http,
    policy: { ...config.downloads, max_mb: settings.max_mb ?? config.downloads.max_mb },
    dataset,
    request,
    fileName: settings.file_name,
    progress,
    onRetry,
  };
  const files: FetchedFile[] = [];
  for (const target of targets) {
    const earlierFile = setting.force ? undefined : before?.files.find((file) => file.target === target.key);
    const unchangedFile = earlierFile && (await isInPlace(folder, earlierFile)) ? earlierFile : undefined;
    const file = await fetchFile(
      { folder, target, earlierFile: unchangedFile, retrieved_at: now },
      use,
      checkOnly,
    );
    if (file === null)
      return resultOf(
        dataset,
        'newer',
        before,
        folder,
        before ? 'there is a newer release' : 'not fetched yet',
      );
    files.push(file);
  }
  return recordRelease({ dataset, folder, before, files, now }, setting);
}

/** Files of the newest release of a dataset, all in place. */
interface FetchedRelease {
  dataset: string;
  folder: string;
  /** Manifest of the release that was current; null: none. */
  before: ReleaseManifest | null;
  files: FetchedFile[];
  now: string;
}

/** Records the current release, and deletes old ones. */
async function recordRelease(
  { dataset, folder, before, files, now }: FetchedRelease,
  { config, checkOnly }: FetchSetting,
): Promise<FetchResult> {
  const sha256 = releaseHash(files);
  const isSame = before?.sha256 === sha256 && files.every((file, i) => file.path === before.files[i]?.path);
  const manifest: ReleaseManifest = {
    version: 1,
    dataset,
    release: isSame
      ? before.release
      : files
          .map((file) => file.release)
          .sort()
          .at(-1)!,
    sha256,
    retrieved_at: isSame ? before.retrieved_at : now,
    checked_at: now,
    files,
  };
  if (checkOnly) return resultOf(dataset, 'unchanged', before, folder, 'nothing newer');
  await writeManifest(folder, manifest);
  const pruned = isSame ? [] : await pruneReleases(folder, config.downloads.keep);
  const note = isSame
    ? 'nothing newer'
    : pruned.length > 0
      ? `deleted ${pruned.join(', ')}`
      : before === null
        ? 'first release'
        : `after ${before.release}`;
  return resultOf(dataset, isSame ? 'unchanged' : 'fetched', manifest, folder, note);
}

/**
 * Fetches the newest release of one dataset. The earlier release stays current until all newer files are complete, verified and in place.
 * @throws EtlError source_unavailable, download_damaged, download_mismatch, no_such_resource, ambiguous_resource, fetch_locked, disk_full,
 * config_missing_variable
 */
export async function fetchDataset(
  dataset: string,
  settings: FetchSettings,
  setting: FetchSetting,
): Promise<FetchResult> {
  const folder = downloadFolder(setting.config.data_dir, dataset);
  const before = await currentManifest(folder);
  if (setting.dueOnly && !isDue(before, settings.cadence, Date.now()))
    return resultOf(dataset, 'not due', before, folder, `asked at ${before!.checked_at}`);
  return withDownloadLock(folder, dataset, () => fetchLocked(dataset, settings, folder, setting));
}

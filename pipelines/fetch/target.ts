import type { FetchSettings } from '../../schema/config_fetch.ts';
import type { HashName } from '../../store/downloads/partial.ts';
import type { FetchedFile } from '../../store/downloads/release_manifest.ts';
import { type CkanResource, chooseResource, packageResources } from './ckan.ts';
import { urlOf } from './from_environment.ts';
import type { Http, HttpRequestOptions } from './http.ts';
import { parseUrl } from './web_url.ts';

/** A wanted file of a dataset, with what is known before the request. */
export interface Target {
  /** Key of the file in the manifest, the same for every release. Has no secret. */
  key: string;
  /** Identity of the request, for resuming a download later. Has no secret. */
  source: string;
  url: URL;
  /** Id, date and hash of a portal's resource; null: a plain URL. */
  resource: string | null;
  /** Date of the resource, `YYYY-MM-DD`; null: not stated. */
  release: string | null;
  bytes: number | null;
  /** Hashes that the file must have. */
  hashes: Partial<Record<HashName, string>>;
}

const HASH_OF_LENGTH: Readonly<Record<number, HashName>> = { 32: 'md5', 40: 'sha1', 64: 'sha256' };

function statedHash(hash: string): Partial<Record<HashName, string>> {
  const name = /^[0-9a-f]+$/.test(hash) ? HASH_OF_LENGTH[hash.length] : undefined;
  return name === undefined ? {} : { [name]: hash };
}

function targetOfResource(
  resource: CkanResource,
  key: string,
  verify: boolean,
): Omit<Target, 'hashes'> & { hashes: Target['hashes'] } {
  const { id, changed, hash } = resource;
  return {
    key,
    source: `${key} ${id} ${changed}`,
    url: parseUrl(resource.url)!,
    // Without a date or hash, the portal does not show changes, so the file's server is asked.
    resource: changed || hash ? `${id} ${changed} ${hash}`.trim() : null,
    release: /^\d{4}-\d\d-\d\d/.exec(changed)?.[0] ?? null,
    bytes: verify ? resource.bytes : null,
    hashes: verify ? statedHash(hash) : {},
  };
}

/** Returns the files that a dataset currently wants. For a CKAN package, asks the portal. */
export async function targetsOf(
  http: Http,
  dataset: string,
  settings: FetchSettings,
  request: HttpRequestOptions,
  env: NodeJS.ProcessEnv,
): Promise<Target[]> {
  const { ckan } = settings;
  const pins = settings.sha256 === null ? [] : [settings.sha256].flat();
  const pinned = (i: number): Target['hashes'] => (pins[i] ? { sha256: pins[i]!.toLowerCase() } : {});
  if (ckan !== undefined) {
    const resources = await packageResources(http, ckan.portal, ckan.package, request);
    return [ckan.resource].flat().map((pattern, i) => {
      const where = `package ${ckan.package} of ${ckan.portal}`;
      const resource = chooseResource(resources, pattern, where);
      const target = targetOfResource(resource, `${ckan.portal} ${ckan.package} /${pattern}/`, ckan.verify);
      return { ...target, hashes: { ...target.hashes, ...pinned(i) } };
    });
  }
  return [settings.url ?? []].flat().map((text, i) => ({
    key: text,
    source: text,
    url: urlOf(text, env, dataset),
    resource: null,
    release: null,
    bytes: null,
    hashes: pinned(i),
  }));
}

/** Returns whether the portal's resource is the one already fetched and has the wanted hash. */
export const isSameResource = (target: Target, file: FetchedFile | undefined): boolean =>
  file !== undefined &&
  target.resource !== null &&
  target.resource === file.resource &&
  (target.hashes.sha256 ?? file.sha256) === file.sha256;

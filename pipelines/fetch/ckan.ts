import { z } from 'zod';
import { EtlError } from '../../schema/errors.ts';
import { jsonOrNull } from '../../schema/json_value.ts';
import { downloadUnavailable, statusFailure } from './download_failure.ts';
import type { Http, HttpRequestOptions } from './http.ts';
import { shownUrl } from './web_url.ts';

/** Maximum response size that is read from a portal. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

const text = z.string().nullish();
const resourceSchema = z.object({
  id: z.string(),
  name: text,
  url: text,
  format: text,
  size: z.union([z.number(), z.string()]).nullish(),
  hash: text,
  created: text,
  last_modified: text,
  state: text,
});
const answerSchema = z.object({
  success: z.literal(true),
  result: z.object({ resources: z.array(z.unknown()) }),
});

/** One file of a CKAN package. */
export interface CkanResource {
  id: string;
  name: string;
  url: string;
  /** Date and time of the last change, in the portal's format; empty: not stated. */
  changed: string;
  /** Stated size in bytes; null: not stated, or not a number. */
  bytes: number | null;
  /** Stated hash in lower case, without the algorithm's name; empty: not stated. */
  hash: string;
}

function resourceOf(value: unknown): CkanResource | null {
  const parsed = resourceSchema.safeParse(value);
  if (!parsed.success || (parsed.data.state ?? 'active') !== 'active') return null;
  const { id, name, url, size, hash, created, last_modified } = parsed.data;
  const bytes = size === null || size === undefined || size === '' ? Number.NaN : Number(size);
  return {
    id,
    name: name ?? '',
    url: url ?? '',
    changed: last_modified || created || '',
    bytes: Number.isSafeInteger(bytes) && bytes > 0 ? bytes : null,
    hash: (hash ?? '')
      .trim()
      .toLowerCase()
      .replace(/^[a-z0-9-]+:/, ''),
  };
}

async function readText(body: AsyncIterable<Buffer>, url: URL): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES)
      throw downloadUnavailable(`${shownUrl(url)} sends more than a list of resources can hold.`, {
        again: false,
      });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Lists the live resources of a package by `package_show`. @throws EtlError source_unavailable */
export async function packageResources(
  http: Http,
  portal: string,
  packageId: string,
  request: HttpRequestOptions,
): Promise<CkanResource[]> {
  const url = new URL(`${portal.replace(/\/+$/, '')}/api/3/action/package_show`);
  url.searchParams.set('id', packageId);
  const answer = await http.get(url, request);
  try {
    if (answer.status !== 200)
      throw statusFailure(answer.status, answer.headers['retry-after'], url, Date.now());
    const json = await readText(answer.body, url);
    const parsed = answerSchema.safeParse(jsonOrNull(json));
    if (parsed.success) return parsed.data.result.resources.map(resourceOf).filter((each) => each !== null);
    const kind = /^\s*</.test(json) ? 'a page of HTML' : 'something else';
    throw downloadUnavailable(`${shownUrl(url)} returns ${kind} instead of a CKAN package.`, {
      again: false,
    });
  } finally {
    answer.close();
  }
}

/**
 * Chooses the newest resource whose name, file name or URL matches the pattern. Two different files of the same date are an error.
 * @throws EtlError no_such_resource, ambiguous_resource
 */
export function chooseResource(
  resources: readonly CkanResource[],
  pattern: string,
  where: string,
): CkanResource {
  const matcher = new RegExp(pattern, 'i');
  const matching = resources
    .filter(({ name, url }) => /^https?:\/\//i.test(url) && (matcher.test(name) || matcher.test(url)))
    .sort((a, b) => (a.changed < b.changed ? 1 : a.changed > b.changed ? -1 : a.id < b.id ? -1 : 1));
  const list = (some: readonly CkanResource[]): string =>
    some
      .slice(0, 12)
      .map(({ name, url }) => `"${name || shownUrl(url).split('/').at(-1)}"`)
      .join(', ');
  const [first, second] = matching;
  if (first === undefined)
    throw new EtlError(
      'no_such_resource',
      `${where}: no resource matches /${pattern}/. The package has ${list(resources) || 'none'}.`,
      { details: { pattern } },
    );
  if (second !== undefined && second.changed === first.changed && second.url !== first.url)
    throw new EtlError(
      'ambiguous_resource',
      `${where}: /${pattern}/ matches several resources of the same date: ${list(matching)}. Make it match one.`,
      { details: { pattern } },
    );
  return first;
}

import { EtlError } from '../../schema/errors.ts';
import { formatFault } from '../../store/downloads/file_format.ts';
import type { DownloadOrigin, PartialFile } from '../../store/downloads/partial.ts';
import type { Target } from './target.ts';

/** A completely downloaded file, with names for messages. */
interface CompleteDownload {
  partial: PartialFile;
  origin: DownloadOrigin;
  target: Target;
  name: string;
  /** Address that it came from, without secrets. */
  where: string;
}

/** Returns the origin to record for a file whose bytes were discarded. */
export const noOrigin = (target: Target): DownloadOrigin => ({
  source: target.source,
  etag: null,
  last_modified: null,
  total: null,
});

async function verifyForm({ partial, origin, target, name, where }: CompleteDownload): Promise<string[]> {
  const { total } = origin;
  const fault =
    total !== null && partial.bytes > total
      ? `it has ${partial.bytes} bytes where ${total} were announced`
      : await formatFault(partial.path, name);
  if (fault === null) return total === null ? ['form'] : ['form', 'size'];
  await partial.restart(noOrigin(target));
  throw new EtlError('download_damaged', `${where} (${name}) is not the expected file: ${fault}.`, {
    kind: 'transient',
  });
}

async function verifyStated({ partial, target, name, where }: CompleteDownload): Promise<string[]> {
  const hashes = partial.hashes();
  const expectations: [what: string, want: string | number, is: string | number][] = Object.entries(
    target.hashes,
  ).map(([kind, want]) => [kind, want, hashes[kind] ?? 'unknown']);
  if (target.bytes !== null) expectations.unshift(['size', target.bytes, partial.bytes]);
  const wrong = expectations.find(([, want, is]) => want !== is);
  if (wrong === undefined) return Object.keys(target.hashes);
  await partial.restart(noOrigin(target));
  const [what, want, is] = wrong;
  const advice =
    target.resource === null
      ? 'If the publisher replaced the file, correct fetch.sha256.'
      : 'If the portal states the wrong value, set fetch.ckan.verify to false; if the publisher replaced the file, correct fetch.sha256.';
  throw new EtlError(
    'download_mismatch',
    `${where} (${name}): its ${what} is ${is}, expected ${want}. ${advice}`,
    { details: { what, want, is } },
  );
}

/**
 * Verifies a complete file against the stated facts. A failing file is discarded, because appending cannot repair it.
 * @returns what was compared: format, size, names of hashes
 * @throws EtlError download_damaged, download_mismatch
 */
export async function verifyFile(download: CompleteDownload): Promise<string[]> {
  return [...(await verifyForm(download)), ...(await verifyStated(download))];
}

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { EtlError } from '../../schema/errors.ts';
import { writeDurably } from './durable.ts';

const fileSchema = z.strictObject({
  /** Configured download: the URL as configured, or portal, package and pattern of a resource. */
  target: z.string(),
  name: z.string(),
  /** Path below the folder of the dataset: release/sha256/name. */
  path: z.string(),
  bytes: z.number().int().min(0),
  sha256: z.string(),
  release: z.string(),
  /** Final URL of the file after redirects, without query and credentials. */
  url: z.string(),
  etag: z.string().nullable(),
  last_modified: z.string().nullable(),
  /** Identity and date of the CKAN resource; null: not from CKAN. */
  resource: z.string().nullable(),
  /** What was compared: size, sha256, md5, sha1, form. */
  verified: z.array(z.string()),
});

const manifestSchema = z.strictObject({
  version: z.literal(1),
  dataset: z.string(),
  release: z.string(),
  /** Hash over the names and hashes of all files. */
  sha256: z.string(),
  retrieved_at: z.string(),
  checked_at: z.string(),
  files: z.array(fileSchema).min(1),
});

/** A completely downloaded and verified file. */
export type FetchedFile = z.infer<typeof fileSchema>;
/** A completely downloaded release. Its files are in place before its manifest is. */
export type ReleaseManifest = z.infer<typeof manifestSchema>;

export const downloadFolder = (dataDir: string, dataset: string): string =>
  resolve(dataDir, 'downloads', dataset);

const CURRENT = 'current.json';
const MANIFESTS = 'manifests';

/** Returns the hash of a release: over the names and hashes of its files, in any order. */
export const releaseHash = (files: readonly { name: string; sha256: string }[]): string =>
  createHash('sha256')
    .update(
      files
        .map(({ name, sha256 }) => `${sha256} ${name}\n`)
        .sort()
        .join(''),
    )
    .digest('hex');

async function readManifest(path: string): Promise<ReleaseManifest | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new EtlError('unreadable_file', `${path} cannot be read: ${(error as Error).message}.`, {
      cause: error,
      details: { path },
    });
  }
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new EtlError(
      'download_altered',
      `${path} is no manifest of a download. Remove it and fetch the dataset again.`,
      { cause: error, details: { path } },
    );
  }
}

/** Returns the dataset's latest downloaded release; null: none is complete. @throws EtlError download_altered */
export const currentManifest = (folder: string): Promise<ReleaseManifest | null> =>
  readManifest(join(folder, CURRENT));

/** Lists the names of the kept manifests, oldest first. */
export async function manifestNames(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, MANIFESTS)).catch(() => []);
  return names.filter((name) => /^[\w-]+\.json$/.test(name)).sort();
}

/** Reads a kept manifest by its name; null: it no longer exists. */
export const keptManifest = (folder: string, name: string): Promise<ReleaseManifest | null> =>
  readManifest(join(folder, MANIFESTS, name));

export const manifestFolder = (folder: string): string => join(folder, MANIFESTS);

/** Makes a release whose files are in place the current one of its dataset. */
export async function writeManifest(folder: string, manifest: ReleaseManifest): Promise<void> {
  const text = `${JSON.stringify(manifestSchema.parse(manifest), null, 2)}\n`;
  const stamp = manifest.retrieved_at.replaceAll(/[^0-9]/g, '');
  await mkdir(join(folder, MANIFESTS), { recursive: true });
  await writeDurably(join(folder, MANIFESTS, `${stamp}-${manifest.sha256.slice(0, 12)}.json`), text);
  await writeDurably(join(folder, CURRENT), text);
}

/** Returns whether a file of a manifest is at its path, with its size. */
export async function isInPlace(folder: string, file: FetchedFile): Promise<boolean> {
  const info = await stat(join(folder, file.path)).catch(() => null);
  return info?.isFile() === true && info.size === file.bytes;
}

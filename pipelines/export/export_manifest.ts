import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type pg from 'pg';
import { EtlError } from '../../schema/errors.ts';
import type { Publication } from '../../store/journal/journal.ts';
import { sha256Of } from '../../store/loads/files.ts';

export interface ExportedFile {
  table: string;
  file: string;
  rows: number;
  bytes: number;
  sha256: string;
}

/** A dataset in the publication, with the attribution that users must show. */
export interface DatasetAttribution {
  dataset: string;
  release: string;
  title: string | null;
  publisher: string | null;
  licence: string | null;
  attribution: string | null;
}

/** Content of `manifest.json`, written next to the exported files. */
export interface ExportManifest {
  publication: number;
  published_at: string;
  /** Publication that the differences in the files start from; null: the files have all rows. */
  since: number | null;
  format: string;
  /** Columns in the paths of the files, `column=value`, in this order. */
  partitioned_by: readonly string[];
  crs: 'EPSG:7844';
  files: ExportedFile[];
  datasets: DatasetAttribution[];
  /** SHA-256 of the public key (SPKI, DER) that verifies `manifest.json.sig`, the signature of this file; null: not signed. */
  signed_by: string | null;
}

/** Reads a private Ed25519 key in PEM. @throws EtlError config_invalid if the file has none */
export async function signingKey(path: string): Promise<KeyObject> {
  const text = await readFile(path).catch((error: Error) => {
    throw new EtlError('config_invalid', `The signing key ${path} cannot be read: ${error.message}`);
  });
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Not rethrown: the message about a broken key may quote it.
  }
  throw new EtlError(
    'config_invalid',
    `${path} is not a private Ed25519 key in PEM. Create one: openssl genpkey -algorithm ed25519 -out ${basename(path)}`,
  );
}

export const MANIFEST = 'manifest.json';

export async function described(
  folder: string,
  table: string,
  file: string,
  rows: number,
): Promise<ExportedFile> {
  const path = join(folder, file);
  const { size } = await stat(path);
  return { table, file, rows, bytes: size, sha256: await sha256Of(path) };
}

/** Reads the datasets of a publication, with their current licence and attribution. */
export async function sourcesOf(
  client: pg.ClientBase,
  { datasets }: Publication,
): Promise<DatasetAttribution[]> {
  const { rows } = await client.query<Omit<DatasetAttribution, 'release'>>(
    'SELECT dataset, title, publisher, licence, attribution FROM serving.dataset_catalogue',
  );
  const byDataset = new Map(rows.map((row) => [row.dataset, row]));
  return datasets
    .map(({ dataset, release }) => {
      const {
        title = null,
        publisher = null,
        licence = null,
        attribution = null,
      } = byDataset.get(dataset) ?? {};
      return { dataset, release, title, publisher, licence, attribution };
    })
    .sort((a, b) => (a.dataset < b.dataset ? -1 : 1));
}

/** Writes the manifest, and its signature if there is a key. */
export async function writeExportManifest(
  folder: string,
  content: Omit<ExportManifest, 'signed_by'>,
  key: KeyObject | null,
): Promise<ExportManifest> {
  const spki = key === null ? null : createPublicKey(key).export({ type: 'spki', format: 'der' });
  const signed_by = spki === null ? null : createHash('sha256').update(spki).digest('hex');
  const manifest: ExportManifest = { ...content, signed_by };
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  await writeFile(join(folder, MANIFEST), bytes);
  if (key !== null) await writeFile(join(folder, `${MANIFEST}.sig`), sign(null, bytes, key));
  return manifest;
}

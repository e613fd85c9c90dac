import { createReadStream, rmSync } from 'node:fs';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { HeadObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { EtlError } from '../../schema/errors.ts';
import { sha256Of } from '../../store/loads/files.ts';
import { maskText } from '../../store/system/mask_url.ts';
import { MANIFEST } from './export_manifest.ts';

/** Bytes of a part, and parts in flight: they are in memory together. S3 takes 10,000 parts of an object. */
const PART_BYTES = 16 * 1024 * 1024;
const PARTS_IN_FLIGHT = 4;

interface S3Location {
  bucket: string;
  prefix: string;
}

/** Parses `s3://bucket/prefix`. @throws EtlError config_invalid */
function parseS3Url(url: string): S3Location {
  const [, bucket, prefix] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/([^/]+(?:\/[^/]+)*)\/?$/.exec(url) ?? [];
  if (bucket === undefined || prefix === undefined)
    throw new EtlError('config_invalid', `--out ${maskText(url)}: write s3://bucket/prefix.`);
  return { bucket, prefix: `${prefix}/` };
}

/** Lists the files of a folder. The manifest is last, so that it shows readers that an export is complete. */
async function filesToUpload(folder: string): Promise<{ file: string; sha256: string }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort();
  const ordered = [...names.filter((name) => name !== MANIFEST), MANIFEST];
  const files: { file: string; sha256: string }[] = [];
  for (const file of ordered) files.push({ file, sha256: await sha256Of(join(folder, file)) });
  return files;
}

/**
 * A folder of an S3 bucket that receives one export. It reads endpoint, region and credentials from the AWS environment variables and
 * profile. Objects carry the publication and the SHA-256 of their content as metadata. Nothing is replaced or deleted.
 */
export class S3Folder {
  readonly #client: S3Client;
  readonly #at: S3Location;

  constructor(url: string) {
    this.#at = parseS3Url(url);
    const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = process.env;
    // Servers other than AWS seldom have a host name for each bucket.
    this.#client = new S3Client({ forcePathStyle: (AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL) !== undefined });
  }

  close(): void {
    this.#client.destroy();
  }

  /** Runs requests. @throws EtlError s3_failed without credentials in its message */
  async #run<T>(requests: () => Promise<T>): Promise<T> {
    try {
      return await requests();
    } catch (error) {
      if (error instanceof EtlError) throw error;
      const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
      const credentials = await this.#client.config.credentials().catch(() => null);
      const secrets = [credentials?.accessKeyId, credentials?.secretAccessKey, credentials?.sessionToken];
      const { bucket, prefix } = this.#at;
      const text = secrets.reduce<string>(
        (masked, secret) => (secret ? masked.replaceAll(secret, '***') : masked),
        `s3://${bucket}/${prefix}: ${name}: ${message}`,
      );
      const status = $metadata?.httpStatusCode ?? 500;
      throw new EtlError('s3_failed', maskText(text), { kind: status >= 500 ? 'transient' : 'permanent' });
    }
  }

  /**
   * Returns the files that are there, if they all pass. @throws EtlError output_not_ours for the first that does not pass, s3_failed
   */
  async #existing(
    passes: (file: string, metadata: Readonly<Record<string, string>>) => boolean,
  ): Promise<Set<string>> {
    const { bucket, prefix } = this.#at;
    const existing = new Set<string>();
    await this.#run(async () => {
      const pages = paginateListObjectsV2({ client: this.#client }, { Bucket: bucket, Prefix: prefix });
      for await (const { Contents = [] } of pages) {
        for (const { Key } of Contents) {
          const head = await this.#client.send(new HeadObjectCommand({ Bucket: bucket, Key }));
          const file = Key!.slice(prefix.length);
          if (!passes(file, head.Metadata ?? {}))
            throw new EtlError(
              'output_not_ours',
              `s3://${bucket}/${Key} is no object of this export, and is left as it is. Choose another prefix, such as one for each publication.`,
            );
          existing.add(file);
        }
      }
    });
    return existing;
  }

  /** Checks that the folder is empty or has only files of a publication. @throws EtlError output_not_ours, s3_failed */
  async check(publication: number): Promise<void> {
    await this.#existing((_, metadata) => metadata.publication === String(publication));
  }

  /**
   * Writes files to a temporary folder with `make` and uploads them, the manifest last. Skips files that an earlier attempt uploaded. If it
   * fails or `stopped` settles, no part of an object stays.
   * @throws EtlError output_not_ours, s3_failed
   */
  async write(
    publication: number,
    make: (folder: string) => Promise<void>,
    stopped: () => Promise<void>,
  ): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'pipeline-export-'));
    const remove = (): void => rmSync(folder, { recursive: true, force: true });
    // A signal ends the process before this function ends.
    process.once('exit', remove);
    try {
      await make(folder);
      const files = await filesToUpload(folder);
      const hashes = new Map(files.map(({ file, sha256 }) => [file, sha256]));
      const existing = await this.#existing((file, { sha256 }) => hashes.get(file) === sha256);
      const stop = new AbortController();
      void stopped().then(() => stop.abort());
      for (const { file, sha256 } of files)
        if (!existing.has(file))
          await this.#upload(
            join(folder, file),
            file,
            { sha256, publication: String(publication) },
            stop.signal,
          );
    } finally {
      process.removeListener('exit', remove);
      remove();
    }
  }

  async #upload(
    path: string,
    file: string,
    Metadata: Record<string, string>,
    signal: AbortSignal,
  ): Promise<void> {
    const { bucket, prefix } = this.#at;
    await this.#run(async () => {
      signal.throwIfAborted();
      // The upload waits for its parts and aborts itself if its file fails. Its own abort does not wait.
      const Body = addAbortSignal(signal, createReadStream(path));
      await new Upload({
        client: this.#client,
        params: { Bucket: bucket, Key: `${prefix}${file}`, Body, Metadata },
        partSize: PART_BYTES,
        queueSize: PARTS_IN_FLIGHT,
      }).done();
    });
  }
}

import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rename, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { EtlError } from '../../schema/errors.ts';
import { jsonOrNull } from '../../schema/json_value.ts';
import { diskError, syncFolder, writeDurably } from './durable.ts';

/** Bytes written between flushes to disk, after which they count as safe. */
const CHECKPOINT_BYTES = 32 * 1024 * 1024;

/** Hashes that a publisher may state for a file. */
export type HashName = 'sha256' | 'md5' | 'sha1';

/** Server's description of the content that a partial file starts. */
const originSchema = z.object({
  /** Configured request; a different one never continues the file. */
  source: z.string(),
  /** Strong ETag; null: none. */
  etag: z.string().nullable(),
  last_modified: z.string().nullable(),
  /** Size of the whole content, bytes; null: not stated. */
  total: z.number().int().min(0).nullable(),
});
export type DownloadOrigin = z.infer<typeof originSchema>;
const stateSchema = originSchema.extend({ safe_bytes: z.number().int().min(0) });

/** Returns the free bytes of the disk that holds an existing folder. */
async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/**
 * A download in progress. Its file has a separate name, outside the folder of complete files. Its origin is on disk before its first byte,
 * so a later process can resume from the safe bytes.
 */
export class PartialFile {
  readonly path: string;
  readonly #state: string;
  readonly #names: readonly HashName[];
  readonly #reserve: number;
  #handle: FileHandle | null = null;
  #hashes = new Map<HashName, Hash>();
  #origin: DownloadOrigin | null = null;
  #bytes = 0;
  #safe = 0;

  private constructor(folder: string, key: string, names: readonly HashName[], reserve: number) {
    this.path = join(folder, `${key}.part`);
    this.#state = join(folder, `${key}.json`);
    this.#names = names;
    this.#reserve = reserve;
  }

  /** Opens the partial file of a key, which is a file name; `reserve` bytes of the disk stay free. */
  static async open(
    folder: string,
    key: string,
    names: readonly HashName[],
    reserve: number,
  ): Promise<PartialFile> {
    await mkdir(folder, { recursive: true }).catch((error) => Promise.reject(diskError(error, folder)));
    const file = new PartialFile(folder, key, names, reserve);
    await file.#reopen();
    return file;
  }

  /** Number of bytes so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Origin of its bytes; null: it has none. */
  get origin(): DownloadOrigin | null {
    return this.#bytes > 0 ? this.#origin : null;
  }

  /** Resumes from an earlier attempt: the safe bytes, hashed again. */
  async #reopen(): Promise<void> {
    const text = await readFile(this.#state, 'utf8').catch(() => null);
    const parsed = text === null ? null : stateSchema.safeParse(jsonOrNull(text));
    const handle: FileHandle = await open(this.path, 'a+', 0o644).catch((error) =>
      Promise.reject(diskError(error, this.path)),
    );
    this.#handle = handle;
    const { size } = await handle.stat();
    if (!parsed?.success || size < parsed.data.safe_bytes || parsed.data.safe_bytes === 0) {
      await this.#truncate(0);
      return;
    }
    const { safe_bytes, ...origin } = parsed.data;
    await this.#truncate(safe_bytes);
    for await (const chunk of createReadStream(this.path, { highWaterMark: 1 << 20 }))
      for (const hash of this.#hashes.values()) hash.update(chunk as Buffer);
    this.#origin = origin;
  }

  async #truncate(bytes: number): Promise<void> {
    await this.#handle!.truncate(bytes);
    this.#bytes = bytes;
    this.#safe = bytes;
    this.#hashes = new Map(this.#names.map((name) => [name, createHash(name)]));
  }

  /** Restarts with the content of the given origin. @throws EtlError disk_full */
  async restart(origin: DownloadOrigin): Promise<void> {
    await rm(this.#state, { force: true });
    await this.#truncate(0);
    this.#origin = origin;
    await this.#checkSpace();
    await this.#saveState();
  }

  /** Adds bytes. @throws EtlError disk_full */
  async append(chunk: Buffer): Promise<void> {
    try {
      await this.#handle!.appendFile(chunk);
    } catch (error) {
      throw diskError(error, this.path);
    }
    for (const hash of this.#hashes.values()) hash.update(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes - this.#safe >= CHECKPOINT_BYTES) {
      await this.checkpoint();
      await this.#checkSpace();
    }
  }

  /** Flushes the bytes so far to disk, so that a later attempt can resume from them. */
  async checkpoint(): Promise<void> {
    if (this.#bytes === this.#safe) return;
    await this.#handle!.sync();
    this.#safe = this.#bytes;
    await this.#saveState();
  }

  async #saveState(): Promise<void> {
    await writeDurably(this.#state, JSON.stringify({ ...this.#origin!, safe_bytes: this.#safe }));
  }

  /** Throws before the disk is full, because a full disk would stop the database too. */
  async #checkSpace(): Promise<void> {
    const bytesLeft = (this.#origin?.total ?? this.#bytes) - this.#bytes;
    const free = await freeBytes(dirname(this.path));
    if (free - bytesLeft >= this.#reserve) return;
    const mb = (bytes: number): string => `${Math.ceil(bytes / 1e6).toLocaleString('en-AU')} MB`;
    throw new EtlError(
      'disk_full',
      `${dirname(this.path)} has ${mb(free)} free; the download needs ${mb(bytesLeft)} more and must leave ${mb(this.#reserve)} (downloads.min_free_mb). Make room, or choose another disk with --data-dir.`,
      { details: { path: this.path, free, wanted: bytesLeft } },
    );
  }

  /** Returns the hashes of the bytes so far, as hexadecimal digits. */
  hashes(): Record<string, string> {
    return Object.fromEntries([...this.#hashes].map(([name, hash]) => [name, hash.copy().digest('hex')]));
  }

  /** Closes the file; the safe bytes stay for a later attempt. */
  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = null;
  }

  /** Deletes the file, because it starts no wanted content. */
  async discard(): Promise<void> {
    await this.close();
    await rm(this.#state, { force: true });
    await rm(this.path, { force: true });
  }

  /** Moves the complete file to its final path, where it appears at once and durably. */
  async moveTo(target: string): Promise<void> {
    try {
      await this.#handle!.sync();
      await this.close();
      await mkdir(dirname(target), { recursive: true });
      await rename(this.path, target);
      await syncFolder(dirname(target));
    } catch (error) {
      throw diskError(error, target);
    }
    await rm(this.#state, { force: true });
  }
}

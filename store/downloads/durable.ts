import { mkdir, open, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EtlError } from '../../schema/errors.ts';

/** Converts a disk failure to an error with a remedy; any other error is returned unchanged. `path`: the file written. */
export function diskError(error: unknown, path: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new EtlError('disk_full', `No room to write ${path}: ${message}. Make room, then fetch again.`, {
      cause: error,
      details: { path },
    });
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new EtlError('unreadable_file', `${path} cannot be written: ${message}. Check its permissions.`, {
      cause: error,
      details: { path },
    });
  return error;
}

/** Flushes the entries of a folder to disk, so that a rename in it survives a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (error) {
    // Some file systems cannot sync a folder; nothing better is possible on them.
    if (!['EINVAL', 'EPERM', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await handle.close();
  }
}

/** Writes a file as a whole: a reader sees the old content or the new one, also after a crash or power failure. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${process.pid}.tmp`);
  try {
    await mkdir(folder, { recursive: true });
    const handle = await open(temporary, 'w', 0o644);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
    await syncFolder(folder);
  } catch (error) {
    throw diskError(error, path);
  }
}

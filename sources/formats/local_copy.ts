import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openArchive } from './archive.ts';
import type { BytePlace } from './byte_stream.ts';
import { missingFile } from './zip_members.ts';

/** A file that can be read at any place. */
export interface LocalFile {
  readonly path: string;
  readonly bytes: number;
  /** Removes what was unpacked. Safe to call twice. */
  remove(): Promise<void>;
}

/**
 * The file itself, or a copy of the member of a zip in a temporary folder until it is removed. `refuse` sees the size before
 * anything is unpacked. EtlErrors: `missing_file` and those of openArchive.
 */
export async function localFile(
  place: BytePlace,
  refuse: (bytes: number) => void = () => {},
): Promise<LocalFile> {
  if (place.member === null) {
    const { size } = await stat(place.path).catch((error: unknown) => {
      throw missingFile(place.path, error);
    });
    refuse(size);
    return { path: place.path, bytes: size, remove: async () => {} };
  }
  const archive = await openArchive(place.path, place.file);
  try {
    refuse(archive.sizeOf(place.member));
    const { folder, remove } = await archive.extract({ [place.member]: 'layer' });
    const path = join(folder, 'layer');
    return { path, bytes: (await stat(path)).size, remove };
  } finally {
    await archive.close();
  }
}

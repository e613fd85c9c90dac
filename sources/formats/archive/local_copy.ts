import { join } from 'node:path';
import { type BytePlace, memberAt } from './byte_stream.ts';
import { unpack } from './zip.ts';

/** A file that supports random access. */
export interface LocalFile {
  readonly path: string;
  readonly bytes: number;
  /** Removes the unpacked copy. Safe to call twice. */
  remove(): Promise<void>;
}

/**
 * Returns the file itself, or unpacks a zip member to a temporary folder until it is removed. `refuse` gets the size before anything is
 * unpacked. EtlErrors: `missing_file` and the errors of the zip.
 */
export async function localFile(
  location: BytePlace,
  refuse: (bytes: number) => void = () => {},
): Promise<LocalFile> {
  const member = await memberAt(location);
  const { path, bytes } = member;
  refuse(bytes);
  if (member.zip === null) return { path, bytes, remove: async () => {} };
  const { folder, remove } = await unpack({ layer: member });
  return { path: join(folder, 'layer'), bytes, remove };
}

import { join } from 'node:path';
import { type BytePlace, memberAt } from './byte_stream.ts';
import { unpack } from './zip.ts';

/** A file that can be read at any place. */
export interface LocalFile {
  readonly path: string;
  readonly bytes: number;
  /** Removes what was unpacked. Safe to call twice. */
  remove(): Promise<void>;
}

/**
 * The file itself, or a copy of the member of a zip in a temporary folder until it is removed. `refuse` sees the size before
 * anything is unpacked. EtlErrors: `missing_file`, those of the zip.
 */
export async function localFile(
  place: BytePlace,
  refuse: (bytes: number) => void = () => {},
): Promise<LocalFile> {
  const member = await memberAt(place);
  const { path, bytes } = member;
  refuse(bytes);
  if (member.zip === null) return { path, bytes, remove: async () => {} };
  const { folder, remove } = await unpack({ layer: member });
  return { path: join(folder, 'layer'), bytes, remove };
}

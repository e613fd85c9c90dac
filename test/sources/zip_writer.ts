import { ZipFile } from 'yazl';

/** A member of a zip to write. */
export interface ZipMember {
  name: string;
  bytes: Buffer;
  /** Unix mode, for example 0o120777 for a symbolic link. */
  mode?: number;
  /** True: not compressed. */
  store?: boolean;
}

/** Bytes of a zip; the same members give the same bytes. */
export async function zipBytes(members: readonly ZipMember[]): Promise<Buffer> {
  const zip = new ZipFile();
  for (const { name, bytes, mode, store } of members) {
    zip.addBuffer(bytes, name, {
      compress: !store,
      mtime: new Date(2024, 0, 1),
      ...(mode === undefined ? {} : { mode }),
    });
  }
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

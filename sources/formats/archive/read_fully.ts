import type { FileHandle } from 'node:fs/promises';

/** Fills `into` from a position of the file. Returns the bytes read, fewer than requested only at the end of the file. */
export async function readFully(handle: FileHandle, into: Uint8Array, position: number): Promise<number> {
  let filled = 0;
  while (filled < into.length) {
    const { bytesRead } = await handle.read(into, filled, into.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

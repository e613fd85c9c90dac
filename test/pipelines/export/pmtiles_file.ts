import { open } from 'node:fs/promises';
import type { Source } from 'pmtiles';

/** A file as the reader of PMTiles asks for it. */
export async function pmtilesFile(path: string): Promise<{ source: Source; close: () => Promise<void> }> {
  const file = await open(path);
  const source: Source = {
    getKey: () => path,
    async getBytes(offset, length) {
      const bytes = new Uint8Array(length);
      const { bytesRead } = await file.read(bytes, 0, length, offset);
      return { data: bytes.buffer.slice(0, bytesRead) };
    },
  };
  return { source, close: () => file.close() };
}

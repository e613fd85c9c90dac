/** Longest text that is looked up: what repeats is short (names, codes, states). */
const POOLED_BYTES = 40;
const SLOTS = 1 << 12;

/**
 * Reads UTF-8 text, and gives the same string object for the same bytes while it is in the pool: most texts of a table are repeated in
 * its next rows, and need neither be made nor be collected again. A slot holds the last text that fell into it.
 */
export class TextPool {
  readonly #slots: (string | undefined)[] = new Array(SLOTS).fill(undefined);

  read(buffer: Buffer, at: number, size: number): string {
    if (size > POOLED_BYTES) return buffer.toString('utf8', at, at + size);
    const end = at + size;
    let hash = size;
    for (let i = at; i < end; i++) {
      const byte = buffer[i]!;
      if (byte > 127) return buffer.toString('utf8', at, end);
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    const slot = (hash ^ (hash >>> 12)) & (SLOTS - 1);
    const known = this.#slots[slot];
    if (known !== undefined && isText(known, buffer, at, size)) return known;
    const text = buffer.toString('latin1', at, end);
    this.#slots[slot] = text;
    return text;
  }
}

/** True where the ASCII bytes spell the text. */
function isText(text: string, buffer: Buffer, at: number, size: number): boolean {
  if (text.length !== size) return false;
  for (let i = 0; i < size; i++) if (text.charCodeAt(i) !== buffer[at + i]) return false;
  return true;
}

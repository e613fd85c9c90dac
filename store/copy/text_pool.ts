/** Maximum bytes of a pooled text: repeated texts are short (names, codes, states). */
const POOLED_BYTES = 40;
const POOLED_WORDS = POOLED_BYTES / 4;
const SLOTS = 1 << 13;
/** Bits that no ASCII byte has, for four bytes at a time. */
const BEYOND_ASCII = 0x80808080 | 0;

/** Buffer methods that `toString` calls after parsing the encoding. */
type Slices = Record<'latin1Slice' | 'utf8Slice', (start: number, end: number) => string>;

/**
 * Reads UTF-8 text and returns the same string object for the same bytes while it is in the pool. Most texts repeat in the next rows, so
 * this saves allocation and garbage collection. A slot holds its latest text.
 */
export class TextPool {
  readonly #texts: string[] = new Array(SLOTS).fill('');
  readonly #sizes = new Uint8Array(SLOTS);
  /** Bytes of the texts, in words. */
  readonly #words = new Int32Array(SLOTS * POOLED_WORDS);
  /** Bytes of the text being read; the last word is padded with zeros. */
  readonly #buffer = new Int32Array(POOLED_WORDS);

  /** Reads the text of `size` bytes at `at` of a buffer; `view` covers the buffer from its start. */
  read(buffer: Buffer, view: DataView, at: number, size: number): string {
    if (size > POOLED_BYTES) return (buffer as unknown as Slices).utf8Slice(at, at + size);
    const textBytes = this.#buffer;
    let hash = size;
    let bits = 0;
    let words = 0;
    let i = at;
    for (const last = at + size - 4; i <= last; i += 4) {
      const word = view.getInt32(i, true);
      bits |= word;
      hash = Math.imul(hash ^ word, 0x2c1b3c6d);
      hash ^= hash >>> 15;
      textBytes[words++] = word;
    }
    if (i < at + size) {
      let word = 0;
      for (const end = at + size; i < end; i++) word = (word << 8) | buffer[i]!;
      bits |= word;
      hash = Math.imul(hash ^ word, 0x2c1b3c6d);
      hash ^= hash >>> 15;
      textBytes[words++] = word;
    }
    if ((bits & BEYOND_ASCII) !== 0) return (buffer as unknown as Slices).utf8Slice(at, at + size);
    const slot = (hash ^ (hash >>> 13)) & (SLOTS - 1);
    const poolWords = this.#words;
    const first = slot * POOLED_WORDS;
    let same = 0;
    if (this.#sizes[slot] === size)
      while (same < words && poolWords[first + same] === textBytes[same]) same++;
    if (same === words && this.#sizes[slot] === size) return this.#texts[slot]!;
    const text = (buffer as unknown as Slices).latin1Slice(at, at + size);
    this.#texts[slot] = text;
    this.#sizes[slot] = size;
    for (let k = 0; k < words; k++) poolWords[first + k] = textBytes[k]!;
    return text;
  }
}

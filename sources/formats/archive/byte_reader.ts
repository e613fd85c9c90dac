/** Reads runs of bytes from a stream that comes in chunks. */
export class ByteReader {
  readonly #chunks: AsyncGenerator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);
  #at = 0;
  /** True if the stream ended inside a requested run. */
  isCut = false;

  constructor(chunks: AsyncGenerator<Uint8Array>) {
    this.#chunks = chunks;
  }

  /** Returns the next bytes; null: the stream ends before. The result may be a view that is valid until the next call. */
  async take(length: number): Promise<Uint8Array | null> {
    const available = this.#chunk.length - this.#at;
    if (available >= length) return this.#cut(length);
    const run = Buffer.allocUnsafe(length);
    run.set(this.#cut(available));
    for (let size = available; size < length; ) {
      if (!(await this.#next())) {
        this.isCut = size > 0;
        return null;
      }
      const bytes = this.#cut(Math.min(length - size, this.#chunk.length));
      run.set(bytes, size);
      size += bytes.length;
    }
    return run;
  }

  /** Returns the next four bytes as a little-endian number; null: the stream ends before. */
  async uint32(): Promise<number | null> {
    const bytes = await this.take(4);
    return bytes === null ? null : new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  }

  /** Skips bytes; false: the stream ends before. */
  async skip(length: number): Promise<boolean> {
    let bytesLeft = length - this.#cut(Math.min(length, this.#chunk.length - this.#at)).length;
    while (bytesLeft > 0) {
      if (!(await this.#next())) return false;
      bytesLeft -= this.#cut(Math.min(bytesLeft, this.#chunk.length)).length;
    }
    return true;
  }

  async close(): Promise<void> {
    await this.#chunks.return(undefined);
  }

  #cut(length: number): Uint8Array {
    const bytes = this.#chunk.subarray(this.#at, this.#at + length);
    this.#at += length;
    return bytes;
  }

  async #next(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done) return false;
    this.#chunk = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    this.#at = 0;
    return true;
  }
}

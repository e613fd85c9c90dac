import { closeSync, openSync, writeSync } from 'node:fs';

/** An append-only binary file with a write buffer; written parts can be patched before it is closed. */
export class BinaryFile {
  /** Bytes appended so far. */
  length = 0;
  private readonly fd: number;
  private readonly buffer: Buffer;
  private used = 0;

  constructor(path: string, bufferBytes = 1 << 17) {
    this.fd = openSync(path, 'w');
    this.buffer = Buffer.allocUnsafe(bufferBytes);
  }

  /** The next `bytes` bytes of the file, to be filled by the caller before its next call. */
  reserve(bytes: number): Buffer {
    if (this.used + bytes > this.buffer.length) this.flush();
    this.length += bytes;
    if (bytes > this.buffer.length)
      throw new RangeError(`reserve(${bytes}) exceeds the write buffer; use append`);
    const at = this.used;
    this.used += bytes;
    return this.buffer.subarray(at, at + bytes);
  }

  /** Appends bytes of any length. */
  append(bytes: Uint8Array): void {
    if (bytes.length <= this.buffer.length) {
      this.reserve(bytes.length).set(bytes);
      return;
    }
    this.flush();
    writeSync(this.fd, bytes, 0, bytes.length, this.length);
    this.length += bytes.length;
  }

  /** Overwrites bytes at a position that was appended before. */
  patch(position: number, bytes: Uint8Array): void {
    this.flush();
    writeSync(this.fd, bytes, 0, bytes.length, position);
  }

  close(): void {
    this.flush();
    closeSync(this.fd);
  }

  private flush(): void {
    if (this.used > 0) writeSync(this.fd, this.buffer, 0, this.used, this.length - this.used);
    this.used = 0;
  }
}

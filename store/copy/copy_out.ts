import type { Connection, Submittable } from 'pg';

/** Codes of the protocol's messages used here. A message is its code, its length without the code in four bytes, and its content. */
const CODE = { row: 0x64, done: 0x63, error: 0x45 } as const;
const HEAD_BYTES = 5;

/** Receives each message of the COPY: first the header, then one row each, last the trailer. */
export interface TakesMessages {
  add(bytes: Buffer, at: number, end: number): void;
}

type ChunkListener = (chunk: Buffer) => void;

/**
 * A COPY TO STDOUT as a pg query. It reads the rows from the connection's chunks, one message each, and copies only messages that span two
 * chunks. Until the last row it listens to the connection instead of pg, and passes on all other messages.
 */
export class CopyOut implements Submittable {
  /** Settles when the connection is ready for the next statement, or the COPY has failed. */
  readonly done: Promise<void>;
  readonly #sql: string;
  readonly #taker: TakesMessages;
  #settle!: (error?: unknown) => void;
  #connection: Connection | null = null;
  #pg: ChunkListener | null = null;
  #failure: unknown;
  /** Parts of an incomplete message. */
  #parts: Buffer[] = [];
  #size = 0;
  #need = HEAD_BYTES;

  constructor(sql: string, taker: TakesMessages) {
    this.#sql = sql;
    this.#taker = taker;
    this.done = new Promise((resolve, reject) => {
      this.#settle = (error) => (error === undefined ? resolve() : reject(error));
    });
  }

  submit(connection: Connection): void {
    this.#connection = connection;
    const { stream } = connection;
    this.#pg = stream.listeners('data')[0] as ChunkListener;
    stream.off('data', this.#pg);
    stream.on('data', this.#listener);
    connection.query(this.#sql);
  }

  /** pg replaces it if queries have a time limit. */
  callback(): void {}

  pause(): void {
    this.#connection?.stream.pause();
  }

  resume(): void {
    this.#connection?.stream.resume();
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback();
    this.#settle(this.#failure);
  }

  handleError(error: unknown): void {
    this.#detach();
    this.callback();
    this.#settle(error);
  }

  // All instances share the methods that it calls, so the engine optimises them once.
  #listener = (chunk: Buffer): void => this.#readChunk(chunk);

  #readChunk(chunk: Buffer): void {
    const at = this.#size > 0 ? this.#join(chunk) : 0;
    if (at >= 0) this.#messages(chunk, at);
  }

  /** Completes the waiting message, and returns where the next one begins; -1: the message is still incomplete, or the rows are over. */
  #join(chunk: Buffer): number {
    let at = 0;
    for (;;) {
      const end = at + this.#need - this.#size;
      this.#wait(chunk.subarray(at, end));
      if (end > chunk.length) return -1;
      at = end;
      const allBytes = Buffer.concat(this.#parts, this.#size);
      this.#parts = [allBytes];
      if (this.#need === HEAD_BYTES) this.#need = 1 + allBytes.readUInt32BE(1);
      if (this.#need > this.#size) continue;
      this.#parts = [];
      this.#size = 0;
      this.#need = HEAD_BYTES;
      if (this.#message(allBytes, 0, allBytes.length)) return at;
      this.#hand(chunk, at);
      return -1;
    }
  }

  #messages(chunk: Buffer, from: number): void {
    let at = from;
    while (at + HEAD_BYTES <= chunk.length) {
      const end = at + 1 + chunk.readUInt32BE(at + 1);
      if (end > chunk.length) {
        this.#need = end - at;
        break;
      }
      if (!this.#message(chunk, at, end)) {
        this.#hand(chunk, end);
        return;
      }
      at = end;
    }
    if (at < chunk.length) this.#wait(chunk.subarray(at));
  }

  #wait(part: Buffer): void {
    this.#parts.push(part);
    this.#size += part.length;
  }

  /** Handles a message; false after the message that ends the rows. */
  #message(bytes: Buffer, at: number, end: number): boolean {
    const code = bytes[at];
    if (code === CODE.row) {
      this.#row(bytes, at + HEAD_BYTES, end);
      return true;
    }
    const pg = this.#pg!;
    const isEnd = code === CODE.done || code === CODE.error;
    if (isEnd) this.#detach();
    pg(bytes.subarray(at, end));
    return !isEnd;
  }

  #row(bytes: Buffer, at: number, end: number): void {
    if (this.#failure !== undefined) return;
    try {
      this.#taker.add(bytes, at, end);
    } catch (error) {
      this.#failure = error;
    }
  }

  /** Passes what follows the rows to pg. */
  #hand(chunk: Buffer, at: number): void {
    const { stream } = this.#connection!;
    if (at < chunk.length) (stream.listeners('data')[0] as ChunkListener)(chunk.subarray(at));
  }

  #detach(): void {
    if (this.#pg === null) return;
    const { stream } = this.#connection!;
    stream.off('data', this.#listener);
    stream.on('data', this.#pg);
    this.#pg = null;
  }
}

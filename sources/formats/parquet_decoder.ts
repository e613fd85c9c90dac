import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { ParquetRow } from './parquet_group.ts';
import type { ParquetReply, ParquetRequest, ParquetRows, ParquetTask } from './parquet_thread.ts';

/** What the decoding of a row group may take before its file counts as damaged. */
export interface DecodeLimits {
  /** Seconds for an answer, besides one for every `bytes_per_s` of the group unpacked. */
  readonly seconds: number;
  readonly bytes_per_s: number;
  /** Heap of the thread, MiB; buffers are not part of it. */
  readonly heap_mb: number;
}

/**
 * A busy machine reads 10 MB a second at the least, and starts a thread in a few seconds. The heap holds the rows of a group of
 * 512 MiB at the most; a machine whose programs have a smaller heap gives the thread no larger one.
 */
export const DECODE_LIMITS: DecodeLimits = {
  seconds: 30,
  bytes_per_s: 1 << 20,
  heap_mb: Math.min(2048, Math.max(256, Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20))),
};

/** A thread that can answer one request at a time. */
class Thread {
  readonly #worker: Worker;
  #settle: ((reply: ParquetReply) => void) | null = null;
  #ended: string | null = null;

  readonly heapMb: number;

  constructor(heapMb: number) {
    this.heapMb = heapMb;
    this.#worker = new Worker(new URL('./parquet_entry.mjs', import.meta.url), {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    this.#worker.on('message', (reply: ParquetReply) => this.#reply(reply));
    this.#worker.on('error', (error) => this.#end(error.message));
    this.#worker.on('exit', () => this.#end('its decoder ended'));
  }

  /** Why it answers no more; null: it does. */
  get ended(): string | null {
    return this.#ended;
  }

  #reply(reply: ParquetReply): void {
    this.#settle?.(reply);
    this.#settle = null;
  }

  #end(failure: string): void {
    this.#ended ??= failure;
    this.#reply({ failure: this.#ended });
  }

  /** Throws an Error with what went wrong, or where there is no answer in time; the thread has ended then. */
  async ask(request: ParquetRequest, seconds: number): Promise<ParquetRow[]> {
    if (this.#ended !== null) throw new Error(this.#ended);
    // a thread at work keeps the program running
    this.#worker.ref();
    const reply = await new Promise<ParquetReply>((resolve) => {
      const late = `its pages are not decoded within ${Math.round(seconds)} s`;
      const timer = setTimeout(() => this.#end(late), seconds * 1000);
      this.#settle = (each) => {
        clearTimeout(timer);
        resolve(each);
      };
      this.#worker.postMessage(request);
    });
    this.#worker.unref();
    if ('failure' in reply) throw new Error(reply.failure);
    return reply.rows;
  }

  /** Ends the thread, whatever it is at. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** A thread without work: starting one takes longer than decoding most files. */
let idle: Thread | null = null;

/**
 * Decodes row groups in a thread of its own: what is damaged inside a page can keep a decoder busy without end or take all memory,
 * which ends the thread and not the program. Every failure is an Error.
 */
export class ParquetDecoder {
  readonly #thread: Thread;
  readonly #limits: DecodeLimits;

  private constructor(thread: Thread, limits: DecodeLimits) {
    this.#thread = thread;
    this.#limits = limits;
  }

  static async open(task: ParquetTask, limits: DecodeLimits): Promise<ParquetDecoder> {
    const isFit = idle !== null && idle.heapMb === limits.heap_mb;
    const thread = isFit ? idle! : new Thread(limits.heap_mb);
    if (isFit) idle = null;
    const decoder = new ParquetDecoder(thread, limits);
    try {
      await decoder.#ask({ kind: 'open', task }, 0);
    } catch (error) {
      await decoder.close();
      throw error;
    }
    return decoder;
  }

  /** Rows of a row group, whose unpacked size sets the time that they may take. */
  rows(rows: ParquetRows, groupBytes: number): Promise<ParquetRow[]> {
    return this.#ask({ kind: 'rows', ...rows }, groupBytes);
  }

  #ask(request: ParquetRequest, bytes: number): Promise<ParquetRow[]> {
    return this.#thread.ask(request, this.#limits.seconds + bytes / this.#limits.bytes_per_s);
  }

  /** Lets the file go, and ends the thread unless it can read another one. */
  async close(): Promise<void> {
    if (this.#thread.ended === null) await this.#ask({ kind: 'close' }, 0).catch(() => {});
    if (this.#thread.ended === null && idle === null) idle = this.#thread;
    else await this.#thread.terminate();
  }
}

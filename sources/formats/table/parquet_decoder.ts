import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import type { ParquetRow } from './parquet_group.ts';
import type { ParquetReply, ParquetRequest, ParquetRows, ParquetTask } from './parquet_process.ts';

/** What the decoding of a row group may take before its file counts as damaged. */
export interface DecodeLimits {
  /** Seconds for an answer, besides one for every `bytes_per_s` of the group unpacked. */
  readonly seconds: number;
  readonly bytes_per_s: number;
  /** Heap of the process, MiB; buffers are not part of it. */
  readonly heap_mb: number;
}

/** Seconds that a process may take to start beside other work, which is no fault of its file. */
const START_S = 60;

/**
 * A busy machine reads 10 MB a second at the least. The heap holds the rows of a group of
 * 512 MiB at the most; a machine whose programs have a smaller heap gives the process no larger one.
 */
export const DECODE_LIMITS: DecodeLimits = {
  seconds: 30,
  bytes_per_s: 1 << 20,
  heap_mb: Math.min(2048, Math.max(256, Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20))),
};

/** Why a process that ended has no answer: V8 ends a process that goes beyond its heap with an abort. */
const endOf = (code: number | null, signal: NodeJS.Signals | null): string =>
  signal === 'SIGABRT' || code === 134
    ? 'its decoder reached its memory limit'
    : `its decoder ended (${signal ?? code})`;

/** A process that can answer one request at a time. */
class DecoderProcess {
  readonly #child: ChildProcess;
  #settle: ((reply: ParquetReply) => void) | null = null;
  #ended: string | null = null;

  readonly heapMb: number;

  constructor(heapMb: number) {
    this.heapMb = heapMb;
    this.#child = fork(fileURLToPath(new URL('./parquet_entry.mjs', import.meta.url)), [], {
      execArgv: [`--max-old-space-size=${heapMb}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.on('message', (reply) => this.#reply(reply as ParquetReply));
    this.#child.on('error', (error) => this.#end(error.message));
    this.#child.on('exit', (code, signal) => this.#end(endOf(code, signal)));
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

  /** Throws an Error with what went wrong, or where there is no answer in time; the process answers no more then. */
  async ask(request: ParquetRequest, seconds: number): Promise<ParquetRow[]> {
    if (this.#ended !== null) throw new Error(this.#ended);
    // a process at work keeps the program running
    this.#child.ref();
    this.#child.channel?.ref();
    const reply = await new Promise<ParquetReply>((resolve) => {
      const late = `its pages are not decoded within ${Math.round(seconds)} s`;
      const timer = setTimeout(() => this.#end(late), seconds * 1000);
      this.#settle = (each) => {
        clearTimeout(timer);
        resolve(each);
      };
      this.#child.send(request, (error) => {
        if (error) this.#end(this.#ended ?? error.message);
      });
    });
    this.#child.unref();
    this.#child.channel?.unref();
    if ('failure' in reply) throw new Error(reply.failure);
    return reply.rows;
  }

  /** Ends the process, whatever it is at. */
  terminate(): void {
    this.#child.kill('SIGKILL');
  }
}

/** A process without work: starting one takes longer than decoding most files. */
let idle: DecoderProcess | null = null;

/**
 * Decodes row groups in a process of its own: what is damaged inside a page can keep a decoder busy without end or take all memory, for
 * which V8 ends the process, whatever thread it is in. Every failure is an Error.
 */
export class ParquetDecoder {
  readonly #process: DecoderProcess;
  readonly #limits: DecodeLimits;

  private constructor(process: DecoderProcess, limits: DecodeLimits) {
    this.#process = process;
    this.#limits = limits;
  }

  static async open(task: ParquetTask, limits: DecodeLimits): Promise<ParquetDecoder> {
    const isFit = idle !== null && idle.heapMb === limits.heap_mb;
    const process = isFit ? idle! : new DecoderProcess(limits.heap_mb);
    if (isFit) idle = null;
    const decoder = new ParquetDecoder(process, limits);
    try {
      await process.ask({ kind: 'open', task }, limits.seconds + (isFit ? 0 : START_S));
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
    return this.#process.ask(request, this.#limits.seconds + bytes / this.#limits.bytes_per_s);
  }

  /** Lets the file go, and ends the process unless it can read another one. */
  async close(): Promise<void> {
    if (this.#process.ended === null) await this.#ask({ kind: 'close' }, 0).catch(() => {});
    if (this.#process.ended === null && idle === null) idle = this.#process;
    else this.#process.terminate();
  }
}

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import type { ParquetRow } from './parquet_group.ts';
import type { ParquetReply, ParquetRequest, ParquetRows, ParquetTask } from './parquet_process.ts';

/** Limits for decoding a row group; beyond them its file counts as damaged. */
export interface DecodeLimits {
  /** Seconds for a reply, plus one for every `bytes_per_s` of the unpacked group. */
  readonly seconds: number;
  readonly bytes_per_s: number;
  /** Maximum heap of the process, MiB; buffers are not part of it. */
  readonly heap_mb: number;
}

/** Maximum seconds for a process to start next to other work; a slow start is not the file's fault. */
const START_S = 60;

/**
 * A busy machine reads at least 10 MB a second, ten times as much as the limit asks for. The heap holds the rows of a group of at most 512 MiB; if the programs of a machine have a
 * smaller heap, so has the process.
 */
export const DECODE_LIMITS: DecodeLimits = {
  seconds: 30,
  bytes_per_s: 1 << 20,
  heap_mb: Math.min(2048, Math.max(256, Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20))),
};

/** Returns why a process ended without a reply: V8 aborts a process that exceeds its heap. */
const endOf = (code: number | null, signal: NodeJS.Signals | null): string =>
  signal === 'SIGABRT' || code === 134
    ? 'its decoder reached its memory limit'
    : `its decoder ended (${signal ?? code})`;

/** A process that handles one request at a time. */
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

  /** Why the process no longer replies; null: it does. */
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

  /** Sends a request and waits for the reply. Throws an Error on failure or timeout; the process is unusable afterwards. */
  async ask(request: ParquetRequest, seconds: number): Promise<ParquetRow[]> {
    if (this.#ended !== null) throw new Error(this.#ended);
    // a busy process keeps the program running
    this.#child.ref();
    this.#child.channel?.ref();
    const reply = await new Promise<ParquetReply>((resolve) => {
      const timeoutText = `its pages are not decoded within ${Math.round(seconds)} s`;
      const timer = setTimeout(() => this.#end(timeoutText), seconds * 1000);
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

  /** Kills the process, even in the middle of a request. */
  terminate(): void {
    this.#child.kill('SIGKILL');
  }
}

/** A process kept for reuse: starting one takes longer than decoding most files. */
let idle: DecoderProcess | null = null;

/**
 * Decodes row groups in a separate process. Damage inside a page can keep a decoder busy forever or exhaust memory, and V8 then ends the
 * whole process, not one thread. Every failure is an Error.
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

  /** Reads rows of a row group; its unpacked size sets the timeout. */
  rows(rows: ParquetRows, groupBytes: number): Promise<ParquetRow[]> {
    return this.#request({ kind: 'rows', ...rows }, groupBytes);
  }

  #request(request: ParquetRequest, bytes: number): Promise<ParquetRow[]> {
    return this.#process.ask(request, this.#limits.seconds + bytes / this.#limits.bytes_per_s);
  }

  /** Closes the file, and ends the process unless it can read another file. */
  async close(): Promise<void> {
    if (this.#process.ended === null) await this.#request({ kind: 'close' }, 0).catch(() => {});
    if (this.#process.ended === null && idle === null) idle = this.#process;
    else this.#process.terminate();
  }
}

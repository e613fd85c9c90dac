import { setTimeout as sleep } from 'node:timers/promises';
import type { LimitFunction } from 'p-limit';
import type pg from 'pg';
import { handOut, leftInLedger, rowsRecorded, withdraw } from '../../store/handed_out.ts';
import { endSilent } from '../../store/presence.ts';
import type { PlannedPartition } from '../engine/plan.ts';
import type { BatchSummary } from '../engine/run_batch.ts';
import type { Workers } from '../engine/workers.ts';
import type { Distribution, HandedBatch, StageRequest } from './distributor.ts';

/** How often the ledger is looked at while a stage is handed out, at most. */
const LOOK_MS = 250;
/** Looking takes at most this share of the time, however many partitions there are. */
const LOOK_SHARE = 0.05;
/** How often it is compared with the queue. */
const COMPARE_MS = 1000;
/** How often silent workers are looked for. */
const SILENT_MS = 2000;

/** What a stage that is handed out needs of its run. */
export interface HandedSetting {
  distribution: Distribution;
  client: pg.ClientBase;
  /** Serialises the use of the client. */
  alone: LimitFunction;
  workers: Workers;
  /** As many at a time as there are threads here. */
  slots: LimitFunction;
  runId: number;
  stage: string;
  /** Throws where the run is to end. */
  checkStop: () => void;
}

/**
 * A stage whose batches are in the ledger, for whoever takes them: the threads here and, by way of the queue, the workers of other
 * machines. The ledger alone says what is done; the queue is asked again for what it lost.
 */
export class HandedStage {
  readonly #setting: HandedSetting;
  readonly #batches: readonly HandedBatch[];
  /** Rows of each computed partition, by cell. */
  readonly #rows = new Map<number, number>();
  readonly #left: Set<number>;
  #here = 0;
  #round = 0;
  #request: StageRequest | undefined;
  #over = false;
  #compared = performance.now();
  #comparing = false;
  #lookedForSilent = performance.now();
  #wake: () => void = () => undefined;
  #looks: { resolve: () => void; reject: (error: unknown) => void }[] = [];
  #closed = false;
  #watching: Promise<void> = Promise.resolve();

  private constructor(setting: HandedSetting, batches: readonly PlannedPartition[][]) {
    this.#setting = setting;
    this.#batches = batches.map((batch, i) => ({
      id: `${setting.runId}.${setting.stage}.${i}`,
      cells: batch.map((partition) => partition.cell),
    }));
    this.#left = new Set(this.#batches.flatMap((batch) => batch.cells));
  }

  /** Enters the batches in the ledger and asks the queue for them, without waiting for its answer. */
  static async start(setting: HandedSetting, batches: readonly PlannedPartition[][]): Promise<HandedStage> {
    const { client, alone, runId, stage } = setting;
    await alone(() => handOut(client, runId, stage, batches.flat()));
    const handed = new HandedStage(setting, batches);
    handed.#ask();
    handed.#watching = handed.#watch();
    return handed;
  }

  /** Partitions that others have computed. */
  get elsewhere(): number {
    return this.#rows.size - this.#here;
  }

  /**
   * Computes partitions here, or waits for those that somebody else has in hand. Whatever becomes of the other one, they are
   * computed in the end: what it does not commit is free again.
   */
  async compute(partitions: readonly PlannedPartition[]): Promise<BatchSummary> {
    const { workers, slots, runId, stage, checkStop } = this.#setting;
    const all = partitions.map((partition) => partition.cell);
    for (;;) {
      await slots(async () => {
        checkStop();
        const cells = all.filter((cell) => this.#left.has(cell));
        if (cells.length === 0) return;
        const source = { cells };
        const done = await workers.run<BatchSummary>({ kind: 'batch', stage, source, runId });
        this.#doneHere(done, partitions);
      });
      if (all.every((cell) => !this.#left.has(cell))) break;
      await this.#look();
      checkStop();
    }
    return { cells: all, rows: all.reduce((sum, cell) => sum + (this.#rows.get(cell) ?? 0), 0) };
  }

  /** Takes a partition that cannot be computed from the ledger, so that nobody tries it again. */
  async withdraw(cell: number): Promise<void> {
    const { client, alone, runId, stage } = this.#setting;
    this.#left.delete(cell);
    await alone(() => withdraw(client, runId, stage, cell));
  }

  /** Ends the watch over the ledger. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#wake();
    await this.#watching;
  }

  /** Notes what was computed here, and takes the batch back from the queue where nothing of it is left. */
  #doneHere({ cells, rows }: BatchSummary, partitions: readonly PlannedPartition[]): void {
    // The rows of a batch are counted with its first cell: only their sum is ever asked for.
    cells.forEach((cell, i) => {
      this.#rows.set(cell, i === 0 ? rows : 0);
      this.#left.delete(cell);
    });
    this.#here += cells.length;
    const first = partitions[0]?.cell;
    const batch = this.#request?.batches.find((each) => each.cells[0] === first);
    if (!batch || batch.cells.some((cell) => this.#left.has(cell))) return;
    this.#quietly(this.#setting.distribution.distributor.takeBack(batch));
  }

  /** Asks the queue for all that is left. */
  #ask(): void {
    const { distribution, runId, stage } = this.#setting;
    const round = ++this.#round;
    const left = this.#batches
      .map(({ id, cells }) => ({ id: `${id}.${round}`, cells: cells.filter((cell) => this.#left.has(cell)) }))
      .filter(({ cells }) => cells.length > 0);
    const request: StageRequest = {
      id: `${runId}.${stage}.${round}`,
      run_id: runId,
      stage,
      program: distribution.program,
      batches: left,
      onOver: () => {
        if (this.#request === request) this.#over = true;
        this.#wake();
      },
    };
    this.#request = request;
    this.#over = false;
    this.#comparing = true;
    this.#quietly(
      distribution.distributor.ask(request).finally(() => {
        this.#comparing = false;
        this.#compared = performance.now();
      }),
    );
  }

  /** Compares ledger and queue now and then: what is left, and is not in the queue, is asked for again. */
  #compare(): void {
    // What the queue is through with failed elsewhere, and is computed here.
    if (this.#over || this.#comparing || this.#left.size === 0) return;
    if (performance.now() - this.#compared < COMPARE_MS) return;
    const request = this.#request!;
    this.#comparing = true;
    this.#quietly(
      this.#setting.distribution.distributor
        .holds(request)
        .then((holds) => {
          if (!holds && !this.#over && !this.#closed) this.#ask();
        })
        .finally(() => {
          this.#comparing = false;
          this.#compared = performance.now();
        }),
    );
  }

  /** Takes from silent workers what they have in hand: it is in the ledger again, and whoever is next computes it. */
  async #takeFromSilent(): Promise<void> {
    if (this.#left.size === 0 || performance.now() - this.#lookedForSilent < SILENT_MS) return;
    const { client, alone, distribution } = this.#setting;
    const ended = await alone(() => endSilent(client, distribution.leaseS));
    if (ended > 0) distribution.onSilence();
    this.#lookedForSilent = performance.now();
  }

  #quietly(work: Promise<unknown>): void {
    work.catch((error: Error) => this.#setting.distribution.onQueueFailure(error));
  }

  /** Settles after the next look at the ledger. */
  #look(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve, reject) => this.#looks.push({ resolve, reject }));
  }

  async #watch(): Promise<void> {
    let took = 0;
    while (!this.#closed) {
      const timer = new AbortController();
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const timeout = sleep(Math.max(LOOK_MS, took / LOOK_SHARE), undefined, { signal: timer.signal }).catch(
        () => undefined,
      );
      await Promise.race([woken, timeout]);
      timer.abort();
      const looks = this.#looks.splice(0);
      const began = performance.now();
      try {
        if (!this.#closed) await this.#read();
        for (const { resolve } of looks) resolve();
      } catch (error) {
        for (const { reject } of looks) reject(error);
      }
      took = performance.now() - began;
    }
    for (const { resolve } of this.#looks.splice(0)) resolve();
  }

  /** Takes in what others have recorded. */
  async #read(): Promise<void> {
    const { client, alone, runId, stage } = this.#setting;
    const left = await alone(() => leftInLedger(client, runId, stage));
    const gone = [...this.#left].filter((cell) => !left.has(cell));
    if (gone.length > 0) {
      const rows = await alone(() => rowsRecorded(client, runId, stage, gone));
      for (const cell of gone) {
        // A batch computed here meanwhile has been counted.
        if (this.#left.delete(cell)) this.#rows.set(cell, rows.get(cell) ?? 0);
      }
    }
    await this.#takeFromSilent();
    this.#compare();
  }
}

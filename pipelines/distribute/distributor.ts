import type { Program } from './program.ts';

/** Partitions of one stage that are computed together. */
export interface HandedBatch {
  /** Unique among those of the run. */
  id: string;
  cells: readonly number[];
}

/** Batches of a stage, as workers are asked for them. Ids only: the plan of each partition is in the ledger. */
export interface StageRequest {
  /** Unique among those of the run. */
  id: string;
  run_id: number;
  stage: string;
  program: Program;
  batches: readonly HandedBatch[];
  /** Called at least once after the last of them left the queue, however it ended, unless the queue was lost. */
  onOver: () => void;
}

/**
 * Carries batches to the workers of other machines. What it says is never the truth, which is in the ledger: it may lose a
 * request, repeat it, or not answer at all, and the run still completes.
 */
export interface Distributor {
  /** Asks for batches. */
  ask(request: StageRequest): Promise<void>;
  /** Whether the queue still holds something of the request. */
  holds(request: StageRequest): Promise<boolean>;
  /** Takes a batch back that nobody has begun. */
  takeBack(batch: HandedBatch): Promise<void>;
  /** Takes back all that is left, and hangs up. */
  close(): Promise<void>;
}

/** What the stages of a run share where it distributes. */
export interface Distribution {
  distributor: Distributor;
  program: Program;
  /** After so many seconds of silence of a worker, what it has in hand is taken from it. */
  leaseS: number;
  /** Hears that something was taken from a silent worker. */
  onSilence: () => void;
  /** Hears, once, that the queue failed; the run goes on without it. */
  onQueueFailure: (error: Error) => void;
}

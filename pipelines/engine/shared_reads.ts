import { headOf } from './fingerprint.ts';
import type { StageInput } from './input.ts';
import type { PlannedPartition } from './plan.ts';
import type { Stage } from './stage.ts';

type AnyRow = Record<string, unknown>;

/** True where what an input reads follows from its description and the cells alone. */
const isPlain = ({ scope }: StageInput): boolean => scope.kind === 'own';

/** Descriptions of the inputs that more than one of the stages has. */
function sharedHeads(stages: readonly Stage[]): Set<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const input of stages.flatMap(({ inputs }) => Object.values(inputs)).filter(isPlain)) {
    const head = headOf(input);
    (seen.has(head) ? shared : seen).add(head);
  }
  return shared;
}

/**
 * Rows that several stages of a run read for the same cells: a thread that computes their batches in sequence (Workers) reads them
 * once. A table is finished before any stage reads it, so its rows are the same throughout a run, and computations do not change them.
 * Only the rows of one batch's cells are held.
 */
export class SharedReads {
  readonly #heads: ReadonlySet<string>;
  #batch = '';
  readonly #rows = new Map<string, AnyRow[]>();

  constructor(stages: readonly Stage[]) {
    this.#heads = sharedHeads(stages);
  }

  /** The rows of an input for all partitions of a batch of a run: those that are held, or what `read` gives. Batches by key are not held. */
  async take(
    runId: number,
    input: StageInput,
    name: string,
    partitions: readonly PlannedPartition[],
    read: () => Promise<AnyRow[]>,
  ): Promise<AnyRow[]> {
    const head = headOf(input);
    if (!this.#heads.has(head) || partitions[0]!.changes !== null) return read();
    const batch = `${runId}:${partitions.map(({ cell }) => cell).join(',')}`;
    if (batch !== this.#batch) this.#rows.clear();
    this.#batch = batch;
    const key = JSON.stringify([head, partitions.map(({ slices }) => slices[name])]);
    const rows = this.#rows.get(key) ?? (await read());
    this.#rows.set(key, rows);
    return rows;
  }
}

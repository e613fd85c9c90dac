import type pg from 'pg';
import { append } from '../../schema/group_by.ts';
import { recordedName, type Table } from '../../schema/table.ts';
import { readKeyChanges, recordOf } from '../../store/increments/key_changes.ts';
import {
  type PartitionRow,
  readHomes,
  readInputCells,
  readPartitions,
  readPublished,
} from '../../store/state/partition_records.ts';
import type { CellDigest, KeyChange, PlanView, RecordedPartition } from './plan_view.ts';
import type { Stage } from './stage.ts';

/** The recorded state in memory, as input of planning. It is updated as stages are computed. */
export class RecordedState implements PlanView {
  readonly #cells = new Map<string, Map<number, CellDigest>>();
  readonly #homes = new Map<string, Map<number, CellDigest>>();
  readonly #sentKeys = new Map<string, Map<number, number[]>>();
  readonly #recorded = new Map<string, Map<number, RecordedPartition>>();
  readonly #keyChanges = new Map<string, Map<number, KeyChange[]>>();
  readonly #published = new Map<string, Map<number, string>>();
  readonly #outputOf: ReadonlyMap<string, string>;
  readonly #makerOf: ReadonlyMap<string, string>;

  private constructor(stages: readonly Stage[]) {
    this.#outputOf = new Map(stages.map((stage) => [stage.name, recordedName(stage.output)]));
    this.#makerOf = new Map(stages.map((stage) => [recordedName(stage.output), stage.name]));
  }

  static async read(client: pg.ClientBase, stages: readonly Stage[]): Promise<RecordedState> {
    const state = new RecordedState(stages);
    for (const { table_name, cell, ...content } of await readInputCells(client)) {
      state.#table(table_name).set(cell, content);
    }
    state.#addPartitions(await readPartitions(client));
    await state.#addHomes(client);
    await state.#addKeyChanges(client);
    for (const { table_name, cell, digest } of await readPublished(client)) {
      const cells = state.#published.get(table_name) ?? new Map<number, string>();
      state.#published.set(table_name, cells.set(cell, digest));
    }
    return state;
  }

  cells(table: string): ReadonlyMap<number, CellDigest> {
    return this.#table(table);
  }

  homes(table: string): ReadonlyMap<number, CellDigest> {
    return this.#homes.get(table) ?? new Map();
  }

  homesOf(table: string): ReadonlyMap<number, readonly number[]> {
    return this.#sentKeys.get(table) ?? new Map();
  }

  recorded(stage: string): ReadonlyMap<number, RecordedPartition> {
    return this.#recorded.get(stage) ?? new Map();
  }

  madeIn(table: Table): ReadonlyMap<number, RecordedPartition> {
    return this.recorded(this.#makerOf.get(recordedName(table)) ?? '');
  }

  published(table: string): ReadonlyMap<number, string> {
    return this.#published.get(table) ?? new Map();
  }

  keyChanges(table: string): ReadonlyMap<number, readonly KeyChange[]> {
    return this.#keyChanges.get(table) ?? new Map();
  }

  /** Reads what was recorded about a stage after it was computed. */
  async reload(client: pg.ClientBase, stage: string): Promise<void> {
    this.#recorded.delete(stage);
    this.#cells.delete(this.#outputOf.get(stage)!);
    this.#addPartitions(await readPartitions(client, stage));
    this.#homes.delete(this.#outputOf.get(stage)!);
    this.#sentKeys.delete(this.#outputOf.get(stage)!);
    await this.#addHomes(client, stage);
    this.#keyChanges.delete(this.#outputOf.get(stage)!);
    await this.#addKeyChanges(client, stage);
  }

  async #addKeyChanges(client: pg.ClientBase, stage?: string): Promise<void> {
    const changes = await readKeyChanges(client, stage);
    for (const { change_id, run_id, stage: maker, cell, delta, keys, boxes } of changes) {
      const table = recordOf(maker) ?? this.#outputOf.get(maker);
      if (table === undefined) continue;
      const cells = this.#keyChanges.get(table) ?? new Map<number, KeyChange[]>();
      this.#keyChanges.set(table, cells);
      const change = { id: change_id, run: run_id, delta, keys, boxes };
      append(cells, cell, change);
    }
  }

  async #addHomes(client: pg.ClientBase, stage?: string): Promise<void> {
    for (const { stage: maker, home, makers, ...content } of await readHomes(client, stage)) {
      const table = this.#outputOf.get(maker);
      if (table === undefined) continue;
      const homes = this.#homes.get(table) ?? new Map<number, CellDigest>();
      this.#homes.set(table, homes.set(home, content));
      const sentKeys = this.#sentKeys.get(table) ?? new Map<number, number[]>();
      this.#sentKeys.set(table, sentKeys);
      for (const cell of makers) append(sentKeys, cell, home);
    }
  }

  #table(name: string): Map<number, CellDigest> {
    let cells = this.#cells.get(name);
    if (!cells) {
      cells = new Map();
      this.#cells.set(name, cells);
    }
    return cells;
  }

  #addPartitions(rows: readonly PartitionRow[]): void {
    for (const { stage, cell, ...row } of rows) {
      let recorded = this.#recorded.get(stage);
      if (!recorded) {
        recorded = new Map();
        this.#recorded.set(stage, recorded);
      }
      recorded.set(cell, row);
      const output = this.#outputOf.get(stage);
      if (output !== undefined && row.rows > 0) {
        this.#table(output).set(cell, { rows: row.rows, digest: row.output_digest, extent: row.extent });
      }
    }
  }
}

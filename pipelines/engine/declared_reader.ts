import type pg from 'pg';
import { ident } from '../../schema/ddl.ts';
import type { Table } from '../../schema/table.ts';
import { readRecordCells } from '../../store/state/partition_records.ts';
import { type Condition, conditionSql } from '../../store/tables/condition.ts';
import { readBatches, source } from '../../store/tables/table_rows.ts';
import type { InputRows, StageInput, StageInputs } from './input.ts';

/**
 * Selection from an input: rows that meet a condition and whose `column` has a value that `of.column` has in selected rows of another
 * input.
 */
export interface RowSelection {
  readonly where?: Condition;
  readonly among?: {
    readonly column: string;
    readonly of: { readonly input: string; readonly column: string } & RowSelection;
  };
}

/**
 * Reader for building a stage's resource: it gives access to the inputs of scope `resource` and their declared columns only.
 * @throws TypeError for an input or column that the stage does not declare
 */
export class DeclaredReader<I extends StageInputs> {
  readonly #client: pg.ClientBase;
  readonly #inputs: I;

  constructor(client: pg.ClientBase, { inputs }: { inputs: I }) {
    this.#client = client;
    this.#inputs = inputs;
  }

  #declared(name: string): StageInput {
    const input = this.#inputs[name];
    if (input?.scope.kind === 'resource') return input;
    throw new TypeError(`The stage declares no input ${name} of scope resource.`);
  }

  #conditionSql({ table, where }: StageInput, choice: RowSelection): string {
    const parts = [where, choice.where].filter((each) => each !== undefined).map(conditionSql);
    if (choice.among !== undefined) parts.push(this.#amongSql(table, choice.among));
    return parts.length === 0 ? 'true' : parts.map((part) => `(${part})`).join(' AND ');
  }

  #amongSql(table: Table, { column, of }: NonNullable<RowSelection['among']>): string {
    const input = this.#declared(of.input);
    for (const [each, name] of [
      [table, column],
      [input.table, of.column],
    ] as const)
      if (!(name in each.columns)) throw new TypeError(`${each.name} has no column ${name}.`);
    const values = `SELECT ${ident(of.column)} FROM ${source(input.table)} WHERE ${this.#conditionSql(input, of)}`;
    // An expression has no index, so the server hashes the values once instead of probing each in every table partition.
    return `${ident(column)} || '' IN (${values})`;
  }

  /** Reads rows of an input with its columns in batches, in arbitrary order. */
  batches<N extends keyof I & string>(name: N, choice: RowSelection = {}): AsyncGenerator<InputRows<I[N]>> {
    const input = this.#declared(name);
    const condition = this.#conditionSql(input, choice);
    return readBatches(this.#client, input.table, input.columns, condition) as AsyncGenerator<
      InputRows<I[N]>
    >;
  }

  /** Reads all selected rows of an input. */
  async rows<N extends keyof I & string>(name: N, where?: Condition): Promise<InputRows<I[N]>> {
    const rows: unknown[] = [];
    for await (const batch of this.batches(name, where === undefined ? {} : { where }))
      for (const row of batch) rows.push(row);
    return rows as InputRows<I[N]>;
  }

  /** Returns the cells in which a record table has rows, from the recorded state; reads no rows. */
  cells(name: keyof I & string): Promise<number[]> {
    return readRecordCells(this.#client, this.#declared(name).table);
  }
}

import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { type Model, modelTable } from '../../schema/model.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import type { Table } from '../../schema/table.ts';
import { input } from '../engine/input.ts';
import { sqlStage } from '../engine/sql_stage.ts';
import type { Stage } from '../engine/stage.ts';

/** Returns the stage of a model: its query over whole serving tables, as the readers' role. */
function stageOf(model: Model, tables: ReadonlyMap<string, Table>, role: string): Stage {
  const inputs = Object.fromEntries(
    model.inputs.map((name) => {
      const table = tables.get(name);
      if (table === undefined)
        throw new EtlError(
          'model_invalid',
          `${model.file}: no serving table is named ${name}; docs/tables.md lists them.`,
        );
      return [name, input(table, Object.keys(table.columns) as never[], { kind: 'all' })];
    }),
  );
  return sqlStage({
    name: `serve_${model.table}`,
    doc: model.doc,
    subject: model.inputs[0]!,
    inputs,
    output: tables.get(model.table)!,
    sql: model.sql,
    foreignQuery: { file: model.file, role, timeout_s: model.timeout_s },
  });
}

/** Returns the stages of an operator's models, each after those that it reads. */
export function modelStages({ models, database }: Config): Stage[] {
  const tables = new Map<string, Table>(SERVING_TABLES.map((table) => [table.name, table]));
  for (const model of models) tables.set(model.table, modelTable(model));
  return models.map((model) => stageOf(model, tables, database.api_role));
}

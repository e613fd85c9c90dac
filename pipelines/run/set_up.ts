import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { RECORD_TABLES } from '../../schema/records/index.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import { setUpDatabase } from '../../store/database.ts';
import { graph } from '../graph.ts';

/** Creates the tables that are missing; with `upgrade` also replaces those whose declaration has changed. */
export async function setUp(client: pg.ClientBase, config: Config, upgrade = false): Promise<void> {
  const stages = graph(config);
  const assets = stages.map((stage) => stage.output).filter((table) => table.schema === 'asset');
  const stageOf = new Map(stages.map((stage) => [stage.output.name, stage.name]));
  const declared = { records: RECORD_TABLES, assets, serving: SERVING_TABLES, stageOf };
  await setUpDatabase(client, declared, config.database.api_role, upgrade);
}

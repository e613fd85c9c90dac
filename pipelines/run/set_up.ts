import type pg from 'pg';
import { ASSET_TABLES } from '../../schema/assets/index.ts';
import type { Config } from '../../schema/config.ts';
import { RECORD_TABLES } from '../../schema/records/index.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import { setUpDatabase } from '../../store/database.ts';
import { graph } from '../graph.ts';

/** Creates the tables that are missing; with `upgrade` also replaces those whose declaration has changed. */
export async function setUp(client: pg.ClientBase, config: Config, upgrade = false): Promise<void> {
  const stageOf = new Map(graph(config).map((stage) => [stage.output.name, stage.name]));
  const declared = { records: RECORD_TABLES, assets: ASSET_TABLES, serving: SERVING_TABLES, stageOf };
  await setUpDatabase(client, declared, config.database.api_role, upgrade);
}

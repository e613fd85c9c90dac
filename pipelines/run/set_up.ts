import type pg from 'pg';
import { givenEvidenceAsset } from '../../schema/assets/valuation.ts';
import type { Config } from '../../schema/config.ts';
import { servingTables } from '../../schema/model.ts';
import { RECORD_TABLES } from '../../schema/records/index.ts';
import { setUpDatabase } from '../../store/database.ts';
import type { ReaderRole } from '../../store/reader_role.ts';
import { graph } from '../graph.ts';

export const readerOf = ({ database }: Config): ReaderRole => ({
  role: database.api_role,
  statement_timeout_s: database.api_statement_timeout_s,
  idle_timeout_s: database.api_idle_timeout_s,
});

/** Creates missing tables. `isRun`: a run that holds the lock, which also takes over changed models. */
export async function setUp(client: pg.ClientBase, config: Config, isRun = false): Promise<void> {
  const stages = graph(config);
  const assets = [
    ...stages.map((stage) => stage.output).filter((table) => table.schema === 'asset'),
    givenEvidenceAsset,
  ];
  const stageOf = new Map(stages.map((stage) => [stage.output.name, stage.name]));
  const models = new Set(config.models.map(({ table }) => table));
  const declared = { records: RECORD_TABLES, assets, serving: servingTables(config), stageOf, models };
  await setUpDatabase(client, declared, readerOf(config), isRun);
}

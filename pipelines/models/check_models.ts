import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { runForeignQuery } from '../engine/foreign_query.ts';
import { checkForeignQuery } from '../engine/sql_stage.ts';
import { modelStages } from './model_stage.ts';

/** Makes the server parse every model and audit, without computing any. @throws EtlError model_invalid with the file and the reason */
export async function checkModels(client: pg.ClientBase, config: Config): Promise<void> {
  for (const stage of modelStages(config)) await checkForeignQuery(client, stage);
  for (const { file, sql, timeout_s } of config.audits) {
    await client.query('BEGIN');
    try {
      const foreignQuery = { file, role: config.database.api_role, timeout_s };
      await runForeignQuery(client, foreignQuery, `SELECT FROM (${sql}\n) found LIMIT 0`);
    } finally {
      await client.query('ROLLBACK');
    }
  }
}

import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { readSql, SQL_LIMITS } from '../../pipelines/views/read_sql.ts';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { servedTables } from '../../store/read/served_tables.ts';
import type { ReadRunner } from '../map/tiles.ts';
import { sendConsole } from '../page.ts';
import { sqlPage } from './page.ts';

/** Serves read-only SQL as the readers' role. Each query has its own session, which leaves nothing behind. */
export function addSql(app: FastifyInstance, runRead: ReadRunner, pool: pg.Pool, config: Config): void {
  const role = config.database.api_role;
  app.get<{ Querystring: { q?: string | string[] } }>('/sql', async (request, reply) => {
    const { q = '' } = request.query;
    if (typeof q !== 'string' || q.length > SQL_LIMITS.characters || q.includes('\0'))
      throw new EtlError('config_invalid', `q is one text of ${SQL_LIMITS.characters} characters at most.`);
    const sql = q.replaceAll('\r\n', '\n');
    const tables = await runRead((client) => servedTables(client, config));
    // A page of another port of this machine is of the same site, and not of this console.
    const site = String(request.headers['sec-fetch-site'] ?? 'none');
    const isElsewhere = !['none', 'same-origin'].includes(site);
    if (sql.trim() === '' || isElsewhere) return sendConsole(reply, sqlPage(sql, null, tables));
    const client = await pool.connect();
    try {
      const result = await readSql(client, role, sql);
      return sendConsole(reply.code('message' in result ? 422 : 200), sqlPage(sql, result, tables));
    } finally {
      client.release(true);
    }
  });
}

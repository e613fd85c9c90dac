import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { readSql, SQL_LIMITS } from '../../pipelines/views/read_sql.ts';
import { EtlError } from '../../schema/errors.ts';
import { sendConsole } from '../page.ts';
import { sqlPage } from './page.ts';

/** Serves read-only SQL as the readers' role. Each query has its own session, which leaves nothing behind. */
export function addSql(app: FastifyInstance, pool: pg.Pool, role: string): void {
  app.get<{ Querystring: { q?: string | string[] } }>('/sql', async (request, reply) => {
    const { q = '' } = request.query;
    if (typeof q !== 'string' || q.length > SQL_LIMITS.characters || q.includes('\0'))
      throw new EtlError('config_invalid', `q is one text of ${SQL_LIMITS.characters} characters at most.`);
    const sql = q.replaceAll('\r\n', '\n');
    const isElsewhere = request.headers['sec-fetch-site'] === 'cross-site';
    if (sql.trim() === '' || isElsewhere) return sendConsole(reply, sqlPage(sql, null));
    const client = await pool.connect();
    try {
      const found = await readSql(client, role, sql);
      return sendConsole(reply.code('message' in found ? 422 : 200), sqlPage(sql, found));
    } finally {
      client.release(true);
    }
  });
}

import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { exportFiltered, FILTERED_FORMATS } from '../../pipelines/export/filtered_rows.ts';
import { browseTable, countRows, publishedRowCounts } from '../../pipelines/views/browse_table.ts';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import type { Table } from '../../schema/table.ts';
import { servedTables } from '../../store/read/served_tables.ts';
import { whereOf } from '../../store/read/table_filter.ts';
import { sendError } from '../error_page.ts';
import type { ReadRunner } from '../map/tiles.ts';
import { sendConsole } from '../page.ts';
import { viewOf } from './link.ts';
import { tablePage, tablesPage } from './page.ts';

/** Maximum rows of a file and of the count. */
const MOST = 1_000_000;
const TYPES = { csv: 'text/csv; charset=utf-8', parquet: 'application/vnd.apache.parquet' } as const;

/** Adds the pages of serving tables. `asReader` reads as the readers' role, `read` reads the control tables. */
export function addTables(
  app: FastifyInstance,
  runRead: ReadRunner,
  asReader: ReadRunner,
  config: Config,
): void {
  const tables = (): Promise<readonly Table[]> => runRead((client) => servedTables(client, config));
  const tableOf = async (name: string): Promise<Table> => {
    const table = (await tables()).find((each) => each.name === name);
    if (table) return table;
    throw new EtlError('config_invalid', `No table has the name ${JSON.stringify(name)}.`);
  };
  app.get('/tables', async (_request, reply) =>
    sendConsole(reply, tablesPage(await tables(), await runRead(publishedRowCounts))),
  );

  app.register(async (scope) => {
    scope.setErrorHandler(async (error: Error, request, reply) => {
      // The conditions on an existing table may be wrong.
      if (!(error instanceof EtlError) || error.code !== 'config_invalid') throw error;
      const { name } = request.params as { name: string };
      const status = (await tables()).some((table) => table.name === name) ? 422 : 404;
      return sendError(request, reply, status, error.code, error.message);
    });

    scope.get<{ Params: { name: string } }>('/tables/:name', async (request, reply) => {
      const table = await tableOf(request.params.name);
      const view = viewOf(request.url);
      const all = (await runRead(publishedRowCounts)).get(table.name) ?? 0;
      const page = await asReader(async (client) => {
        const isAll = view.conditions.length === 0;
        const count = isAll ? all : await countRows(client, table, whereOf(table, view.conditions), MOST + 1);
        return tablePage({
          table,
          view,
          all,
          count,
          most: MOST,
          rows: await browseTable(client, table, view),
        });
      });
      return sendConsole(reply, page);
    });

    for (const format of FILTERED_FORMATS)
      scope.get<{ Params: { name: string } }>(`/tables/:name/${format}`, async (request, reply) => {
        const table = await tableOf(request.params.name);
        const where = whereOf(table, viewOf(request.url).conditions);
        const folder = await mkdtemp(join(tmpdir(), 'pipeline-console-'));
        const remove = () => rm(folder, { recursive: true, force: true });
        const path = join(folder, `${table.name}.${format}`);
        try {
          await asReader(async (client) => {
            if ((await countRows(client, table, where, MOST + 1)) > MOST)
              throw new EtlError(
                'config_invalid',
                `More than ${MOST.toLocaleString('en-AU')} rows meet this: filter further, or write the table with pipeline export.`,
              );
            await exportFiltered(client, table, where, format, path);
          });
          const { size } = await stat(path);
          const stream = createReadStream(path).on('close', remove);
          return reply
            .header('content-disposition', `attachment; filename="${table.name}.${format}"`)
            .header('content-length', size)
            .type(TYPES[format])
            .send(stream);
        } catch (error) {
          await remove();
          throw error;
        }
      });
  });
}

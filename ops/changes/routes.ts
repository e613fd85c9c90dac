import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { ask } from '../../contract/answers/ask.ts';
import { addressTitleCase } from '../../contract/answers/title_case.ts';
import { suburbProfile } from '../../contract/suburb/suburb_region.ts';
import { watchFor } from '../../jobs/operator/watch.ts';
import { type ChangedPlace, whatChanged } from '../../pipelines/views/what_changed.ts';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { NO_CELL } from '../../schema/grid.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { withClient } from '../../store/database.ts';
import { mayOf, onForm } from '../forms.ts';
import { sendConsole } from '../page.ts';
import { areaPath } from '../suburb/area_path.ts';
import { type Changed, changesPage, watchedPage } from './page.ts';

type Subject = Changed & { target: ChangedPlace };

async function propertyOf(db: Serving, id: string): Promise<Subject> {
  const row = await db
    .selectFrom('serving.property')
    .select(['gnaf_pid', 'address', 'cell', 'sal'])
    .where('gnaf_pid', '=', id.toUpperCase())
    .executeTakeFirst();
  if (row === undefined) throw new EtlError('config_invalid', 'No property with this id is served.');
  const { gnaf_pid: pid, address, cell, sal } = row;
  const path = `/property/${encodeURIComponent(pid)}`;
  return { name: addressTitleCase(address), path, target: { pid, cell: cell ?? NO_CELL, sal }, ids: [pid] };
}

async function suburbOf(db: Serving, id: string): Promise<Subject> {
  const { data } = await ask(suburbProfile, db, id);
  if (data === null) throw new EtlError('config_invalid', 'No suburb has this name.');
  const rows = await db
    .selectFrom('serving.property')
    .select('gnaf_pid')
    .where('sal', '=', data.name)
    .orderBy('gnaf_pid')
    .execute();
  const ids = rows.map(({ gnaf_pid }) => gnaf_pid);
  const { name, code } = data;
  return { name, path: areaPath('SAL', name), target: { suburb: name, code }, ids };
}

/** Adds the pages of what changed for a property or suburb, and lets an operator watch it for an account. */
export function addChanges(app: FastifyInstance, db: Serving, pool: pg.Pool, config: Config): void {
  const why = config.ops.token === null ? 'Nothing can be done here without a token: set ops.token.' : null;
  for (const [path, find] of [
    ['/property/:id', propertyOf],
    ['/suburb/:id', suburbOf],
  ] as const) {
    app.get<{ Params: { id: string } }>(`${path}/changes`, async (request, reply) => {
      const of = await find(db, request.params.id);
      const changes = await withClient(pool, (client) => whatChanged(client, config, of.target));
      return sendConsole(reply, changesPage(mayOf(why, request, reply), of, changes));
    });
    onForm(app, `${path}/watch`, why, async ({ params, fields, who }, reply) => {
      const of = await find(db, params.id!);
      const watch = await watchFor(pool, config, fields, { of: of.name, ids: of.ids }, who);
      return sendConsole(reply, watchedPage(of, watch));
    });
  }
}

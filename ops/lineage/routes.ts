import type { FastifyInstance } from 'fastify';
import { lineageGraph } from '../../pipelines/views/lineage_graph.ts';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import type { ReadRunner } from '../map/tiles.ts';
import { sendConsole } from '../page.ts';
import { lineagePage } from './page.ts';

/** Node that the page opens with. */
const FIRST = 'stage:serve_property';

/** Adds the lineage from datasets to serving tables. */
export function addLineage(app: FastifyInstance, runRead: ReadRunner, config: Config): void {
  app.get<{ Querystring: { of?: string | string[] } }>('/lineage', async (request, reply) => {
    const nodes = await runRead((client) => lineageGraph(client, config));
    const id = request.query.of ?? FIRST;
    if (typeof id !== 'string' || !nodes.has(id))
      throw new EtlError('config_invalid', 'There is no such dataset, table of records or stage.');
    return sendConsole(reply, lineagePage(nodes, id));
  });
}

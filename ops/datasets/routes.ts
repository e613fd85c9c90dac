import type { FastifyInstance } from 'fastify';
import { readDataset, readDatasets } from '../../pipelines/views/dataset_view.ts';
import type { Config } from '../../schema/config.ts';
import type { ReadRunner } from '../map/tiles.ts';
import { sendConsole } from '../page.ts';
import { datasetPage, datasetsPage } from './page.ts';

/** Adds the pages of datasets: the list, and one dataset with notes, rejects and history. */
export function addDatasets(app: FastifyInstance, runRead: ReadRunner, config: Config): void {
  app.get('/datasets', async (_request, reply) => {
    const { datasets, not_loaded } = await runRead((client) => readDatasets(client, config));
    return sendConsole(reply, datasetsPage(datasets, not_loaded));
  });
  app.get<{ Params: { name: string } }>('/datasets/:name', async (request, reply) => {
    const view = await runRead((client) => readDataset(client, config, request.params.name));
    return sendConsole(reply, datasetPage(view));
  });
}

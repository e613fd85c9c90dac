import type { FastifyInstance } from 'fastify';
import { ask } from '../../contract/answer.ts';
import { whyNoneOf } from '../../contract/coverage.ts';
import { geocode } from '../../contract/geocode/geocode.ts';
import { ENDPOINTS } from '../../contract/index.ts';
import { comparablePoints, hazardLines } from '../../contract/map/around_property.ts';
import { propertyNeighbours } from '../../contract/property_neighbours.ts';
import { find } from '../../contract/search.ts';
import { sandboxSample, servedPublication } from '../../contract/service.ts';
import { explain } from '../../pipelines/inspect/explain.ts';
import { explainAvm } from '../../pipelines/inspect/explain_avm.ts';
import { valueHistory } from '../../pipelines/inspect/value_history.ts';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { HAZARD_LAYERS } from '../../schema/records/hazard.ts';
import type { Serving } from '../../schema/serving/database.ts';
import type { Read } from '../map/tiles.ts';
import { sendConsole } from '../page.ts';
import { askPage, foundPage } from './found_page.ts';
import { notServedPage, propertyPage } from './page.ts';
import { valuationPage, whyPage } from './why_page.ts';

const CANDIDATES = 20;
const LONGEST = 400;
/** What an id of the address file is made of; anything else is an address. */
const ID = /^[A-Za-z0-9_]{3,50}$/;

const idOf = (text: string): string => {
  if (ID.test(text)) return text;
  throw new EtlError('config_invalid', 'A G-NAF id has letters, digits and _ alone.');
};

async function isServed(db: Serving, pid: string): Promise<boolean> {
  const row = await db
    .selectFrom('serving.property')
    .select('gnaf_pid')
    .where('gnaf_pid', '=', pid)
    .executeTakeFirst();
  return row !== undefined;
}

/** Finds a property by address, and shows all that is served of it. */
export function addProperty(app: FastifyInstance, db: Serving, read: Read, config: Config): void {
  app.get<{ Querystring: { q?: string | string[] } }>('/property', async (request, reply) => {
    const given = request.query.q;
    const text =
      (Array.isArray(given) ? given[0] : given)?.replaceAll('\0', '').trim().slice(0, LONGEST) ?? '';
    if (text === '') return sendConsole(reply, askPage(await find(sandboxSample, db)));
    const open = (pid: string) => reply.redirect(`/property/${encodeURIComponent(pid)}`, 303);
    if (ID.test(text) && (await isServed(db, text.toUpperCase()))) return open(text.toUpperCase());
    const { status, gnaf_pid, candidates } = await find(geocode, db, { address: text, limit: CANDIDATES });
    return gnaf_pid === null ? sendConsole(reply, foundPage(text, status, candidates)) : open(gnaf_pid);
  });

  app.get<{ Params: { pid: string } }>('/property/:pid', async (request, reply) => {
    const pid = idOf(request.params.pid);
    const explanation = await read((client) => explain(client, config, pid));
    if (explanation.outcome !== 'served') return sendConsole(reply.code(404), notServedPage(explanation));
    const [publication, comparables, hazards, notFound, around] = await Promise.all([
      servedPublication(db),
      comparablePoints(db, pid),
      hazardLines(db, pid),
      whyNoneOf(db, pid, HAZARD_LAYERS),
      find(propertyNeighbours, db, { id: pid, geojson: true }),
    ]);
    // A property that is explained as served is a row of serving.property.
    const view = { explanation, publication, comparables, hazards, notFound: notFound!, around };
    return sendConsole(reply, propertyPage(view));
  });

  app.get<{ Params: { pid: string } }>('/property/:pid/valuation', async (request, reply) => {
    const pid = idOf(request.params.pid);
    return sendConsole(reply, valuationPage(await read((client) => explainAvm(client, pid))));
  });

  app.get<{ Params: { pid: string; field: string } }>('/property/:pid/why/:field', async (request, reply) => {
    const { pid, field } = request.params;
    const history = await read((client) => valueHistory(client, config, idOf(pid), field, null));
    return sendConsole(reply, whyPage(history));
  });

  app.get<{ Params: { pid: string; '*': string } }>('/property/:pid/payload/*', async (request, reply) => {
    const endpoint = ENDPOINTS.find(
      ({ subject, path }) => subject === 'property' && path === request.params['*'],
    );
    if (!endpoint) return reply.code(404).send({ error: 'not_found', message: 'There is no such endpoint.' });
    return ask(endpoint, db, idOf(request.params.pid));
  });
}

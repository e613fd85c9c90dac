import type { FastifyInstance } from 'fastify';
import { ask, find } from '../../contract/answers/ask.ts';
import { whyNoneOf } from '../../contract/answers/coverage.ts';
import { ENDPOINTS } from '../../contract/index.ts';
import { comparablePoints, hazardLines } from '../../contract/map/around_property.ts';
import { propertyNeighbours } from '../../contract/property/property_neighbours.ts';
import { risksAll } from '../../contract/property/risks.ts';
import { schoolsRanking } from '../../contract/property/schools.ts';
import { transportNearby } from '../../contract/property/transport_nearby.ts';
import { sandboxSample, servedPublication } from '../../contract/service/service.ts';
import { suburbMarket } from '../../contract/suburb/suburb_market.ts';
import { suburbHazards } from '../../contract/suburb/suburb_region.ts';
import { type Explanation, explain, explainCandidate } from '../../pipelines/explain/explain.ts';
import { explainAvm } from '../../pipelines/explain/explain_avm.ts';
import { valueHistory } from '../../pipelines/explain/value_history.ts';
import { readLateSources } from '../../pipelines/views/late_sources.ts';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { HAZARD_LAYERS } from '../../schema/records/hazard.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { CANDIDATE_SCHEMA, heldCandidate, withCandidate } from '../../store/journal/candidate.ts';
import { servingIn } from '../../store/read/serving.ts';
import type { ReadRunner } from '../map/tiles.ts';
import { type Page, sendConsole } from '../page.ts';
import { askPage, foundPage } from './found_page.ts';
import { notServedPage, propertyPage } from './page.ts';
import { placesLike } from './places.ts';
import { propertyReport } from './report.ts';
import { readReportSources } from './report_sources.ts';
import type { PropertyView } from './view.ts';
import { valuationPage, whyPage } from './why_page.ts';

/** Minimum characters of a text for suggestions, and maximum characters read. */
const SHORTEST = 2;
const LONGEST = 400;
/** Format of a G-NAF id; anything else is an address. */
const ID = /^[A-Za-z0-9_]{3,50}$/;

const textOf = (parameter: string | string[] | undefined): string =>
  (Array.isArray(parameter) ? parameter[0] : parameter)?.replaceAll('\0', '').trim().slice(0, LONGEST) ?? '';

const idOf = (text: string): string => {
  if (ID.test(text)) return text;
  throw new EtlError('config_invalid', 'A G-NAF id has letters, digits and _ alone.');
};

/** Address of a property. Undefined: it is not served. */
const addressOf = async (db: Serving, pid: string): Promise<string | undefined> =>
  (await db.selectFrom('serving.property').select('address').where('gnaf_pid', '=', pid).executeTakeFirst())
    ?.address;

/** Reads the data of a property's page. */
async function viewOf(
  db: Serving,
  explanation: Explanation,
  lateSources: PropertyView['lateSources'],
): Promise<Omit<PropertyView, 'isCandidate' | 'hasCandidate'>> {
  const pid = explanation.gnaf_pid;
  const { serving } = explanation;
  const suburb = serving.property![0]!.sal as string | null;
  const lga = (serving.property_profile?.[0]?.lga ?? null) as string | null;
  const [publication, comparables, hazards, notFound, risks, around, schools, transport, market, inCouncil] =
    await Promise.all([
      servedPublication(db),
      comparablePoints(db, pid),
      hazardLines(db, pid),
      whyNoneOf(db, pid, [...HAZARD_LAYERS, 'zoning', 'overlay']),
      ask(risksAll, db, pid),
      find(propertyNeighbours, db, { id: pid, geojson: true }),
      ask(schoolsRanking, db, pid),
      ask(transportNearby, db, pid),
      suburb === null ? null : ask(suburbMarket, db, suburb),
      lga === null ? null : ask(suburbHazards, db, lga, { level: 'LGA' }),
    ]);
  return {
    explanation,
    publication,
    lateSources,
    comparables,
    hazards,
    notFound: notFound!,
    risks,
    around,
    schools,
    transport,
    market,
    council: inCouncil?.data
      ? { name: inCouncil.region!.name, assessed: new Set(inCouncil.data.map(({ layer }) => layer)) }
      : null,
  };
}

/** Adds the search by address, and the pages of a property. */
export function addProperty(app: FastifyInstance, db: Serving, runRead: ReadRunner, config: Config): void {
  app.get<{ Querystring: { q?: string | string[] } }>('/property', async (request, reply) => {
    const text = textOf(request.query.q);
    if (text === '') return sendConsole(reply, askPage(await find(sandboxSample, db)));
    const open = (pid: string) => reply.redirect(`/property/${encodeURIComponent(pid)}`, 303);
    if (ID.test(text) && (await addressOf(db, text.toUpperCase())) !== undefined)
      return open(text.toUpperCase());
    const { certain, places } = await placesLike(db, runRead, text);
    return certain === null ? sendConsole(reply, foundPage(text, places)) : open(certain);
  });

  app.get<{ Querystring: { q?: string | string[] } }>('/find', async (request) => {
    const text = textOf(request.query.q);
    return { places: text.length < SHORTEST ? [] : (await placesLike(db, runRead, text)).places };
  });

  const addPropertyPage = (
    path: string,
    pageOf: (view: PropertyView, explanation: Explanation) => Promise<Page>,
  ): void => {
    app.get<{ Params: { pid: string }; Querystring: { candidate?: string } }>(
      path,
      async (request, reply) => {
        const pid = idOf(request.params.pid);
        const isCandidate = request.query.candidate !== undefined;
        const explanation = await runRead((client) =>
          isCandidate ? explainCandidate(client, config, pid) : explain(client, config, pid),
        );
        if (explanation.outcome !== 'served') return sendConsole(reply.code(404), notServedPage(explanation));
        const state = explanation.serving.property![0]!.state as string;
        const lateSources = await runRead((client) => readLateSources(client, config, state));
        const view = isCandidate
          ? await runRead((client) =>
              withCandidate(client, () =>
                viewOf(servingIn(client, CANDIDATE_SCHEMA), explanation, lateSources),
              ),
            )
          : await viewOf(db, explanation, lateSources);
        const hasCandidate = (await runRead(heldCandidate)) !== null;
        return sendConsole(reply, await pageOf({ ...view, isCandidate, hasCandidate }, explanation));
      },
    );
  };
  addPropertyPage('/property/:pid', async (view) => propertyPage(view));
  addPropertyPage('/property/:pid/report', async (view, explanation) =>
    propertyReport(view, await runRead((client) => readReportSources(client, explanation, view.comparables))),
  );

  app.get<{ Params: { pid: string } }>('/property/:pid/valuation', async (request, reply) => {
    const pid = idOf(request.params.pid);
    const explained = await runRead((client) => explainAvm(client, pid));
    return sendConsole(reply, valuationPage(explained, (await addressOf(db, pid)) ?? pid));
  });

  app.get<{ Params: { pid: string; field: string } }>('/property/:pid/why/:field', async (request, reply) => {
    const { pid, field } = request.params;
    const history = await runRead((client) => valueHistory(client, config, { pid: idOf(pid), field }));
    return sendConsole(reply, whyPage(history));
  });

  app.get<{ Params: { pid: string; '*': string } }>('/property/:pid/payload/*', async (request, reply) => {
    const endpoint = ENDPOINTS.find(
      ({ subject, subpath }) => subject === 'property' && subpath === request.params['*'],
    );
    if (!endpoint) return reply.code(404).send({ error: 'not_found', message: 'There is no such endpoint.' });
    return ask(endpoint, db, idOf(request.params.pid));
  });
}

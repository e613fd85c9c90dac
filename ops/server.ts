import { createServer, type RequestListener } from 'node:http';
import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import Fastify, { type FastifyInstance } from 'fastify';
import { withQueueTimeout } from '../jobs/answered.ts';
import { type Backend, openBackend } from '../jobs/backend.ts';
import { JOB_STATES } from '../jobs/operator/requests.ts';
import { readQueueState } from '../jobs/queue_state.ts';
import { boundedHealth, health } from '../pipelines/views/health.ts';
import type { Config } from '../schema/config.ts';
import { EtlError } from '../schema/errors.ts';
import { openPool, withClient } from '../store/database.ts';
import { asReader, openServing } from '../store/read/serving.ts';
import { answerInTurn } from '../store/system/answer_in_turn.ts';
import { connectionError, isAway } from '../store/system/connection_error.ts';
import { within } from '../store/system/within.ts';
import { checkAccess, isAuthorised } from './access.ts';
import { addAccuracy } from './accuracy/routes.ts';
import { addChanges } from './changes/routes.ts';
import { addDatasets } from './datasets/routes.ts';
import { sendError } from './error_page.ts';
import { addJobs } from './jobs/routes.ts';
import { addLineage } from './lineage/routes.ts';
import { PastViews } from './map/past_views.ts';
import { addMap } from './map/routes.ts';
import type { ReadRunner } from './map/tiles.ts';
import { Metrics } from './metrics.ts';
import { addOperate } from './operate/routes.ts';
import { addOverview } from './overview/routes.ts';
import { addProperty } from './property/routes.ts';
import { addRuns } from './runs/routes.ts';
import { addSql } from './sql/routes.ts';
import { addStatic } from './static.ts';
import { addSuburb } from './suburb/routes.ts';
import { addTables } from './tables/routes.ts';

export interface OpsServer {
  /** URL that the server listens at. */
  url: string;
  close(): Promise<void>;
}

/** Connections of the pages, so that a report does not wait for a metrics request. */
const CONNECTIONS = 3;
/** Connections that read the serving tables for maps and properties. */
const MAP_CONNECTIONS = 3;
/** Connections for tables, and for an operator's SQL; further requests wait. */
const TABLE_CONNECTIONS = 2;
const SQL_CONNECTIONS = 2;
/** Maximum seconds of a page's statement. */
const STATEMENT_S = 30;
/** Maximum wait at the end for clients to read their answers, milliseconds. */
const GRACE_MS = 3000;
/** Seconds after which a health probe replaces its connection. */
const PROBE_S = 5;
/** Maximum wait for the queue, and for a connection to it, milliseconds. */
const QUEUE_MS = 2000;
const CONNECT_MS = 6000;
/** Errors that mean that the requested thing does not exist. */
const NOT_THERE: ReadonlySet<string> = new Set(['config_invalid', 'unknown_publication', 'journal_pruned']);

/** Minimum bytes of a compressed answer, and a Brotli quality that is as fast as gzip. */
const COMPRESSED_FROM = 1024;
const BROTLI_QUALITY = 4;

function addGuard(app: FastifyInstance, token: string | null): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.url.split('?')[0] === '/healthz' || isAuthorised(token, request.headers)) return;
    const status = token === null ? 403 : 401;
    if (token !== null) reply.header('www-authenticate', 'Basic realm="pipeline", charset="UTF-8"');
    await reply
      .code(status)
      .send({ error: token === null ? 'Ask for 127.0.0.1 or localhost.' : 'The token is missing or wrong.' });
  });
  app.addHook('onSend', async (_request, reply) => {
    reply
      .header('x-content-type-options', 'nosniff')
      .header('x-frame-options', 'DENY')
      // Without a referrer a form has no origin to check. Other sites receive none.
      .header('referrer-policy', 'same-origin');
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  });
  app.setErrorHandler(async (cause: Error, request, reply) => {
    const error = connectionError(cause) ?? cause;
    const errorCode = error instanceof EtlError ? error.code : null;
    const statedStatus = (cause as { statusCode?: number }).statusCode ?? 500;
    const status = errorCode !== null && NOT_THERE.has(errorCode) ? 404 : isAway(cause) ? 503 : statedStatus;
    await sendError(request, reply, status, errorCode ?? 'internal', error.message);
  });
  app.setNotFoundHandler((request, reply) =>
    sendError(request, reply, 404, 'not_found', 'Page not found. Use the menu above.'),
  );
}

/** The probe has its own connection, so that it does not wait behind pages when the database is frozen. */
function addHealth(app: FastifyInstance, runRead: ReadRunner, config: Config['ops']): void {
  const readHealth = boundedHealth(() => runRead((client) => health(client, config.fresh_h)));
  app.get('/healthz', async (request, reply) => {
    const currentHealth = await readHealth();
    const maySeeAll = isAuthorised(config.token, request.headers);
    // A dataset that cannot be read is still served from its last load.
    return reply
      .code(currentHealth.status === 'ok' || currentHealth.status === 'degraded' ? 200 : 503)
      .send(maySeeAll ? currentHealth : { status: currentHealth.status });
  });
}

function addMetrics(
  app: FastifyInstance,
  runRead: ReadRunner,
  backend: Backend | null,
  config: Config,
): void {
  const metrics = new Metrics();
  app.get('/metrics', async (_request, reply) => {
    const jobs =
      backend &&
      (await withQueueTimeout(QUEUE_MS, backend.queue.getJobCounts(...JOB_STATES)).catch(() => null));
    const text = await runRead(async (client) =>
      metrics.read(
        client,
        await health(client, config.ops.fresh_h),
        jobs,
        await readQueueState(client, backend?.queue ?? null, config.queue),
      ),
    );
    return reply.type(metrics.type).send(text);
  });
}

/** Answers the first of the requests that are too many to wait on one connection. */
const refuseQueued: RequestListener = (_request, response) =>
  response.writeHead(503, { connection: 'close' }).end('Too many requests wait on this connection.');

/** Listens, or reports why it cannot. */
async function listen(app: FastifyInstance, { host, port }: Config['ops']): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    const why = `ops cannot listen on ${host}, port ${port}: ${(error as Error).message}.`;
    throw new EtlError('ops_unavailable', `${why} Choose another with --port.`, { cause: error });
  }
}

/**
 * Serves run reports, the queue, metrics and health. The tables must exist. If the queue does not answer, its page is left out. @throws
 * EtlError config_invalid if others could reach it without a token, ops_unavailable
 */
export async function startOps(url: string, config: Config): Promise<OpsServer> {
  checkAccess(config.ops);
  const answer_s = STATEMENT_S + 5;
  const pool = openPool(url, CONNECTIONS, { settings: [`statement_timeout=${STATEMENT_S}s`], answer_s });
  const probe = openPool(url, 1, { answer_s: PROBE_S });
  const reading = [`statement_timeout=${STATEMENT_S}s`, 'default_transaction_read_only=on'];
  const served = openServing(url, MAP_CONNECTIONS, { settings: reading, answer_s });
  const role = config.database.api_role;
  const tables = openPool(url, TABLE_CONNECTIONS, { settings: [...reading, asReader(role)], answer_s });
  const queries = openPool(url, SQL_CONNECTIONS, { answer_s });
  const past = new PastViews(url, [`statement_timeout=${STATEMENT_S}s`], answer_s);
  const backend = await withQueueTimeout(CONNECT_MS, openBackend(url, config.queue)).catch(() => null);
  const app = Fastify({
    logger: false,
    bodyLimit: 64 * 1024,
    serverFactory: (answer) => createServer(answerInTurn(answer, refuseQueued)),
  });
  const close = async (): Promise<void> => {
    const grace = setTimeout(() => app.server.closeAllConnections(), GRACE_MS);
    await app.close();
    clearTimeout(grace);
    if (backend) await within(QUEUE_MS, backend.close()).catch(() => false);
    const pools = [tables.end(), queries.end(), pool.end(), probe.end()];
    await Promise.all([past.close(), served.destroy(), ...pools]);
  };
  const runRead: ReadRunner = (work) => withClient(pool, work);
  try {
    await app.register(compress, {
      threshold: COMPRESSED_FROM,
      encodings: ['br', 'gzip'],
      brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } },
      globalDecompression: false,
    });
    addGuard(app, config.ops.token);
    addOverview(app, served, runRead, backend, config);
    addMetrics(app, runRead, backend, config);
    addHealth(app, (work) => withClient(probe, work), config.ops);
    addStatic(app);
    addRuns(app, runRead, backend, config);
    addDatasets(app, runRead, config);
    addAccuracy(app, served);
    addLineage(app, runRead, config);
    addMap(app, served, runRead, past);
    addProperty(app, served, runRead, config);
    addSuburb(app, served, runRead, config);
    addChanges(app, served, pool, config);
    addTables(app, runRead, (work) => withClient(tables, work), config);
    addSql(app, runRead, queries, config);
    addOperate(app, runRead, backend, config);
    if (backend) addJobs(app, served, backend);
    return { url: await listen(app, config.ops), close };
  } catch (error) {
    await close();
    throw error;
  }
}

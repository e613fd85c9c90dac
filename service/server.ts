import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { Config } from '../schema/config.ts';
import { ident } from '../schema/ddl.ts';
import { EtlError } from '../schema/errors.ts';
import { setUpAccounts } from '../store/account_set_up.ts';
import { sandboxKey } from '../store/accounts.ts';
import { openPool } from '../store/database.ts';
import { asReader, servingsOn } from '../store/serving.ts';
import { within } from '../store/within.ts';
import { Charges } from './charges.ts';
import { Desk } from './desk.ts';
import { addGate, limitConnections, onClientError, withMethods } from './gate.ts';
import { addMcp } from './mcp.ts';
import { type AccessRecord, METRICS_TYPE, ServiceMetrics } from './metrics.ts';
import { OPERATIONS } from './operations.ts';
import { addPages } from './pages.ts';
import { addPortal } from './portal.ts';
import { RateCards } from './rate_cards.ts';
import { memoryLimit, redisLimit } from './rate_limit.ts';
import { addRoutes } from './routes.ts';

/** Where a service is reached, and the key to try it with. */
export interface Address {
  base_url: string;
  sandbox_key: string;
  mcp_url: string;
}

/** A service that answers. */
export interface Service extends Address {
  /** Takes no further calls, lets those in hand finish for `drain_s`, and closes. */
  close(): Promise<void>;
}

/** What the service is told from outside. */
export interface ServiceHooks {
  /** Whether what is served is fresh, and why not. */
  ready?: () => Promise<{ ok: boolean; reasons: readonly string[] }>;
  /** The metrics of all processes, where there are several; they collect those of this one from its registry. */
  metrics?: (registry: Registry) => () => Promise<string>;
  /** Hears of every call. */
  onAccess?: (record: AccessRecord) => void;
  /** Hears of what failed here. */
  onError?: (line: { request_id: string; message: string; stack: string }) => void;
}

/** Connections for accounts, charges and as-of reads. */
const ACCOUNT_CONNECTIONS = 6;
/** Seconds that a server has for cancelling a statement that takes too long, before it counts as frozen. */
const ANSWER_MARGIN_S = 2;
/** How long a probe waits for the number of the publication. */
const PROBE_MS = 1500;
const MAX_HEADER = 16 * 1024;
const KEEP_ALIVE_MS = 65_000;
const DRAIN_LOOK_MS = 20;

const isLoopback = (address: string): boolean =>
  address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.');
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Metrics are for this machine, and elsewhere for who has the token of ops. */
function maySeeMetrics(token: string | null, address: string, authorization: string | undefined): boolean {
  if (isLoopback(address)) return true;
  const given = /^bearer\s+(\S+)$/i.exec(authorization ?? '')?.[1];
  return token !== null && given !== undefined && timingSafeEqual(digest(given), digest(token));
}

/** Number of the publication that is served; null: there is none, or the database does not say in time. */
async function publicationInTime(desk: Desk): Promise<number | null> {
  const asked = desk.publication().catch(() => null);
  return (await within(PROBE_MS, asked)) ? asked : null;
}

function addProbes(
  app: FastifyInstance,
  metrics: () => Promise<string>,
  desk: Desk,
  token: string | null,
  ready: ServiceHooks['ready'],
): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const [looked, publication] = await Promise.all([ready?.(), publicationInTime(desk)]);
    const { ok, reasons } = looked ?? { ok: true, reasons: [] };
    const isReady = ok && publication !== null;
    return reply
      .code(isReady ? 200 : 503)
      .send({ status: isReady ? 'ready' : 'not ready', publication, reasons });
  });
  app.get('/metrics', async (request, reply) => {
    if (!maySeeMetrics(token, request.ip, request.headers.authorization)) return reply.callNotFound();
    return reply.type(METRICS_TYPE).send(await metrics());
  });
}

/** Fastify with the limits of the configuration. */
function makeApp(config: Config['service'], onError: ServiceHooks['onError']): FastifyInstance {
  const app = Fastify({
    logger: false,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    bodyLimit: config.body_max_kb * 1024,
    routerOptions: { maxParamLength: 1000 },
    requestTimeout: config.request_timeout_s * 1000,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: { maxHeaderSize: MAX_HEADER, headersTimeout: config.request_timeout_s * 1000 },
    clientErrorHandler: onClientError,
  });
  app.log.error = ((line: { request_id: string; err: Error }) =>
    onError?.({
      request_id: line.request_id,
      message: line.err?.message ?? '',
      stack: line.err?.stack ?? '',
    })) as typeof app.log.error;
  return app;
}

/** Names by which clients reach the service. */
const namesOf = ({ host, base_url }: Config['service']): string[] => [
  host,
  ...(base_url === null ? [] : [new URL(base_url).hostname]),
];

/** Listens, or says why it cannot. */
async function listen(app: FastifyInstance, { host, port }: Config['service']): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    throw new EtlError(
      'service_unavailable',
      `The service cannot listen on ${host}, port ${port}: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

/** Codes of PostgreSQL: the user may not become the role; there is no such role. */
const NO_ROLE: ReadonlySet<string> = new Set(['42501', '22023']);

/** Tries to read as the role of the API. @throws EtlError role_missing */
async function checkReader(desk: Desk, role: string): Promise<void> {
  try {
    await desk.publication();
  } catch (error) {
    if (!NO_ROLE.has((error as { code?: string }).code ?? '')) throw error;
    throw new EtlError(
      'role_missing',
      `The service reads as ${role}, and its user may not: ${(error as Error).message}. Ask an administrator for: GRANT ${ident(role)} TO the user of the database URL;`,
      { cause: error },
    );
  }
}

/**
 * Serves the read contract over HTTP on a database whose tables are set up.
 * @throws EtlError service_unavailable, rate_card_incomplete, role_missing
 */
export async function startService(url: string, config: Config, hooks: ServiceHooks = {}): Promise<Service> {
  const own = config.service;
  const timeout = `statement_timeout=${Math.round(own.query_timeout_s * 1000)}`;
  const answer_s = own.query_timeout_s + ANSWER_MARGIN_S;
  const accounts = openPool(url, ACCOUNT_CONNECTIONS, { settings: [timeout], answer_s });
  const role = config.database.api_role;
  const reads = openPool(own.read_url ?? url, own.connections, {
    settings: [timeout, asReader(role)],
    answer_s,
    isPipelined: true,
  });
  const { db, points } = servingsOn(reads);
  const charges = new Charges(accounts);
  const redis = config.queue.redis_url;
  const limit =
    redis === null
      ? memoryLimit(own.rate_per_s, own.rate_burst)
      : await redisLimit(redis, own.rate_per_s, own.rate_burst);
  const app = makeApp(own, hooks.onError);
  let drain = (): void => undefined;
  let inHand = (): number => 0;
  let closeMcp = async (): Promise<void> => undefined;
  let at = '';
  let closing: Promise<void> | null = null;
  const shut = async (): Promise<void> => {
    drain();
    const end = Date.now() + own.drain_s * 1000;
    while (inHand() > 0 && Date.now() < end)
      await new Promise((resolve) => setTimeout(resolve, DRAIN_LOOK_MS));
    app.server.closeIdleConnections();
    const closed = app.close();
    app.server.closeAllConnections();
    await closed;
    await closeMcp();
    charges.close();
    await limit.close();
    await db.destroy();
    await accounts.end();
  };
  const close = (): Promise<void> => {
    closing ??= shut();
    return closing;
  };
  try {
    const client = await accounts.connect();
    try {
      await setUpAccounts(client);
    } finally {
      client.release();
    }
    const cards = new RateCards(accounts);
    await cards.open(OPERATIONS);
    const key = await sandboxKey(accounts);
    const desk = new Desk({ accounts, db, points, cards, charges, limit });
    await checkReader(desk, role);
    const open = limitConnections(app.server, own.connections_max);
    const metrics = new ServiceMetrics(() => inHand(), open, { accounts, reads });
    const metricsText = hooks.metrics?.(metrics.registry) ?? (() => metrics.registry.metrics());
    const gate = addGate(
      app,
      { calls: own.calls_max, connections: own.connections_max, corsOrigins: own.cors_origins },
      () => desk.version(),
      (record) => {
        metrics.count(record);
        hooks.onAccess?.(record);
      },
    );
    drain = gate.drain;
    inHand = gate.inHand;
    const rateLimit = { per_s: own.rate_per_s, burst: own.rate_burst };
    withMethods(app, () => {
      addProbes(app, metricsText, desk, config.ops.token, hooks.ready);
      addRoutes(app, desk, OPERATIONS, rateLimit);
      closeMcp = addMcp(app, desk, rateLimit, namesOf(own));
      addPages(app, desk, key, () => at);
      addPortal(app, accounts, limit);
    });
    const listening = await listen(app, own);
    at = own.base_url ?? listening;
    return { base_url: at, sandbox_key: key, mcp_url: `${at}/mcp`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

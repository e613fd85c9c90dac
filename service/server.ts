import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import type { Config } from '../schema/config.ts';
import { ident } from '../schema/ddl.ts';
import { EtlError } from '../schema/errors.ts';
import { setUpAccounts } from '../store/accounts/account_set_up.ts';
import { sandboxKey, tagSecret } from '../store/accounts/accounts.ts';
import { forgetOldKeys } from '../store/accounts/idempotency.ts';
import { Unsent } from '../store/accounts/unsent.ts';
import { openPool } from '../store/database.ts';
import { asReader } from '../store/read/serving.ts';
import { isTransactionPooler, settingsSql } from '../store/system/session_settings.ts';
import { within } from '../store/system/within.ts';
import { memoryTurns } from './account_turns.ts';
import { addAdmissionControl, onLeave, sendRefusal, withMethods } from './admission.ts';
import { AnswerReader } from './answer_reader.ts';
import { CallHandler } from './call_handler.ts';
import { Charges } from './charges.ts';
import { addExports } from './exports.ts';
import { refusalOf } from './failure.ts';
import { HEADERS_MAX, makeHttpServer, onClientError } from './http_server.ts';
import { addMcp } from './mcp.ts';
import { type AccessRecord, METRICS_TYPE, ServiceMetrics } from './metrics.ts';
import { OPERATIONS } from './operations.ts';
import { addPages } from './pages.ts';
import { parseBody } from './parse_body.ts';
import { addPortal } from './portal.ts';
import { RateCards } from './rate_cards.ts';
import { memoryLimit, redisLimit } from './rate_limit.ts';
import { badPath } from './refusal.ts';
import { addRoutes } from './routes.ts';
import type { SharedLimits } from './shared_limits.ts';
import { Shortage } from './shortage.ts';
import { addWatches } from './watches.ts';

/** URLs of the service, and the key to try it with. */
export interface ServiceUrls {
  base_url: string;
  sandbox_key: string;
  mcp_url: string;
}

/** A running service. */
export interface Service extends ServiceUrls {
  /** Takes no further calls, waits up to `drain_s` for calls in progress, and closes. */
  close(): Promise<void>;
}

/** Dependencies that the caller provides. */
export interface ServiceHooks {
  /** State of the pipeline for /healthz: `ok` if the served data are fresh, else with reasons. */
  pipeline?: () => Promise<{ status: string; reasons: readonly string[] }>;
  /** Collects the metrics of all processes from their registries, this one included; absent: a single process. */
  metrics?: (registry: Registry) => () => Promise<string>;
  /** Limits that several processes share; absent: a single process. */
  limits?: SharedLimits;
  /** Called for every call. */
  onAccess?: (record: AccessRecord) => void;
  /** Called for every internal failure. */
  onError?: (line: { request_id: string; message: string; stack: string }) => void;
}

/** Connections for accounts, charges and as-of reads. */
const ACCOUNT_CONNECTIONS = 6;
/** Seconds that a server has to cancel a slow statement before it counts as frozen. */
const ANSWER_MARGIN_S = 2;
/** Maximum wait of a probe for the publication's number. */
const PROBE_MS = 1500;
/** Minimum bytes of a compressed answer, and a Brotli quality that is as fast as gzip. */
const COMPRESSED_FROM = 1024;
const BROTLI_QUALITY = 4;
const FORGET_MS = 3_600_000;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Metrics need the token of ops. */
function maySeeMetrics(token: string | null, authorization: string | undefined): boolean {
  const givenToken = /^bearer\s+(\S+)$/i.exec(authorization ?? '')?.[1];
  return token !== null && givenToken !== undefined && timingSafeEqual(digest(givenToken), digest(token));
}

/** Number of the served publication. Null: none, or the database does not answer in time. */
async function publicationInTime(reads: AnswerReader): Promise<number | null> {
  const publication = reads.publication().catch(() => null);
  return (await within(PROBE_MS, publication)) ? publication : null;
}

/** Answers probes: /healthz about the process and the pipeline, /readyz about readiness for calls. */
function addProbes(
  app: FastifyInstance,
  metrics: () => Promise<string>,
  { reads, shortage, isFull }: { reads: AnswerReader; shortage: Shortage; isFull: () => boolean },
  token: string | null,
  pipeline: ServiceHooks['pipeline'],
): void {
  app.get('/healthz', async () => ({
    status: 'ok',
    ...(pipeline === undefined ? {} : { pipeline: await pipeline() }),
  }));
  app.get('/readyz', async (_request, reply) => {
    const publication = await publicationInTime(reads);
    const short = shortage.reason();
    const reasons = [
      ...(publication === null
        ? ['No publication can be read: nothing is published, or the database does not answer.']
        : []),
      ...(app.isUnderPressure() || isFull() ? ['Too many calls; more are refused.'] : []),
      ...(short === null ? [] : [short]),
    ];
    return reply
      .code(reasons.length === 0 ? 200 : 503)
      .send({ status: reasons.length === 0 ? 'ready' : 'not ready', publication, reasons });
  });
  app.get('/metrics', async (request, reply) => {
    if (!maySeeMetrics(token, request.headers.authorization)) return reply.callNotFound();
    return reply.type(METRICS_TYPE).send(await metrics());
  });
}

/** Creates Fastify with the configured limits. */
function makeApp(
  config: Config['service'],
  onError: ServiceHooks['onError'],
  onBadPath: (request: FastifyRequest, reply: FastifyReply) => void,
  version: () => number | null,
): FastifyInstance {
  const app = Fastify({
    logger: false,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    bodyLimit: config.body_max_kb * 1024,
    // The schema refuses parameters that are too long.
    routerOptions: { maxParamLength: HEADERS_MAX },
    serverFactory: (answer) => makeHttpServer(answer, config, version),
    frameworkErrors: (_error, request, reply) => onBadPath(request, reply),
    clientErrorHandler: onClientError(version),
  });
  app.log.error = ((line: { request_id: string; err: Error }) =>
    onError?.({
      request_id: line.request_id,
      message: line.err?.message ?? '',
      stack: line.err?.stack ?? '',
    })) as typeof app.log.error;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, parseBody(body as string));
    } catch (error) {
      done(error as Error);
    }
  });
  return app;
}

/** Host names that clients use to reach the service. */
const namesOf = ({ host, base_url }: Config['service']): string[] => [
  host,
  ...(base_url === null ? [] : [new URL(base_url).hostname]),
];

/** Listens, or reports why it cannot. */
async function listen(app: FastifyInstance, { host, port }: Config['service']): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    throw new EtlError(
      'service_unavailable',
      `The service cannot listen on ${host}, port ${port}: ${(error as Error).message}. Choose another with --port.`,
      { cause: error },
    );
  }
}

/** Codes of PostgreSQL: the user may not take the role, or the role does not exist. */
const NO_ROLE: ReadonlySet<string> = new Set(['42501', '22023']);

/** Reads once with the role of the API. @throws EtlError role_missing */
async function checkReader(reads: AnswerReader, role: string): Promise<void> {
  try {
    await reads.publication();
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
 * Serves the read contract over HTTP from a database with serving tables. @throws EtlError service_unavailable, rate_card_incomplete,
 * role_missing
 */
export async function startService(url: string, config: Config, hooks: ServiceHooks = {}): Promise<Service> {
  const serviceConfig = config.service;
  const timeout = `statement_timeout=${Math.round(serviceConfig.query_timeout_s * 1000)}`;
  const answer_s = serviceConfig.query_timeout_s + ANSWER_MARGIN_S;
  const role = config.database.api_role;
  const reading = [timeout, asReader(role)];
  // Behind a pooler in transaction mode, settings and role go with each transaction; elsewhere once with each connection.
  const hasSessions = serviceConfig.read_url === null || !(await isTransactionPooler(serviceConfig.read_url));
  const accounts = openPool(url, ACCOUNT_CONNECTIONS, { settings: [timeout], answer_s });
  const reads = openPool(serviceConfig.read_url ?? url, serviceConfig.connections, {
    settings: reading,
    answer_s,
    scope: hasSessions ? 'session' : 'transaction',
  });
  const unsent = new Unsent(url, accounts, answer_s);
  const charges = new Charges(accounts, unsent.holder);
  const redis = config.queue.redis_url;
  const { rates: counted, turns } = hooks.limits ?? { rates: memoryLimit(), turns: memoryTurns() };
  const limit = redis === null ? counted : await redisLimit(redis, counted);
  const rates = {
    prepaid: { per_s: serviceConfig.rate_per_s, burst: serviceConfig.rate_burst },
    sandbox: { per_s: serviceConfig.sandbox_rate_per_s, burst: serviceConfig.sandbox_rate_burst },
  };
  let onBadPath = (_request: FastifyRequest, _reply: FastifyReply): void => undefined;
  const shortage = new Shortage();
  let version = (): number | null => null;
  const app = makeApp(
    serviceConfig,
    hooks.onError,
    (request, reply) => onBadPath(request, reply),
    () => version(),
  );
  let drain = async (_ms: number): Promise<void> => undefined;
  let forgetting: NodeJS.Timeout | undefined;
  let closeMcp = async (): Promise<void> => undefined;
  let at = '';
  let closing: Promise<void> | null = null;
  const shut = async (): Promise<void> => {
    await drain(serviceConfig.drain_s * 1000);
    clearInterval(forgetting);
    const closed = app.close();
    app.server.closeAllConnections();
    await closed;
    await closeMcp();
    charges.close();
    await unsent.close();
    await limit.close();
    await reads.end();
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
    await cards.open();
    const key = await sandboxKey(accounts);
    await unsent.open();
    const forget = () => void forgetOldKeys(accounts).catch(() => undefined);
    forget();
    forgetting = setInterval(forget, FORGET_MS).unref();
    const secret = await tagSecret(accounts);
    const settings = hasSessions ? '' : `${settingsSql(reading, 'LOCAL')};`;
    const answers = new AnswerReader(accounts, reads, settings, turns);
    const calls = new CallHandler({
      accounts,
      reads: answers,
      cards,
      charges,
      limit,
      turns,
      rates,
      tagSecret: secret,
    });
    await calls.version();
    version = () => calls.lastVersion();
    await checkReader(answers, role);
    await app.register(compress, {
      threshold: COMPRESSED_FROM,
      encodings: ['br', 'gzip'],
      brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } },
      globalDecompression: false,
    });
    const openConnections = () =>
      new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count ?? 0)));
    const metrics = new ServiceMetrics(() => gate.inProgress(), openConnections, { accounts, reads });
    const metricsText = hooks.metrics?.(metrics.registry) ?? (() => metrics.registry.metrics());
    const gate = addAdmissionControl(
      app,
      {
        calls: serviceConfig.calls_max,
        loopDelayMs: serviceConfig.loop_delay_ms,
        corsOrigins: serviceConfig.cors_origins,
        unreadS: serviceConfig.request_timeout_s,
        onFailure: (error) => shortage.note(error),
      },
      version,
      (record) => {
        metrics.count(record);
        hooks.onAccess?.(record);
      },
    );
    drain = gate.drain;
    onBadPath = (request, reply) => {
      gate.begin(request, reply);
      calls
        .enter(request.headers.authorization)
        .then(() => badPath(), refusalOf)
        .then((refusal) => sendRefusal(reply, refusal, version()));
    };
    onLeave(app, (requestIds) => unsent.leave(requestIds));
    withMethods(app, () => {
      addProbes(
        app,
        metricsText,
        { reads: answers, shortage, isFull: gate.isFull },
        config.ops.token,
        hooks.pipeline,
      );
      addRoutes(app, calls, OPERATIONS);
      closeMcp = addMcp(
        app,
        calls,
        { hosts: namesOf(serviceConfig), origins: serviceConfig.cors_origins },
        (error) => shortage.note(error),
      );
      addPages(app, calls, key, () => at);
      addExports(app, calls, { folder: serviceConfig.exports, secret, at: () => at });
      addWatches(app, calls, { accounts, reads: answers, mayGoInside: config.downloads.private_addresses });
      addPortal(app, accounts, limit, rates.prepaid);
    });
    const listening = await listen(app, serviceConfig);
    at = serviceConfig.base_url ?? listening;
    return { base_url: at, sandbox_key: key, mcp_url: `${at}/mcp`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

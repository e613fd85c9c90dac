import { randomUUID } from 'node:crypto';
import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import type { Config } from '../schema/config.ts';
import { EtlError } from '../schema/errors.ts';
import type { CallHandler } from './answers/call_handler.ts';
import { OPERATIONS } from './answers/operations.ts';
import type { SharedLimits } from './billing/shared_limits.ts';
import { addExports } from './files/exports.ts';
import { AdmissionControl, onLeave, sendRefusal, withMethods } from './http/admission.ts';
import { refusalOf } from './http/failure.ts';
import { HEADERS_MAX, makeHttpServer, onClientError } from './http/http_server.ts';
import { type AccessRecord, ServiceMetrics } from './http/metrics.ts';
import { parseBody } from './http/parse_body.ts';
import { badPath } from './http/refusal.ts';
import { Shortage } from './http/shortage.ts';
import { addMcp } from './mcp/mcp.ts';
import { addPages } from './pages/pages.ts';
import { addPortal } from './pages/portal.ts';
import { addProbes } from './routes/probes.ts';
import { addRoutes } from './routes/routes.ts';
import { addWatches } from './routes/watch_routes.ts';
import { openServiceParts, type ServiceParts } from './service_parts.ts';

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

declare module 'fastify' {
  interface FastifyInstance {
    /** URL that clients use; empty until the service listens. */
    baseUrl: string;
  }
}

/** Minimum bytes of a compressed answer, and a Brotli quality that is as fast as gzip. */
const COMPRESSED_FROM = 1024;
const BROTLI_QUALITY = 4;

/** Refuses a request whose path cannot be read. Fastify calls it before its hooks run. */
const refuseBadPath =
  (admission: AdmissionControl, calls: CallHandler) =>
  (_error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    admission.begin(request, reply);
    calls
      .enter(request.headers.authorization)
      .then(() => badPath(), refusalOf)
      .then((refusal) => sendRefusal(reply, refusal, calls.lastVersion()));
  };

/** Creates Fastify with the configured limits. */
function makeApp(
  config: Config['service'],
  calls: CallHandler,
  admission: AdmissionControl,
  onError: ServiceHooks['onError'],
): FastifyInstance {
  const version = (): number | null => calls.lastVersion();
  const app = Fastify({
    logger: false,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: true,
    bodyLimit: config.body_max_kb * 1024,
    // The schema refuses parameters that are too long.
    routerOptions: { maxParamLength: HEADERS_MAX },
    serverFactory: (answer) => makeHttpServer(answer, config, version),
    frameworkErrors: refuseBadPath(admission, calls),
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
  app.register(compress, {
    threshold: COMPRESSED_FROM,
    encodings: ['br', 'gzip'],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } },
    globalDecompression: false,
  });
  return app;
}

/** Host names that clients use to reach the service. */
const namesOf = ({ host, base_url }: Config['service']): string[] => [
  host,
  ...(base_url === null ? [] : [new URL(base_url).hostname]),
];

/** Builds the service in front of its parts: admission first, then everything that has a path. */
async function buildApp(parts: ServiceParts, config: Config, hooks: ServiceHooks): Promise<FastifyInstance> {
  const { accounts, answers, calls, unsent } = parts;
  const { service, ops, downloads } = config;
  const shortage = new Shortage();
  const metrics = new ServiceMetrics(parts.pools);
  const admission = new AdmissionControl({
    calls: service.calls_max,
    loopDelayMs: service.loop_delay_ms,
    corsOrigins: service.cors_origins,
    unreadS: service.request_timeout_s,
    version: () => calls.lastVersion(),
    onFailure: (error) => shortage.note(error),
    onAccess: (record) => {
      metrics.count(record);
      hooks.onAccess?.(record);
    },
  });
  const app = makeApp(service, calls, admission, hooks.onError);
  await app.after();
  app.decorate('baseUrl', '');
  app.addHook('preClose', () => admission.drain(service.drain_s * 1000));
  admission.addTo(app);
  metrics.addGauges(app.server, () => admission.inProgress());
  onLeave(app, (requestIds) => unsent.leave(requestIds));
  withMethods(app, () => {
    addProbes(app, {
      publication: () => answers.publication(),
      metrics: hooks.metrics?.(metrics.registry) ?? (() => metrics.registry.metrics()),
      shortage,
      admission,
      token: ops.token,
      pipeline: hooks.pipeline,
    });
    addRoutes(app, calls, OPERATIONS);
    addMcp(app, calls, { hosts: namesOf(service), origins: service.cors_origins }, (error) =>
      shortage.note(error),
    );
    addPages(app, calls, parts.sandboxKey);
    addExports(app, calls, { folder: service.exports, secret: parts.tagSecret });
    addWatches(app, calls, { accounts, reads: answers, mayGoInside: downloads.private_addresses });
    addPortal(app, accounts, parts.limit, parts.prepaidRate);
  });
  return app;
}

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

/**
 * Serves the read contract over HTTP from a database with serving tables. @throws EtlError service_unavailable, rate_card_incomplete,
 * role_missing
 */
export async function startService(url: string, config: Config, hooks: ServiceHooks = {}): Promise<Service> {
  const closers: (() => unknown)[] = [];
  let closing: Promise<void> | null = null;
  const closeParts = async (): Promise<void> => {
    for (const close of closers.reverse()) await close();
  };
  /** Closes the last part first. A second call waits for the first. */
  const closeAll = (): Promise<void> => {
    closing ??= closeParts();
    return closing;
  };
  try {
    const parts = await openServiceParts(url, config, hooks.limits, (close) => closers.push(close));
    const app = await buildApp(parts, config, hooks);
    closers.push(() => app.close());
    const listening = await listen(app, config.service);
    app.baseUrl = config.service.base_url ?? listening;
    return {
      base_url: app.baseUrl,
      sandbox_key: parts.sandboxKey,
      mcp_url: `${app.baseUrl}/mcp`,
      close: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CallHandler } from '../answers/call_handler.ts';
import type { AuthenticatedCall } from '../billing/authenticated_call.ts';
import { type Rate, rateHeaders } from '../billing/rate_limit.ts';
import { billHeaders, periodEnd } from '../http/headers.ts';
import type { ServiceOperation } from '../operation.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const LINES_TYPE = 'application/x-ndjson; charset=utf-8';

/** True if a client accepts JSON lines. */
const asksForLines = (accept = ''): boolean => /\bapplication\/x-ndjson\b/i.test(accept);

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Path in the rate card. */
    path?: string;
  }
  interface FastifyRequest {
    visit: AuthenticatedCall;
  }
}

/** Path of a route in Fastify's syntax. */
const routePath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** Authenticates the caller before the body is read. */
export const entering =
  (calls: CallHandler, isFresh = false) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const call = await calls.enter(request.headers.authorization, { isFresh });
    request.visit = call;
    request.noted.keyId = call.caller.key_id;
    reply.headers(rateHeaders(calls.rateOf(call.caller), call.rateLimit!));
  };

/** Value of a header. Repeated headers are joined as in HTTP. */
export const headerOf = (request: FastifyRequest, name: string): string | undefined =>
  [request.headers[name]].flat().join(', ') || undefined;

function addOperation(app: FastifyInstance, calls: CallHandler, operation: ServiceOperation): void {
  for (const method of operation.methods) {
    app.route({
      method,
      url: routePath(operation.path),
      config: { path: operation.path },
      onRequest: entering(calls),
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        const { params, query, body } = request as {
          params: Record<string, string>;
          query: Record<string, unknown>;
          body: unknown;
        };
        const isBody = method === 'POST';
        const isLines = operation.composed !== undefined && asksForLines(request.headers.accept);
        const served = await calls.serve(operation, request.visit, {
          requestId: request.id,
          protocol: 'rest',
          id: operation.id === null ? '' : params[operation.id.name]!,
          query: (isBody ? (body ?? {}) : query) as Record<string, unknown>,
          parameterLocation: isBody ? 'body' : 'query',
          ifNoneMatch: request.headers['if-none-match'],
          idempotencyKey: headerOf(request, 'idempotency-key'),
          lines: isLines,
          isGone: () => reply.raw.destroyed,
        });
        request.noted.requestId = served.requestId;
        request.noted.unsent.push(...served.charged);
        request.noted.cost = served.bill.cost;
        request.noted.publication = served.publication;
        reply.code(served.status).headers(served.headers);
        return served.status === 304
          ? reply.send()
          : reply.type(isLines ? LINES_TYPE : JSON_TYPE).send(served.text);
      },
    });
  }
}

/** Answer of `/v1/me`. */
export const meOf = ({ caller, card }: AuthenticatedCall, rateLimit: Rate) => ({
  account: caller.account,
  key: caller.prefix,
  plan: caller.plan,
  sandbox: caller.plan === 'sandbox',
  spent_cents: caller.spent_cents,
  remaining_cents: caller.balance_cents,
  rate_card_version: card.version,
  rate_limit: rateLimit,
  period_end: periodEnd(),
});

function addAccount(app: FastifyInstance, calls: CallHandler): void {
  const headers = (version: number | null) => billHeaders({ cost: 0, version, wallet: null });
  app.route({
    method: ['GET', 'HEAD'],
    url: '/v1/ping',
    config: { path: '/v1/ping' },
    // Answers without the database.
    handler: async (_request, reply) =>
      reply.headers(headers(calls.lastVersion())).type(JSON_TYPE).send('{"status":"ok"}'),
  });
  app.route({
    method: 'GET',
    url: '/v1/me',
    config: { path: '/v1/me' },
    onRequest: entering(calls, true),
    handler: async (request, reply) =>
      reply
        .headers(headers(request.visit.card.version))
        .header('cache-control', 'no-store')
        .type(JSON_TYPE)
        .send(JSON.stringify(meOf(request.visit, calls.rateOf(request.visit.caller)))),
  });
}

/** Adds the routes of both families and of the account. */
export function addRoutes(
  app: FastifyInstance,
  calls: CallHandler,
  operations: readonly ServiceOperation[],
): void {
  app.decorateRequest('visit', null as unknown as AuthenticatedCall);
  for (const operation of operations) addOperation(app, calls, operation);
  addAccount(app, calls);
}

import { randomUUID } from 'node:crypto';
import {
  type CallToolResult,
  createMcpHandler,
  localhostAllowedHostnames,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Desk, refusalOf } from './desk.ts';
import type { ToolCall } from './gate.ts';
import { ME } from './openapi.ts';
import { OPERATIONS, type Operation } from './operations.ts';
import { rateHeaders } from './rate_limit.ts';
import { Refusal } from './refusal.ts';
import { headerOf, meOf } from './routes.ts';
import { inputSchema, outputSchema } from './schemas.ts';

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const NOTHING = { type: 'object', properties: {}, additionalProperties: false } as const;

/** Family A: each of its operations is a tool. */
const BY_NAME = new Map<string, Operation>(
  OPERATIONS.filter(({ family }) => family === 'A').map((each) => [each.name, each]),
);

const free = (name: string, description: string, outputSchema: object): Tool =>
  ({
    name,
    description,
    inputSchema: NOTHING,
    outputSchema,
    annotations: READ_ONLY,
    _meta: { price_cents: 0 },
  }) as Tool;

/** The tools under a rate card. */
const toolsOf = (prices: Readonly<Record<string, number>>): Tool[] => [
  free('ping', 'Whether the service answers. Free.', {
    type: 'object',
    properties: { status: { type: 'string' } },
    required: ['status'],
  }),
  free('me', 'The calling key, its account, and the balance. Free.', ME),
  ...TOOLS.map(([operation, tool]): Tool => {
    const price = prices[operation.path]!;
    const cost = price === 0 ? 'Free.' : `Costs ${price} cents.`;
    return { ...tool, description: `${operation.doc} ${cost}`, _meta: { price_cents: price } };
  }),
];

const TOOLS = [...BY_NAME.values()].map(
  (operation) =>
    [
      operation,
      {
        name: operation.name,
        inputSchema: inputSchema(operation),
        outputSchema: outputSchema(operation),
        annotations: READ_ONLY,
      } as Tool,
    ] as const,
);

const result = (text: string, meta: object, isError = false): CallToolResult => ({
  content: [{ type: 'text', text }],
  ...(isError ? { isError } : { structuredContent: JSON.parse(text) as Record<string, unknown> }),
  _meta: { ...meta },
});

/** Id of a call: the first of a request has the id of the request. */
const idOf = ({ id, noted }: FastifyRequest): string => (noted.tools.length === 0 ? id : randomUUID());

/** Calls one tool: the same checks and charge as the route. */
async function callTool(
  desk: Desk,
  request: FastifyRequest,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  const { visit, noted } = request;
  const operation = BY_NAME.get(name);
  if (operation === undefined && name !== 'ping' && name !== 'me')
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${JSON.stringify(name)}.`);
  const call: ToolCall = {
    request_id: idOf(request),
    tool: name,
    cost_cents: 0,
    publication: null,
    refusal: null,
  };
  noted.tools.push(call);
  try {
    const about = { request_id: call.request_id, rate_card_version: visit.card.version };
    if (operation === undefined) {
      const body = name === 'me' ? meOf(visit, desk.rateOf(visit.caller)) : { status: 'ok' };
      return result(JSON.stringify(body), { ...about, cost_cents: 0 });
    }
    const { [operation.id?.name ?? '']: id, ...query } = args;
    const served = await desk.serve(operation, visit, {
      requestId: call.request_id,
      face: 'mcp',
      // What is no text is refused as the path would refuse it.
      id: operation.id === null ? '' : (id as string),
      query: operation.id === null ? args : query,
      place: operation.methods.includes('GET') ? 'query' : 'body',
      idempotencyKey: headerOf(request, 'idempotency-key'),
    });
    const { cost, wallet } = served.bill;
    if (cost > 0) noted.unsent.push(served.requestId);
    Object.assign(call, { request_id: served.requestId, cost_cents: cost, publication: served.publication });
    return result(served.text, {
      ...about,
      request_id: served.requestId,
      cost_cents: cost,
      spent_cents: wallet?.spent_cents,
      remaining_cents: wallet?.balance_cents,
      publication: served.publication ?? 0,
    });
  } catch (error) {
    const refusal = refusalOf(error);
    call.refusal = refusal.type;
    return result(
      JSON.stringify({ detail: refusal.detail }),
      {
        request_id: call.request_id,
        cost_cents: 0,
        remaining_cents: visit.caller.balance_cents,
        status: refusal.status,
      },
      true,
    );
  }
}

/** A server for one request of one caller. */
function serverFor(desk: Desk, request: FastifyRequest): Server {
  const server = new Server(
    { name: 'property-data', version: '1.0.0' },
    {
      capabilities: { tools: {} },
      instructions:
        'Data of Australian properties and suburbs. geocode_address finds the gnaf_id of an address, geocode_suburb the name of a suburb. Calls cost what the tool says.',
    },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: toolsOf(request.visit.card.prices) }));
  server.setRequestHandler('tools/call', ({ params }) =>
    callTool(desk, request, params.name, params.arguments ?? {}),
  );
  return server;
}

/** What reaches the service by name, and the origins whose pages may call it. */
export interface Known {
  hosts: readonly string[];
  origins: readonly string[];
}

/** Refuses what a page of another site sends through a browser here: unknown names of this machine, unknown origins. */
function checkSender({ hosts, origins }: Known, host: string | undefined, origin: string | undefined): void {
  const names = [...localhostAllowedHostnames(), ...hosts];
  const isAllowed = origins.includes('*') || (origin !== undefined && origins.includes(origin));
  const isFine = validateHostHeader(host, names).ok && (isAllowed || validateOriginHeader(origin, names).ok);
  if (!isFine)
    throw new Refusal(403, {
      type: 'forbidden_origin',
      msg: 'The Host or Origin of the request is not known here.',
    });
}

/** A JSON-RPC error that answers no message in particular. */
const protocolError = (code: ProtocolErrorCode, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });

/** Serves the tools over Streamable HTTP, without sessions. Each message takes a call of the key's rate. */
export function addMcp(app: FastifyInstance, desk: Desk, known: Known): () => Promise<void> {
  const handler = createMcpHandler(({ authInfo }) =>
    serverFor(desk, authInfo!.extra!.request as FastifyRequest),
  );
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    config: { path: '/mcp' },
    onRequest: async (request) => {
      checkSender(known, request.headers.host, request.headers.origin);
      request.visit = await desk.enter(request.headers.authorization, { counts: false, isFresh: true });
      request.noted.keyId = request.visit.caller.key_id;
    },
    errorHandler: (error, _request, reply) => {
      if (!(error instanceof SyntaxError)) throw error;
      return reply
        .code(400)
        .type('application/json; charset=utf-8')
        .send(protocolError(ProtocolErrorCode.ParseError, 'Parse error: the body is not JSON.'));
    },
    handler: async (request, reply) => {
      const { visit } = request;
      const rate = desk.rateOf(visit.caller);
      const messages = Array.isArray(request.body) ? request.body.length : 1;
      if (messages > rate.burst)
        return reply
          .code(400)
          .type('application/json; charset=utf-8')
          .send(
            protocolError(ProtocolErrorCode.InvalidRequest, `A batch has at most ${rate.burst} messages.`),
          );
      reply.headers(rateHeaders(rate, await desk.take(visit.caller, Math.max(1, messages))));
      const headers = new Headers();
      for (const [name, value] of Object.entries(request.headers))
        if (typeof value === 'string' && name !== 'authorization') headers.set(name, value);
      const hasBody = request.method === 'POST';
      const web = new Request(`http://${request.headers.host}/mcp`, {
        method: request.method,
        headers,
        ...(hasBody ? { body: JSON.stringify(request.body) } : {}),
      });
      const response = await handler.fetch(web, {
        authInfo: { token: '', clientId: visit.caller.prefix, scopes: [], extra: { request } },
        ...(hasBody ? { parsedBody: request.body } : {}),
      });
      return reply.send(response);
    },
  });
  return () => handler.close();
}

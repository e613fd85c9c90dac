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
import type { FastifyInstance } from 'fastify';
import { type Desk, refusalOf, type Visit } from './desk.ts';
import { ME } from './openapi.ts';
import { OPERATIONS, type Operation } from './operations.ts';
import { Refusal } from './refusal.ts';
import { meOf, type RateLimitOf } from './routes.ts';
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

const result = (body: object, meta: object, isError = false): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(body) }],
  ...(isError ? { isError } : { structuredContent: body as Record<string, unknown> }),
  _meta: { ...meta },
});

/** Calls one tool: the same rate, checks and charge as the route. */
async function callTool(
  desk: Desk,
  visit: Visit,
  rateLimit: RateLimitOf,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  const request_id = randomUUID();
  const operation = BY_NAME.get(name);
  if (operation === undefined && name !== 'ping' && name !== 'me')
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${JSON.stringify(name)}.`);
  try {
    await desk.take(visit.caller);
    const about = { request_id, rate_card_version: visit.card.version };
    if (operation === undefined)
      return result(name === 'me' ? meOf(visit, rateLimit) : { status: 'ok' }, { ...about, cost_cents: 0 });
    const { [operation.id?.name ?? '']: id, ...query } = args;
    const served = await desk.serve(operation, visit, {
      requestId: request_id,
      // What is no text is refused as the path would refuse it.
      id: operation.id === null ? '' : (id as string),
      query: operation.id === null ? args : query,
      place: operation.methods.includes('GET') ? 'query' : 'body',
    });
    const { cost, wallet } = served.bill;
    return result(served.body as object, {
      ...about,
      cost_cents: cost,
      spent_cents: wallet?.spent_cents,
      remaining_cents: wallet?.balance_cents,
      publication: Number(served.headers['x-publication']),
    });
  } catch (error) {
    const refusal = refusalOf(error);
    return result(
      { detail: refusal.detail },
      { request_id, cost_cents: 0, remaining_cents: visit.caller.balance_cents, status: refusal.status },
      true,
    );
  }
}

/** A server for one request of one caller. */
function serverFor(desk: Desk, visit: Visit, rateLimit: RateLimitOf): Server {
  const server = new Server(
    { name: 'property-data', version: '1.0.0' },
    {
      capabilities: { tools: {} },
      instructions:
        'Data of Australian properties and suburbs. geocode_address finds the gnaf_id of an address, geocode_suburb the name of a suburb. Calls cost what the tool says.',
    },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: toolsOf(visit.card.prices) }));
  server.setRequestHandler('tools/call', ({ params }) =>
    callTool(desk, visit, rateLimit, params.name, params.arguments ?? {}),
  );
  return server;
}

/** Refuses what a page of another site sends through a browser here: unknown names of this machine, unknown origins. */
function checkSender(hosts: readonly string[], host: string | undefined, origin: string | undefined): void {
  const names = [...localhostAllowedHostnames(), ...hosts];
  const isFine = validateHostHeader(host, names).ok && validateOriginHeader(origin, names).ok;
  if (!isFine)
    throw new Refusal(403, {
      type: 'forbidden_origin',
      msg: 'The Host or Origin of the request is not known here.',
    });
}

/** Serves the tools over Streamable HTTP, without sessions. `hosts` are the names by which the service is reached. */
export function addMcp(
  app: FastifyInstance,
  desk: Desk,
  rateLimit: RateLimitOf,
  hosts: readonly string[],
): () => Promise<void> {
  const handler = createMcpHandler(({ authInfo }) =>
    serverFor(desk, authInfo!.extra!.visit as Visit, rateLimit),
  );
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    config: { path: '/mcp' },
    onRequest: async (request) => {
      checkSender(hosts, request.headers.host, request.headers.origin);
      request.visit = await desk.enter(request.headers.authorization, { counts: false, isFresh: true });
      request.noted.keyId = request.visit.caller.key_id;
    },
    handler: async (request, reply) => {
      const headers = new Headers();
      for (const [name, value] of Object.entries(request.headers))
        if (typeof value === 'string' && name !== 'authorization') headers.set(name, value);
      const hasBody = request.method === 'POST';
      const web = new Request(`http://${request.headers.host}/mcp`, {
        method: request.method,
        headers,
        ...(hasBody ? { body: JSON.stringify(request.body) } : {}),
      });
      const { visit } = request;
      const response = await handler.fetch(web, {
        authInfo: { token: '', clientId: visit.caller.prefix, scopes: [], extra: { visit } },
        ...(hasBody ? { parsedBody: request.body } : {}),
      });
      return reply.send(response);
    },
  });
  return () => handler.close();
}

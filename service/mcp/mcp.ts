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
import type { ToolText } from '../../contract/answers/operation.ts';
import { MOST_HOMES_MCP } from '../answers/batch.ts';
import type { CallHandler } from '../answers/call_handler.ts';
import { OPERATIONS } from '../answers/operations.ts';
import { inputSchema } from '../answers/schemas.ts';
import type { AuthenticatedCall } from '../billing/authenticated_call.ts';
import { rateHeaders } from '../billing/rate_limit.ts';
import type { ToolCall } from '../http/admission.ts';
import { refusalOf } from '../http/failure.ts';
import { type Bill, billHeaders, periodEnd } from '../http/headers.ts';
import { invalid, Refusal } from '../http/refusal.ts';
import type { ServiceOperation } from '../operation.ts';
import { headerOf, meOf } from '../routes/routes.ts';

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const NOTHING = { type: 'object', properties: {}, additionalProperties: false } as const;

/** Name of an operation as a tool: its path without prefix and parameters. */
const toolName = ({ name }: ServiceOperation): string => name.replace(/^api_/, '');

/** Operations that are tools. */
const BY_NAME = new Map<string, ServiceOperation>(
  OPERATIONS.filter(({ tool }) => tool !== null).map((each) => [toolName(each), each]),
);

/** A tool that is free and reads no operation. */
interface FreeTool extends ToolText {
  readonly doc: string;
  answer(of: Called): object | Promise<object>;
}

const FREE = new Map<string, FreeTool>([
  [
    'ping',
    {
      title: 'Service status',
      use: 'Use me instead to check a key.',
      doc: 'Whether the service answers.',
      answer: () => ({ status: 'ok' }),
    },
  ],
  [
    'me',
    {
      title: 'Account and balance',
      use: 'Use it before a series of calls to see whether the balance covers them.',
      doc: 'The calling key, its account, and the balance.',
      answer: ({ desk, visit }) => meOf(visit, desk.rateOf(visit.caller)),
    },
  ],
  [
    'sandbox_samples',
    {
      title: 'Sandbox samples',
      use: 'Use it first with the public sandbox key, which answers only for these samples.',
      doc: 'The sample property (gnaf_pid) and suburb (sal) of each state that the public sandbox key unlocks.',
      answer: async ({ desk }) => ({ samples: (await desk.samples()).list }),
    },
  ],
]);
interface Called {
  desk: CallHandler;
  visit: AuthenticatedCall;
}

// Lists tools without output schemas. The protocol makes them optional, they would be four fifths of the list, and the OpenAPI document has
// them.
const tool = (
  name: string,
  { title, use, doc }: ToolText & { doc: string },
  schema: object,
  price: number | null,
): Tool => ({
  name,
  title,
  description: `${doc} ${use} ${price === null ? 'Costs the sum of its results.' : price === 0 ? 'Free.' : `Costs ${price} cents.`}`,
  inputSchema: schema as Tool['inputSchema'],
  annotations: READ_ONLY,
  _meta: price === null ? {} : { price_cents: price },
});

const INPUTS = new Map([...BY_NAME].map(([name, operation]) => [name, inputSchema(operation)]));

/** Lists the tools with the prices of a rate card. */
const toolsOf = (prices: Readonly<Record<string, number>>): Tool[] => [
  ...[...FREE].map(([name, free]) => tool(name, free, NOTHING, 0)),
  ...[...BY_NAME].map(([name, { doc, tool: text, path }]) =>
    tool(name, { doc, ...text! }, INPUTS.get(name)!, prices[path] ?? null),
  ),
];

const result = (text: string, meta: object, isError = false): CallToolResult => ({
  content: [{ type: 'text', text }],
  ...(isError ? { isError } : { structuredContent: JSON.parse(text) as Record<string, unknown> }),
  _meta: { ...meta },
});

/** Limits the properties of a batch: a model can read fewer than a program. @throws Refusal 422 */
function checkHomes(args: Readonly<Record<string, unknown>>): void {
  for (const name of ['ids', 'addresses']) {
    const { [name]: input } = args;
    if (!Array.isArray(input) || input.length <= MOST_HOMES_MCP) continue;
    const msg = `List should have at most ${MOST_HOMES_MCP} items over MCP`;
    throw invalid([{ type: 'too_long', loc: ['body', name], msg, input: input.length }]);
  }
}

/** Id of a call: the first call of a request has the id of the request. */
const idOf = ({ id, noted }: FastifyRequest): string => (noted.tools.length === 0 ? id : randomUUID());

/** An HTTP request with its tool calls, and the bill of those that were answered. */
interface McpRequest {
  readonly desk: CallHandler;
  readonly request: FastifyRequest;
  readonly bill: Bill;
  /** Called for every failed call. */
  readonly onFailure: (error: unknown) => void;
}

/** Adds the bill of a tool call. Calls of one request end in any order, so the largest spend is the wallet after the last. */
function addToBill(bill: Bill, { cost, version, wallet }: Bill): void {
  bill.cost += cost;
  bill.version = version;
  if (wallet !== null && wallet.spent_cents >= (bill.wallet?.spent_cents ?? 0)) bill.wallet = wallet;
}

/** Calls one tool, with the same checks and charge as the route. */
async function callTool(
  { desk, request, bill, onFailure }: McpRequest,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  const { visit, noted } = request;
  const operation = BY_NAME.get(name);
  const free = FREE.get(name);
  if (operation === undefined && free === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${JSON.stringify(name)}.`);
  const call: ToolCall = {
    request_id: idOf(request),
    tool: name,
    cost_cents: 0,
    publication: null,
    refusal: null,
  };
  noted.tools.push(call);
  const about = { rate_card_version: visit.card.version, period_end: periodEnd() };
  try {
    if (operation === undefined)
      return result(JSON.stringify(await free!.answer({ desk, visit })), {
        ...about,
        request_id: call.request_id,
        cost_cents: 0,
      });
    const { [operation.id?.name ?? '']: id, ...query } = args;
    if (operation.composed !== undefined) checkHomes(args);
    const served = await desk.serve(operation, visit, {
      requestId: call.request_id,
      protocol: 'mcp',
      // An id that is not text is refused as in the path.
      id: operation.id === null ? '' : (id as string),
      query: operation.id === null ? args : query,
      parameterLocation: operation.methods.includes('GET') ? 'query' : 'body',
      idempotencyKey: headerOf(request, 'idempotency-key'),
      isGone: () => request.raw.socket.destroyed,
    });
    const { cost, wallet } = served.bill;
    const leftOut = served.headers['x-sandbox-left-out'];
    addToBill(bill, served.bill);
    noted.unsent.push(...served.charged);
    Object.assign(call, { request_id: served.requestId, cost_cents: cost, publication: served.publication });
    return result(served.text, {
      ...about,
      request_id: served.requestId,
      rate_card_version: served.bill.version,
      cost_cents: cost,
      spent_cents: wallet?.spent_cents,
      remaining_cents: wallet?.balance_cents,
      publication: served.publication ?? 0,
      canonical_gnaf_id: served.headers['x-canonical-gnaf-id'],
      sandbox_left_out: leftOut === undefined ? undefined : Number(leftOut),
    });
  } catch (error) {
    onFailure(error);
    const refusal = refusalOf(error);
    call.refusal = refusal.type;
    return result(
      JSON.stringify({ detail: refusal.detail }),
      {
        ...about,
        request_id: call.request_id,
        cost_cents: 0,
        spent_cents: visit.caller.spent_cents,
        remaining_cents: visit.caller.balance_cents,
        status: refusal.status,
      },
      true,
    );
  }
}

/** Builds the server for one request of one caller. */
function serverFor(called: McpRequest): Server {
  const server = new Server(
    { name: 'property-data', version: '1.0.0' },
    {
      capabilities: { tools: {} },
      instructions:
        'Data of Australian properties and suburbs. geocode_address finds the gnaf_id of an address, geocode_suburb the name of a suburb. Calls cost what the tool says.',
    },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: toolsOf(called.request.visit.card.prices) }));
  server.setRequestHandler('tools/call', ({ params }) =>
    callTool(called, params.name, params.arguments ?? {}),
  );
  return server;
}

/** Host names of the service, and the origins whose pages may call it. */
export interface AllowedOrigins {
  hosts: readonly string[];
  origins: readonly string[];
}

/** Refuses requests that a page of another site sends through a local browser: unknown host names and unknown origins. */
function checkSender(
  { hosts, origins }: AllowedOrigins,
  host: string | undefined,
  origin: string | undefined,
): void {
  const names = [...localhostAllowedHostnames(), ...hosts];
  const isAllowed = origins.includes('*') || (origin !== undefined && origins.includes(origin));
  const isFine = validateHostHeader(host, names).ok && (isAllowed || validateOriginHeader(origin, names).ok);
  if (!isFine)
    throw new Refusal(403, {
      type: 'forbidden_origin',
      msg: 'The Host or Origin of the request is not known here.',
    });
}

/** Media types that a client must accept by the protocol. */
const ANSWER_TYPES = 'application/json, text/event-stream';

/** True if a client accepts every type. A missing header means that too. */
const takesAnything = (accept: string | undefined): boolean =>
  accept === undefined || accept.split(',').some((each) => each.split(';', 1)[0]!.trim() === '*/*');

/** A JSON-RPC error that belongs to no message. */
const protocolError = (code: ProtocolErrorCode, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });

/**
 * Serves the tools over Streamable HTTP, without sessions. Each message takes a call of the key's rate. `onFailure` is called for every
 * failed call.
 */
export function addMcp(
  app: FastifyInstance,
  calls: CallHandler,
  allowed: AllowedOrigins,
  onFailure: (error: unknown) => void,
): void {
  const handler = createMcpHandler(
    ({ authInfo }) => serverFor(authInfo!.extra!.called as McpRequest),
    // There are no subscriptions: nothing changes while a client listens, and their streams would never end.
    { maxSubscriptions: 0 },
  );
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    config: { path: '/mcp' },
    onRequest: async (request) => {
      checkSender(allowed, request.headers.host, request.headers.origin);
      request.visit = await calls.enter(request.headers.authorization, { counts: false, isFresh: true });
      request.noted.keyId = request.visit.caller.key_id;
    },
    errorHandler: (error, _request, reply) => {
      if (!(error instanceof SyntaxError)) throw error;
      return reply
        .code(400)
        .headers(billHeaders({ cost: 0, version: calls.lastVersion(), wallet: null }))
        .type('application/json; charset=utf-8')
        .send(protocolError(ProtocolErrorCode.ParseError, 'Parse error: the body is not JSON.'));
    },
    handler: async (request, reply) => {
      const { visit } = request;
      const bill: Bill = { cost: 0, version: visit.card.version, wallet: visit.caller };
      reply.headers(billHeaders(bill));
      const called: McpRequest = { desk: calls, request, bill, onFailure };
      const rate = calls.rateOf(visit.caller);
      const messages = Array.isArray(request.body) ? request.body.length : 1;
      if (messages > rate.burst)
        return reply
          .code(400)
          .type('application/json; charset=utf-8')
          .send(
            protocolError(ProtocolErrorCode.InvalidRequest, `A batch has at most ${rate.burst} messages.`),
          );
      reply.headers(rateHeaders(rate, await calls.take(visit.caller, Math.max(1, messages))));
      const headers = new Headers();
      for (const [name, value] of Object.entries(request.headers))
        if (typeof value === 'string' && name !== 'authorization') headers.set(name, value);
      if (takesAnything(request.headers.accept)) headers.set('accept', ANSWER_TYPES);
      const hasBody = request.method === 'POST';
      const web = new Request(`http://${request.headers.host}/mcp`, {
        method: request.method,
        headers,
        ...(hasBody ? { body: JSON.stringify(request.body) } : {}),
      });
      const response = await handler.fetch(web, {
        authInfo: { token: '', clientId: visit.caller.prefix, scopes: [], extra: { called } },
        ...(hasBody ? { parsedBody: request.body } : {}),
      });
      // Reads the whole answer first, so that its charges count as sent when it is written, not when it begins.
      const text = await response.text();
      return reply
        .code(response.status)
        .headers({ ...Object.fromEntries(response.headers), ...billHeaders(bill) })
        .send(text);
    },
  });
  app.addHook('onClose', () => handler.close());
}

/**
 * CPU of the service and of the database server for each call, by price, and for each kind of refusal. Prints a table, and exits with 1 if a
 * paid call costs more than PAID_FACTOR times the median of its price, or a free or refused call more than FREE_MS.
 * Usage: npx tsx tools/bench/call_cpu.ts <database url> [calls]; EVERY_CALL=1 prints each call. With GUARD=<n>, for a test beside other work,
 * limits are n times as high and the database server does not count.
 * The database holds a published country, on this machine; the bench adds accounts of its own to it. Linux only.
 */

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { addCredit, createKey, openAccount } from '../../store/accounts/accounts.ts';
import { openPool } from '../../store/database.ts';
import { cpuOf, cpuWithChildren, parentOf } from './server_cpu.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const [url, callsText = '60'] = process.argv.slice(2);
if (url === undefined) throw new Error('usage: npx tsx tools/bench/call_cpu.ts <database url> [calls]');
const CALLS = Number(callsText);
const WARM_UP = 5;
const PAID_FACTOR = 10;
const FREE_MS = 20;
/** Minimum of a median that limits are derived from, milliseconds: less is not measured reliably. */
const MEDIAN_MIN_MS = 2;
const GUARD = Number(process.env.GUARD ?? 0);

interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  example: unknown;
}
interface Described {
  parameters?: Parameter[];
  requestBody?: { content: { 'application/json': { example?: unknown } } };
  'x-price-cents'?: number;
}
interface Call {
  name: string;
  /** Cents; 'refused' for a refusal. */
  price: number | 'refused';
  path: string;
  method: string;
  headers: Record<string, string>;
  body: string | null;
  /** Number of answers in one call, each at the price. Absent: one. */
  answers?: number;
  /** Maximum CPU, milliseconds, of a call that costs more by the specification, which fixes its price and its size. */
  known_ms?: number;
}
interface Measured extends Call {
  status: number;
  service_ms: number;
  database_ms: number;
}

/** A folder with an export, whose calls are measured. */
const exportsDir = mkdtempSync(join(tmpdir(), 'call-cpu-'));
process.on('exit', () => rmSync(exportsDir, { recursive: true, force: true }));
execFileSync(
  process.execPath,
  ['cli/start.mjs', 'export', '--tables', 'property', '--out', join(exportsDir, 'homes')],
  { cwd: ROOT, env: { ...process.env, DATABASE_URL: url }, stdio: ['ignore', 'ignore', 'inherit'] },
);

const rates = ['rate', 'sandbox_rate'].flatMap((rate) =>
  ['per_s', 'burst'].flatMap((unit) => ['--set', `service.${rate}_${unit}=1000000`]),
);
const start = async (more: readonly string[]) => {
  const child = spawn(
    process.execPath,
    ['cli/start.mjs', 'serve', '--port', '0', '--json', '--set', 'service.loop_delay_ms=60000', ...more],
    { cwd: ROOT, env: { ...process.env, DATABASE_URL: url }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  process.on('exit', () => child.kill('SIGTERM'));
  const line = await new Promise<string>((resolve) =>
    child.stdout!.once('data', (text) => resolve(String(text))),
  );
  const { base_url, sandbox_key } = JSON.parse(line) as { base_url: string; sandbox_key: string };
  return { pid: child.pid!, sandbox_key, client: new Pool(base_url, { connections: 1 }) };
};
const fast = await start([...rates, '--set', `service.exports=${exportsDir}`]);
const limited = await start(['--set', 'service.rate_per_s=0.01', '--set', 'service.rate_burst=1']);

const pool = openPool(url, 1);
const postmaster = await parentOf(
  (await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid,
);
const keyOf = async (cents: number): Promise<string> => {
  const { account } = await openAccount(pool, `cpu-${Date.now()}-${cents}`);
  const { key } = await createKey(pool, account.account_id, 'bench');
  if (cents > 0) await addCredit(pool, account.account_id, 'topup', cents, null);
  return key;
};
const paying = await keyOf(90_000_000);
const empty = await keyOf(0);

async function send({ client }: typeof fast, { path, method, headers, body }: Call): Promise<number> {
  const answer = await client.request({ path, method: method as 'GET', headers, body });
  await answer.body.dump();
  return answer.statusCode;
}

/** CPU milliseconds of a call: the mean of some, one after the other. */
async function measure(service: typeof fast, call: Call): Promise<Measured> {
  let status = 0;
  // A call with many answers is measured over fewer calls.
  const isLarge = call.answers !== undefined;
  const [warmUp, calls] = isLarge ? [1, 3] : [WARM_UP, CALLS];
  for (let i = 0; i < warmUp; i++) status = await send(service, call);
  const before = [await cpuOf(service.pid), await cpuWithChildren(postmaster)] as const;
  for (let i = 0; i < calls; i++) status = await send(service, call);
  const [own, database] = [await cpuOf(service.pid), await cpuWithChildren(postmaster)];
  const ms = (seconds: number): number => (seconds * 1000) / calls / (call.answers ?? 1);
  return { ...call, status, service_ms: ms(own - before[0]), database_ms: ms(database - before[1]) };
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const json = { 'content-type': 'application/json' };
const textOf = (value: unknown): string =>
  encodeURIComponent(Array.isArray(value) ? value.join(',') : String(value));
const get = async <T>(path: string): Promise<T> =>
  (await (await fast.client.request({ path, method: 'GET' })).body.json()) as T;

/** Calls of every operation, with the example of its required parameters. */
async function operationCalls(): Promise<Call[]> {
  const { paths } = await get<{ paths: Record<string, Record<string, Described>> }>('/openapi.json');
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(() => !path.startsWith('/v1/watches') && !path.startsWith('/v1/exports'))
      .map(([method, { parameters = [], requestBody, 'x-price-cents': price = 0 }]) => {
        const given = parameters.filter(
          ({ name, required }) => required || (path.includes('property_finder') && name === 'suburbs'),
        );
        const address = given
          .filter((one) => one.in === 'path')
          .reduce((text, { name, example }) => text.replace(`{${name}}`, textOf(example)), path);
        const query = given
          .filter((one) => one.in === 'query')
          .map(({ name, example }) => `${name}=${textOf(example)}`)
          .join('&');
        return {
          name: `${method.toUpperCase()} ${path}`,
          price,
          path: address + (query && `?${query}`),
          method: method.toUpperCase(),
          headers: { ...bearer(paying), ...json },
          body: requestBody ? JSON.stringify(requestBody.content['application/json'].example) : null,
        };
      }),
  );
}

const home = (await pool.query<{ pid: string }>('SELECT min(gnaf_pid) AS pid FROM serving.property_profile'))
  .rows[0]!.pid;
const other = (
  await pool.query<{ pid: string }>(
    'SELECT max(gnaf_pid) AS pid FROM serving.property_profile WHERE gnaf_pid NOT IN (SELECT gnaf_pid FROM serving.sandbox_sample)',
  )
).rows[0]!.pid;
const profile = `/v1/properties/${home}/profile`;
const call = (name: string, path: string, more: Partial<Call> = {}): Call => ({
  name,
  price: 'refused',
  path,
  method: 'GET',
  headers: bearer(paying),
  body: null,
  ...more,
});
const posted = (body: string, key = paying): Partial<Call> => ({
  method: 'POST',
  headers: { ...bearer(key), ...json },
  body,
});
const tool = (body: object): Partial<Call> => ({
  method: 'POST',
  headers: { ...bearer(paying), ...json, accept: 'application/json, text/event-stream' },
  body: JSON.stringify(body),
});
const suburbs = (
  await pool.query<{ names: string }>(
    `SELECT string_agg(name, ',') AS names FROM (SELECT name FROM serving.search_area WHERE level = 'SAL' ORDER BY 1 LIMIT 20) area`,
  )
).rows[0]!.names;
const past = (
  await pool.query<{ id: number }>(
    'SELECT greatest(max(publication_id) - 1, 1) AS id FROM serving.publication',
  )
).rows[0]!.id;
/** The most that the parameters of an operation may ask, at the price of the operation. */
const WORST: Call[] = [
  call(
    'finder, 5,000 results in 20 suburbs',
    `/api/property_finder?suburbs=${textOf(suburbs)}&limit=5000&neighbors=true`,
    { price: 30, known_ms: 200 },
  ),
  call('amenities within 5 km', `/v1/properties/${home}/amenities/nearby?radius_m=5000`, { price: 10 }),
  call('transport within 5 km', `/v1/properties/${home}/transport/nearby?radius_m=5000`, { price: 5 }),
  call('flood with shapes', `/v1/properties/${home}/risks/flood?geojson=true`, { price: 10 }),
  call('bushfire with shapes', `/v1/properties/${home}/risks/bushfire?geojson=true`, { price: 15 }),
  call('neighbours with shapes', `/api/property/neighbours?id=${home}&geojson=true`, { price: 30 }),
  call('profile of the past', `${profile}?as_of=${past}`, { price: 3 }),
  call('suburb names of the past', `/v1/suburbs/list?as_of=${past}`, { price: 0 }),
  call('accuracy of the past', `/v1/accuracy?as_of=${past}`, { price: 0 }),
];
const FREE: Call[] = ['/', '/guide', '/portal', '/openapi.json', '/healthz', '/readyz'].map((path) =>
  call(`GET ${path}`, path, { price: 0, headers: {} }),
);
const REFUSED: Call[] = [
  call('401 no key', profile, { headers: {} }),
  call('401 unknown key', profile, { headers: bearer('pk_unknown_unknown_unknown') }),
  call('402 no credit', profile, { headers: bearer(empty) }),
  call('402 no credit, the past', `/v1/suburbs/list?as_of=1`, { headers: bearer(empty) }),
  call(
    '402 no credit, 1,000 properties',
    '/v1/batch',
    posted(JSON.stringify({ ids: Array(1000).fill(home), endpoints: ['profile'] }), empty),
  ),
  call('403 outside the samples', `/v1/properties/${other}/profile`, { headers: bearer(fast.sandbox_key) }),
  call('404 unknown path', '/nowhere'),
  call('405 wrong method', profile, { method: 'DELETE' }),
  call('413 body too large', '/api/avm', posted(`"${'x'.repeat(100_000)}"`)),
  call('415 no JSON', '/api/avm', {
    ...posted('{}'),
    headers: { ...bearer(paying), 'content-type': 'text/plain' },
  }),
  call('422 long number', `/v1/properties/${home}/amenities/nearby?radius_m=${'9'.repeat(12_000)}`),
  call('422 64 kB that are no JSON', '/api/avm', posted('['.repeat(60_000))),
  call(
    '422 64 kB of unknown fields',
    '/api/avm',
    posted(JSON.stringify(Object.fromEntries(Array.from({ length: 4000 }, (_, i) => [`f${i}`, i])))),
  ),
  call('422 unknown publication', `${profile}?as_of=99999`),
  call(
    'MCP unknown tool',
    '/mcp',
    tool({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'nothing', arguments: {} } }),
  ),
  call('MCP tools/list', '/mcp', {
    ...tool({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    price: 0,
  }),
];

const { rows: homes } = await pool.query<{ pid: string }>(
  'SELECT gnaf_pid AS pid FROM serving.property_profile ORDER BY 1 LIMIT 1000',
);
const ids = homes.map(({ pid }) => pid);
const batch = (endpoint: string, price: number, answers: number): Call =>
  call(`one of a batch of ${answers}: ${endpoint}`, '/v1/batch', {
    ...posted(JSON.stringify({ ids: ids.slice(0, answers), endpoints: [endpoint] })),
    price,
    answers: Math.min(answers, ids.length),
  });
const BATCHES: Call[] = [batch('profile', 3, 1000), batch('valuation/avm', 10, 1000), batch('all', 366, 100)];
const sample = (
  await pool.query<{ pid: string; sal: string }>(
    'SELECT gnaf_pid AS pid, sal FROM serving.sandbox_sample LIMIT 1',
  )
).rows[0]!;
const SANDBOX: Call[] = [
  `/api/suburb?suburb=${textOf(sample.sal)}`,
  `/v1/suburbs/${textOf(sample.sal)}/all`,
  `/v1/properties/${sample.pid}/all`,
  `/api/property_finder?suburbs=${textOf(sample.sal)}&limit=5000`,
].map((path) =>
  call(`sandbox: ${path.replace(/[?].*/, '')}`, path, { price: 0, headers: bearer(fast.sandbox_key) }),
);
SANDBOX.push(
  call(`sandbox: batch`, '/v1/batch', {
    ...posted(JSON.stringify({ ids: [sample.pid], endpoints: ['all'] }), fast.sandbox_key),
    price: 0,
  }),
);

/** Calls of exports and watches; a watch of the most properties. */
async function fileCalls(): Promise<Call[]> {
  const bought = await fast.client.request({
    path: '/v1/exports/homes',
    method: 'GET',
    headers: bearer(paying),
  });
  const { assets } = (await bought.body.json()) as { assets: Record<string, { href: string }> };
  const { pathname, search } = new URL(Object.values(assets)[0]!.href);
  const watched = Array.from({ length: 10_000 }, (_, i) => `GAVIC${500_000_000 + i}`);
  const watch = posted(JSON.stringify({ url: 'https://example.com/hook', ids: watched }));
  return [
    call('GET /v1/exports', '/v1/exports', { price: 0 }),
    call('GET /v1/exports/{export}, bought before', '/v1/exports/homes', { price: 0 }),
    call('a range of a file', pathname + search, { price: 0, headers: { range: 'bytes=0-65535' } }),
    call('POST /v1/watches, 10,000 properties', '/v1/watches', { ...watch, price: 0 }),
    call('GET /v1/watches', '/v1/watches', { price: 0 }),
  ];
}

const results: Measured[] = [];
for (const one of [
  ...(await operationCalls()),
  ...WORST,
  ...BATCHES,
  ...FREE,
  ...SANDBOX,
  ...(await fileCalls()),
  ...REFUSED,
]) {
  if (process.env.EVERY_CALL) console.error(one.name);
  results.push(await measure(fast, one));
}
results.push(await measure(limited, call('429 rate of the key', profile)));

const cpu = ({ service_ms, database_ms }: Measured): number => service_ms + (GUARD > 0 ? 0 : database_ms);
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;
const prices = [...new Set(results.map(({ price }) => price))].sort((a, b) => Number(a) - Number(b) || -1);
let wrong = 0;
console.log(
  '| price | calls | median CPU, ms | most CPU, ms (service + database) | call |\n| --- | --- | --- | --- | --- |',
);
for (const price of prices) {
  const own = results.filter((one) => one.price === price).sort((a, b) => cpu(b) - cpu(a));
  const middle = median(own.map(cpu));
  const paid_ms = PAID_FACTOR * Math.max(MEDIAN_MIN_MS, middle);
  const limit = (price === 0 || price === 'refused' ? FREE_MS : paid_ms) * Math.max(1, GUARD);
  const [most] = own;
  console.log(
    `| ${price === 0 ? 'free' : price === 'refused' ? price : `${price} c`} | ${own.length} | ${middle.toFixed(1)} | ${most!.service_ms.toFixed(1)} + ${most!.database_ms.toFixed(1)} | \`${most!.name}\` |`,
  );
  const limitOf = ({ known_ms }: Measured): number =>
    known_ms === undefined ? limit : known_ms * Math.max(1, GUARD);
  for (const one of own.filter((item) => cpu(item) > limitOf(item))) {
    wrong++;
    console.error(`${one.name}: ${cpu(one).toFixed(1)} ms, limit ${limitOf(one).toFixed(1)} ms`);
  }
  if (process.env.EVERY_CALL)
    for (const one of own)
      console.error(
        `  ${one.status} ${one.service_ms.toFixed(1)} + ${one.database_ms.toFixed(1)} ${one.name}`,
      );
}
await pool.end();
process.exit(wrong === 0 ? 0 : 1);

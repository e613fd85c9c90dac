import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../service/answers/operations.ts';
import { paramsSchema } from '../../service/answers/schemas.ts';
import type { ServiceOperation } from '../../service/operation.ts';
import type { Service } from '../../service/server.ts';
import { HANG_MS } from '../waiting.ts';
import { type Scene, setScene } from './scene.ts';

/** HOSTILE_CALLS=20000 HOSTILE_SEED=7 npx vitest run test/service/hostile.test.ts */
const CALLS = Number(process.env.HOSTILE_CALLS ?? 1500);
const SEED = Number(process.env.HOSTILE_SEED ?? 1);
const AT_ONCE = 8;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const STATUSES = [200, 400, 404, 413, 415, 422];

/** Texts that have broken something somewhere. */
const NASTY = fc.constantFrom(
  ...[
    '',
    ' ',
    '\0',
    'a\0b',
    '%',
    '%00',
    '%FF',
    '%ff%fe',
    '☃',
    '🏠',
    '\ud800',
    '\u202e',
    'x'.repeat(900),
    '../../etc/passwd',
    '..%2f',
  ],
  ...[
    "'",
    "';--",
    "' OR 1=1 --",
    '"',
    '\\',
    '$1',
    '{{x}}',
    '<script>',
    ',',
    ',,,',
    ';',
    '#',
    '?',
    '&',
    '=',
    '/',
    '//',
  ],
  ...[
    'null',
    'undefined',
    'NaN',
    'Infinity',
    '-0',
    '1e400',
    '-1',
    '0x10',
    '1e3',
    '1.5',
    '99999999999999999999',
    '9007199254740993',
  ],
  ...[
    'true',
    'TRUE',
    'yes',
    '[]',
    '{}',
    '[object Object]',
    '__proto__',
    'constructor',
    'toString',
    '2147483648',
    '-2147483649',
  ],
);
const TEXT = fc.oneof(NASTY, fc.string({ maxLength: 40 }), fc.string({ unit: 'binary', maxLength: 20 }));
const VALUE = fc.oneof(
  TEXT,
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(TEXT, { maxLength: 5 }),
  fc.object({ maxDepth: 2 }),
);

interface Call {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** Calls of one operation: parameters that it takes and others, with values that fit, that almost fit, and that fit nothing. */
function callsOf(operation: ServiceOperation, scene: Scene): fc.Arbitrary<Call> {
  const known: Record<string, string[]> = {
    gnaf_id: [scene.pid, scene.pid.toLowerCase(), `${scene.pid} `],
    id: [scene.pid],
    suburb_name: [scene.sal],
    suburb: [scene.sal],
    suburbs: [scene.sal, `${scene.sal},${scene.sal}`],
    regions: ['VIC', 'VIC,NSW', 'Nowhere'],
    level: ['SAL', 'SA2', 'SA3', 'LGA', 'POA'],
    q: [scene.sal.slice(0, 4)],
    address: ['1 Main St', 'Unit 1 / 2 Main Street, Nowhere VIC 3000'],
    radius_m: ['100', '5000', '99', '5001'],
    limit: ['1', '5000', '0'],
    as_of: ['1', '2', '99'],
    geojson: ['true', 'false'],
  };
  const fitting = (name: string): fc.Arbitrary<string> =>
    fc.constantFrom(...(Object.hasOwn(known, name) ? known[name]! : ['1']));
  const names = Object.keys(paramsSchema(operation).properties ?? {});
  const param = fc
    .oneof(
      { weight: 6, arbitrary: fc.constantFrom(...(names.length > 0 ? names : ['unknown'])) },
      { weight: 1, arbitrary: fc.constantFrom('unknown', '__proto__', 'constructor', 'as_of', 'id', '') },
      { weight: 1, arbitrary: TEXT },
    )
    .chain((name) =>
      fc.tuple(
        fc.constant(name),
        fc.oneof({ weight: 2, arbitrary: fitting(name) }, { weight: 3, arbitrary: VALUE }),
      ),
    );
  const subject = fc.oneof(
    { weight: 2, arbitrary: fitting(operation.id?.name ?? '') },
    { weight: 2, arbitrary: TEXT },
  );
  const headers: fc.Arbitrary<Record<string, string>> = fc.oneof(
    { weight: 8, arbitrary: fc.constant<Record<string, string>>({}) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Record<string, string>>(
        { 'if-none-match': '*' },
        { 'if-none-match': 'W/"1-x", ,"' },
        { 'content-type': 'text/plain' },
      ),
    },
  );
  const asText = (value: unknown): string =>
    typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const escaped = (text: string): string => encodeURIComponent(text.toWellFormed());
  return fc
    .tuple(
      fc.constantFrom(...operation.methods),
      subject,
      fc.array(param, { maxLength: 4 }),
      headers,
      fc.boolean(),
      NASTY,
    )
    .map(([method, id, params, more, isRaw, raw]): Call => {
      const path = operation.path.replace(/\{\w+\}/, () => escaped(id));
      if (method === 'POST') {
        // Some bodies are no objects, and some no JSON.
        const body = isRaw && params.length === 0 ? raw : JSON.stringify(Object.fromEntries(params));
        return { method, path, headers: { 'content-type': 'application/json', ...more }, body };
      }
      const query = params.map(
        ([name, value]) =>
          `${escaped(name)}=${isRaw ? escaped(asText(value)).replaceAll('%25', '%') : escaped(asText(value))}`,
      );
      return { method, path: `${path}?${query.join('&')}`, headers: more };
    });
}

describe('random and hostile parameters over every operation', () => {
  let scene: Scene;
  let service: Service;

  beforeAll(async () => {
    scene = await setScene();
    service = await scene.start(['service.rate_per_s=100000', 'service.rate_burst=100000']);
  });
  afterAll(() => scene?.close());

  it(
    `${CALLS} calls get an answer or a finding of the documented shape (seed ${SEED})`,
    async () => {
      const { key, account_id } = await scene.funded('hostile', 100_000_000);
      const each = Math.ceil(CALLS / OPERATIONS.length);
      const calls = OPERATIONS.flatMap((operation, i) =>
        fc
          .sample(callsOf(operation, scene), { numRuns: each, seed: SEED + i })
          .map((call) => ({ call, operation })),
      );
      const counts = new Map<number, number>();
      const wrong: string[] = [];
      const check = async ({ call, operation }: (typeof calls)[number]): Promise<void> => {
        const { method, path, headers, body } = call;
        const response = await fetch(service.base_url + path, {
          method,
          headers: { authorization: `Bearer ${key}`, ...headers },
          ...(body === undefined ? {} : { body }),
        });
        const { status } = response;
        counts.set(status, (counts.get(status) ?? 0) + 1);
        const answer = (await response.json()) as { detail: unknown };
        expect(STATUSES).toContain(status);
        expect(response.headers.get('x-request-id')).toMatch(UUID);
        if (status === 200) operation.response.parse(answer);
        else if (status !== 422)
          expect(answer.detail).toMatchObject({ type: expect.any(String), msg: expect.any(String) });
        else {
          const findings = answer.detail as { loc: unknown[] }[];
          expect(findings.length).toBeGreaterThan(0);
          for (const finding of findings) {
            expect(finding).toMatchObject({
              type: expect.stringMatching(/^[a-z_]+$/),
              msg: expect.any(String),
            });
            expect(finding).toHaveProperty('input');
            expect(['path', 'query', 'body']).toContain(finding.loc[0]);
            for (const part of finding.loc) expect(['string', 'number']).toContain(typeof part);
          }
        }
        if (status !== 200) expect(response.headers.get('x-cost-cents') ?? '0').toBe('0');
      };
      let next = 0;
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (let i = next++; i < calls.length; i = next++)
            await check(calls[i]!).catch((error: Error) =>
              wrong.push(`${JSON.stringify(calls[i]!.call).slice(0, 500)}: ${error.message.slice(0, 300)}`),
            );
        }),
      );
      expect(wrong.slice(0, 10)).toEqual([]);
      expect(counts.get(200)).toBeGreaterThan(calls.length / 20);
      expect(counts.get(422)).toBeGreaterThan(calls.length / 5);
      expect((await scene.wallet(account_id)).adds_up).toBe(true);
      process.stdout.write(`${calls.length} calls: ${JSON.stringify(Object.fromEntries(counts))}\n`);
    },
    HANG_MS + CALLS * 100,
  );
});

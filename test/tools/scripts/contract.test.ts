import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ENDPOINTS, SEARCHES } from '../../../contract/index.ts';
import {
  type ContractChanges,
  compareContracts,
  isAtLeast,
  neededVersion,
  nextSnapshot,
} from '../../../tools/scripts/contract/compare.ts';
import { documentedEndpoints } from '../../../tools/scripts/contract/endpoints.ts';
import { fieldsOf, type Schema } from '../../../tools/scripts/contract/fields.ts';
import { committedSnapshot } from '../../../tools/scripts/contract/pages.ts';
import { type ContractSnapshot, snapshotOfCode } from '../../../tools/scripts/contract/snapshot.ts';
import { ROOT } from '../../source_tree.ts';

/** The snapshot of an endpoint with such parameters and payload, and of a table with such columns. */
function contract(
  params: z.ZodType,
  payload: z.ZodType,
  columns: Record<string, string> = { id: 'text' },
): ContractSnapshot {
  const relied = (type: z.ZodType) =>
    Object.fromEntries(
      fieldsOf(z.toJSONSchema(type) as Schema).map(({ path, doc: _doc, fallback: _fallback, ...rest }) => [
        path,
        rest,
      ]),
    );
  return {
    version: '1.4.2',
    tables: { t: { key: ['id'], columns } },
    endpoints: { 'GET /x': { params: relied(params), payload: relied(payload) } },
  };
}

const params = z.strictObject({ radius: z.int().min(100).max(5000).optional() });
const payload = z.strictObject({
  a: z.int(),
  b: z.string().nullable(),
  kind: z.enum(['x', 'y']),
  list: z.array(z.strictObject({ n: z.number() })),
});
const base = contract(params, payload);
const NOTHING: ContractChanges = { breaking: [], additions: [] };

describe('the comparison of contracts', () => {
  it.each<[what: string, after: ContractSnapshot, kind: 'nothing' | 'addition' | 'breaking']>([
    ['the same', contract(params, payload), 'nothing'],
    ['texts', contract(params, payload.describe('another description')), 'nothing'],
    ['a field comes', contract(params, payload.extend({ c: z.int() })), 'addition'],
    ['a field goes', contract(params, payload.omit({ a: true })), 'breaking'],
    [
      'a field of a list goes',
      contract(params, payload.extend({ list: z.array(z.strictObject({})) })),
      'breaking',
    ],
    ['a field may be null', contract(params, payload.extend({ a: z.int().nullable() })), 'breaking'],
    ['a field is never null any more', contract(params, payload.extend({ b: z.string() })), 'addition'],
    ['a field may be absent', contract(params, payload.extend({ a: z.int().optional() })), 'breaking'],
    ['a field changes its type', contract(params, payload.extend({ a: z.string() })), 'breaking'],
    ['a whole number gets decimals', contract(params, payload.extend({ a: z.number() })), 'breaking'],
    ['a value comes', contract(params, payload.extend({ kind: z.enum(['x', 'y', 'z']) })), 'addition'],
    ['a value goes', contract(params, payload.extend({ kind: z.enum(['x']) })), 'addition'],
    ['a closed list opens', contract(params, payload.extend({ kind: z.string() })), 'breaking'],
    ['a parameter comes', contract(params.extend({ q: z.string().optional() }), payload), 'addition'],
    ['a necessary parameter comes', contract(params.extend({ q: z.string() }), payload), 'breaking'],
    ['a parameter goes', contract(z.strictObject({}), payload), 'breaking'],
    [
      'a parameter takes more',
      contract(z.strictObject({ radius: z.int().min(50).max(9000).optional() }), payload),
      'addition',
    ],
    [
      'a parameter takes less',
      contract(z.strictObject({ radius: z.int().min(100).max(900).optional() }), payload),
      'breaking',
    ],
    [
      'a parameter becomes necessary',
      contract(z.strictObject({ radius: z.int().min(100).max(5000) }), payload),
      'breaking',
    ],
    ['a column comes', contract(params, payload, { id: 'text', n: 'int4 null' }), 'addition'],
    ['a column may be null', contract(params, payload, { id: 'text null' }), 'breaking'],
    ['a column changes its type', contract(params, payload, { id: 'int4' }), 'breaking'],
    ['a table goes', { ...base, tables: {} }, 'breaking'],
    ['another key', { ...base, tables: { t: { key: ['n'], columns: { id: 'text' } } } }, 'breaking'],
    ['an endpoint goes', { ...base, endpoints: {} }, 'breaking'],
    [
      'an endpoint comes',
      { ...base, endpoints: { ...base.endpoints, 'GET /y': base.endpoints['GET /x']! } },
      'addition',
    ],
  ])('%s', (_what, after, kind) => {
    const { breaking, additions } = compareContracts(base, after);
    const judged = breaking.length > 0 ? 'breaking' : additions.length > 0 ? 'addition' : 'nothing';
    expect(judged).toBe(kind);
  });

  it('asks for the version that the change needs', () => {
    expect(neededVersion('1.4.2', NOTHING)).toBe('1.4.2');
    expect(neededVersion('1.4.2', { breaking: [], additions: ['x'] })).toBe('1.5.0');
    expect(neededVersion('1.4.2', { breaking: ['x'], additions: ['y'] })).toBe('2.0.0');
    expect(isAtLeast('1.10.0', '1.9.9')).toBe(true);
    expect(isAtLeast('1.4.2', '1.5.0')).toBe(false);
    expect(isAtLeast('2.0.0', '2.0.0')).toBe(true);
  });

  it('refuses a snapshot whose version says less than what changed', () => {
    const more = contract(params, payload.extend({ c: z.int() }));
    expect(() => nextSnapshot(base, more)).toThrow(/must be 1\.5\.0 at least/);
    expect(nextSnapshot(base, { ...more, version: '1.5.0' }).version).toBe('1.5.0');
    const less = contract(params, payload.omit({ a: true }));
    expect(() => nextSnapshot(base, { ...less, version: '1.9.0' })).toThrow(/must be 2\.0\.0 at least/);
    expect(nextSnapshot(null, less)).toBe(less);
  });
});

describe('the committed contract', () => {
  it('is that of the declarations, or has a version that says what changed', () => {
    const committed = committedSnapshot(ROOT);
    const code = snapshotOfCode();
    expect(committed, 'run npm run docs').not.toBeNull();
    expect(() => nextSnapshot(committed, code)).not.toThrow();
    expect(committed, 'run npm run docs').toEqual(JSON.parse(JSON.stringify(code)));
  });

  it('has the version that its changes begin with', () => {
    const newest = /^## (.+)$/m.exec(readFileSync(`${ROOT}docs/contract_changelog.md`, 'utf8'))?.[1];
    expect(snapshotOfCode().version, 'run npm run docs').toBe(newest);
  });
});

describe('the documented endpoints', () => {
  const all = documentedEndpoints();

  it('are all there is, each under names of its own', () => {
    expect(all).toHaveLength(ENDPOINTS.length + SEARCHES.length);
    expect(new Set(all.map((each) => each.slug)).size).toBe(all.length);
    expect(new Set(all.map((each) => each.path)).size).toBe(all.length);
  });

  it.each(all.map((each) => [each.path, each] as const))(
    '%s says what it is, what it reads and why it may be empty',
    (path, each) => {
      expect(each.doc).toMatch(/^\S.{8,}/);
      expect(existsSync(ROOT + each.file)).toBe(true);
      expect(each.tables.length).toBeGreaterThan(0);
      if (path.includes('{')) expect(each.reasons.length).toBeGreaterThan(0);
    },
  );
});

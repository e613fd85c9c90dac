import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { Endpoint } from '../../../contract/answer.ts';
import { ENDPOINTS } from '../../../contract/index.ts';
import type { Search } from '../../../contract/search.ts';
import { SEARCHES } from '../../../contract/searches.ts';
import type { Schema } from './fields.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDER = 'contract';

/** An endpoint as its documents and schemas describe it. */
export interface DocumentedEndpoint {
  /** Full path, with the path parameter in braces. */
  path: string;
  methods: readonly string[];
  /** Name of its schema files. */
  slug: string;
  doc: string;
  /** Where the code is, from the repository root. */
  file: string;
  tables: string[];
  /** Typed reasons that it may give; none for searches. */
  reasons: string[];
  params: Schema;
  payload: Schema;
  /** Of what may stand beside the data; null: nothing. */
  beside: Schema | null;
}

const sources = new Map<string, string>();
const textOf = (file: string): string => {
  const known = sources.get(file) ?? readFileSync(join(ROOT, file), 'utf8');
  sources.set(file, known);
  return known;
};

/** Files of the read contract that a file imports, itself included. */
function reached(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, path] of textOf(file).matchAll(/from '(\.[^']+)'/g)) {
    const next = normalize(join(dirname(file), path!));
    const name = next.slice(next.lastIndexOf('/') + 1);
    if (next.startsWith(FOLDER) && !['answer.ts', 'search.ts'].includes(name)) reached(next, seen);
  }
  return seen;
}

const found = (files: Iterable<string>, pattern: RegExp): string[] => {
  const all = new Set<string>();
  for (const file of files) for (const [, name] of textOf(file).matchAll(pattern)) all.add(name!);
  return [...all].sort();
};

/** The sentence that stands over an export, or over the function that makes it. */
function docOf(file: string, name: string): string {
  const text = textOf(file);
  const over = (declared: string): string | undefined => {
    const at = text.search(new RegExp(`^(export )?(const|function) ${declared}\\b`, 'm'));
    const before = at < 0 ? '' : text.slice(0, at).trimEnd();
    if (!before.endsWith('*/')) return undefined;
    return before
      .slice(before.lastIndexOf('/**') + 3, -2)
      .replace(/^\s*\*\s?/gm, '')
      .replace(/\s+/g, ' ')
      .trim();
  };
  return over(name) ?? '';
}

interface Origin {
  file: string;
  name: string;
}

/** Where each endpoint is exported: by itself, or in a list. */
async function originsOf(): Promise<Map<unknown, Origin>> {
  const origins = new Map<unknown, Origin>();
  const files = readdirSync(join(ROOT, FOLDER), { recursive: true, encoding: 'utf8' })
    .map((name) => `${FOLDER}/${name.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.ts') && !/\/(index|searches)\.ts$/.test(file))
    .sort();
  const claim = (file: string, name: string, value: unknown): void => {
    if (typeof value === 'object' && value !== null && !origins.has(value))
      origins.set(value, { file, name });
  };
  const lists: [string, string, unknown[]][] = [];
  for (const file of files) {
    const exported = (await import(pathToFileURL(join(ROOT, file)).href)) as Record<string, unknown>;
    for (const [name, value] of Object.entries(exported).sort(([a], [b]) => (a < b ? -1 : 1)))
      if (Array.isArray(value)) lists.push([file, name, value]);
      else claim(file, name, value);
  }
  for (const [file, name, list] of lists) for (const each of list) claim(file, name, each);
  return origins;
}
const ORIGINS = await originsOf();

const schemaOf = (type: z.ZodType, io: 'input' | 'output'): Schema =>
  z.toJSONSchema(type, { io, unrepresentable: 'any' }) as Schema;

/** Parameters as they are after reading, of which those are necessary that a request must give. */
function paramsOf(type: z.ZodType): Schema {
  const { required: _all, ...read } = schemaOf(type, 'output');
  const { required } = schemaOf(type, 'input');
  return required === undefined ? read : { ...read, required };
}

function common(
  subject: Endpoint | Search,
): Pick<DocumentedEndpoint, 'file' | 'doc' | 'tables' | 'params' | 'payload' | 'beside'> {
  const { file, name } = ORIGINS.get(subject)!;
  const doc = 'doc' in subject ? subject.doc : docOf(file, name).replace(/^[^:]{1,60}: /, '');
  return {
    file,
    doc: doc.length === 0 ? '' : doc[0]!.toUpperCase() + doc.slice(1),
    tables: found(reached(file), /'(serving\.[a-z_]+)[ ']/g),
    params: paramsOf(subject.params),
    payload: schemaOf(subject.payload, 'output'),
    beside: 'beside' in subject && subject.beside ? schemaOf(subject.beside, 'output') : null,
  };
}

const ROOTS = { property: '/v1/properties/{gnaf_id}/', suburb: '/v1/suburbs/{suburb_name}/' } as const;
const REASONS =
  /'(not_covered|not_matched|none_found|not_applicable|suppressed|unknown_property|unknown_suburb|unknown_region)'/g;

function ofEndpoint(endpoint: Endpoint): DocumentedEndpoint {
  const own = common(endpoint);
  return {
    ...own,
    path: ROOTS[endpoint.subject] + endpoint.path.replace(/^suburb\//, ''),
    methods: ['GET'],
    slug: `${endpoint.subject}_${endpoint.path.replace(/^suburb\//, '').replaceAll(/[^a-z0-9]+/g, '_')}`,
    reasons: found(reached(own.file), REASONS),
  };
}

const ofSearch = (search: Search): DocumentedEndpoint => ({
  ...common(search),
  path: search.path,
  methods: search.methods,
  slug: search.path.replace(/^\//, '').replaceAll(/[^a-z0-9]+/g, '_'),
  reasons: [],
});

/** Every endpoint of the read contract, with what its code says of it. */
export const documentedEndpoints = (): DocumentedEndpoint[] => [
  ...ENDPOINTS.map(ofEndpoint),
  ...SEARCHES.map(ofSearch),
];

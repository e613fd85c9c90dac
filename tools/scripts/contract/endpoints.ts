import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { AnyOperation } from '../../../contract/answers/operation.ts';
import { ENDPOINTS, SEARCHES } from '../../../contract/index.ts';
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
    if (next.startsWith(FOLDER) && !['answer.ts', 'operation.ts'].includes(name)) reached(next, seen);
  }
  return seen;
}

const found = (files: Iterable<string>, pattern: RegExp): string[] => {
  const all = new Set<string>();
  for (const file of files) for (const [, name] of textOf(file).matchAll(pattern)) all.add(name!);
  return [...all].sort();
};

/** The file that exports each operation: by itself, or in a list. */
async function originsOf(): Promise<Map<unknown, string>> {
  const origins = new Map<unknown, string>();
  const files = readdirSync(join(ROOT, FOLDER), { recursive: true, encoding: 'utf8' })
    .map((name) => `${FOLDER}/${name.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.ts') && !/\/(index|rate_card)\.ts$/.test(file))
    .sort();
  const claim = (file: string, value: unknown): void => {
    if (typeof value === 'object' && value !== null && !origins.has(value)) origins.set(value, file);
  };
  const lists: [file: string, list: unknown[]][] = [];
  for (const file of files) {
    const exported = (await import(pathToFileURL(join(ROOT, file)).href)) as Record<string, unknown>;
    for (const value of Object.values(exported))
      if (Array.isArray(value)) lists.push([file, value]);
      else claim(file, value);
  }
  for (const [file, list] of lists) for (const each of list) claim(file, each);
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
  subject: AnyOperation,
): Pick<DocumentedEndpoint, 'file' | 'doc' | 'tables' | 'params' | 'payload' | 'beside'> {
  const file = ORIGINS.get(subject)!;
  return {
    file,
    doc: subject.doc,
    tables: found(reached(file), /'(serving\.[a-z_]+)[ ']/g),
    params: paramsOf(subject.params),
    payload: schemaOf(subject.payload, 'output'),
    beside: subject.extras ? schemaOf(subject.extras, 'output') : null,
  };
}

const REASONS =
  /'(not_covered|not_matched|none_found|not_applicable|suppressed|unknown_property|unknown_suburb|unknown_region)'/g;

/** What the code says of an operation. */
function documented(operation: AnyOperation): DocumentedEndpoint {
  const own = common(operation);
  const { subject, subpath, path, methods } = operation;
  const slugOf = (text: string): string => text.replaceAll(/[^a-z0-9]+/g, '_');
  return {
    ...own,
    path,
    methods,
    slug: subject === null ? slugOf(path.slice(1)) : `${subject}_${slugOf(subpath.replace(/^suburb\//, ''))}`,
    reasons: subject === null ? [] : found(reached(own.file), REASONS),
  };
}

/** Every endpoint of the read contract, with what its code says of it. */
export const documentedEndpoints = (): DocumentedEndpoint[] => [...ENDPOINTS, ...SEARCHES].map(documented);

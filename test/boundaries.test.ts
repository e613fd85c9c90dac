import { existsSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LAYERS, MAY } from './layers.ts';
import { ROOT, type SourceFile, sourceFiles } from './source_tree.ts';

const FILES = sourceFiles(LAYERS);
const EVERYTHING = sourceFiles([...LAYERS, 'test', 'tools/bench', 'tools/kills', 'tools/scripts']);

/** Packages that only some folders may import; a type-only import brings no code and is free. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  bullmq: ['jobs'],
  ioredis: ['jobs', 'service'],
  pg: ['store'],
  'pg-copy-streams': ['store'],
  // The read contract writes fragments of SQL beside the query builder.
  kysely: ['store', 'contract'],
  undici: ['pipelines'],
  fastify: ['ops', 'service'],
  '@modelcontextprotocol/server': ['service'],
  'prom-client': ['ops', 'service'],
  pino: ['cli'],
  commander: ['cli'],
  'cli-progress': ['cli'],
};

/** Imports that break OWNERS, each with its reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'pipelines/doctor/database.ts pg':
    'connects read-only and with a time limit, which the pools of store do not',
  'jobs/backend.ts pg': 'BullMQ takes a client to make its tables with',
};

interface Import {
  from: string;
  /** A path from the root where it is a file of ours, else a package or node: module. */
  to: string;
  ours: boolean;
  typeOnly: boolean;
}

const STATEMENT = /^\s*(?:import|export)\s+(type\s)?(?:[^'"();]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
const CALL = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;
const WORKER = /new URL\(\s*['"](\.[^'"]+\.m?[jt]s)['"]\s*,\s*import\.meta\.url\s*\)/g;

function importsOf({ path, text }: SourceFile): Import[] {
  const found = [
    ...[...text.matchAll(STATEMENT)].map((m) => ({ to: m[2]!, typeOnly: m[1] !== undefined })),
    ...[...text.matchAll(CALL)].map((m) => ({ to: m[1]!, typeOnly: false })),
    ...[...text.matchAll(WORKER)].map((m) => ({ to: m[1]!, typeOnly: false })),
  ];
  return found.map(({ to, typeOnly }) => {
    const ours = to.startsWith('.');
    return { from: path, to: ours ? normalize(join(dirname(path), to)) : to, ours, typeOnly };
  });
}

const IMPORTS = FILES.flatMap(importsOf);
const layerOf = (path: string): string =>
  LAYERS.find((layer) => path.startsWith(`${layer}/`)) ?? path.split('/')[0]!;
const within = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);
const packageOf = (name: string): string =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
const show = ({ from, to }: Import): string => `${from} → ${to}`;

describe('imports', () => {
  it('are found, and name files that exist', () => {
    expect(IMPORTS.length).toBeGreaterThan(300);
    // The console serves the files of the map library beside our own modules.
    const isServed = (path: string): boolean => /^ops\/browser\/maplibre-gl[\w-]*\.mjs$/.test(path);
    const missing = IMPORTS.filter((each) => each.ours && !isServed(each.to) && !existsSync(ROOT + each.to));
    expect(missing.map(show)).toEqual([]);
  });

  it.each(LAYERS)('from %s reach only its allowed layers', (layer) => {
    const wrong = IMPORTS.filter(
      ({ from, to, ours }) =>
        ours &&
        layerOf(from) === layer &&
        layerOf(to) !== layer &&
        !MAY[layer].some((folder) => within(to, folder)),
    );
    expect(wrong.map(show)).toEqual([]);
  });

  it('never go from one source to another', () => {
    const sourceOf = (path: string): string | null => /^sources\/([^/]+)\//.exec(path)?.[1] ?? null;
    const shared = ['formats', 'fields', 'release', 'layers', 'market'];
    const wrong = IMPORTS.filter(({ from, to, ours }) => {
      const [a, b] = [sourceOf(from), ours ? sourceOf(to) : null];
      return a !== null && b !== null && a !== b && !shared.includes(b);
    });
    expect(wrong.map(show)).toEqual([]);
  });

  it('reach a package with an owner only from its owner', () => {
    const broken = IMPORTS.filter(({ from, to, ours, typeOnly }) => {
      const owners = ours || typeOnly ? undefined : OWNERS[packageOf(to)];
      return owners !== undefined && !owners.includes(layerOf(from));
    }).map(({ from, to }) => `${from} ${to}`);
    expect(broken.filter((each) => !(each in EXCEPTIONS))).toEqual([]);
    expect(
      Object.keys(EXCEPTIONS).filter((each) => !broken.includes(each)),
      'no longer needed',
    ).toEqual([]);
  });

  it('from transforms, schema and contract reach neither the system nor the network', () => {
    const pure = IMPORTS.filter(({ from }) => ['transforms', 'schema', 'contract'].includes(layerOf(from)));
    expect(pure.filter(({ to }) => to.startsWith('node:')).map(show)).toEqual([]);
    const impure = FILES.filter(({ path }) => layerOf(path) === 'transforms').filter(({ text }) =>
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bprocess\.|\bperformance\.now\(|\bfetch\(/.test(text),
    );
    expect(impure.map(({ path }) => path)).toEqual([]);
  });

  it('form no cycle', () => {
    const graph = new Map<string, string[]>();
    for (const { from, to, ours } of IMPORTS) if (ours) graph.set(from, [...(graph.get(from) ?? []), to]);
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) {
        cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
        return;
      }
      if (done.has(path)) return;
      for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
      done.add(path);
    };
    for (const path of graph.keys()) visit(path, []);
    expect(cycles).toEqual([]);
  });
});

/** Folders whose own folders are rooms, and their files that are in none. */
const LOOSE = {
  pipelines: ['graph'],
  store: [
    'control_ddl',
    'database',
    'declared_tables',
    'json_text',
    'locks',
    'reader_role',
    'transaction',
    'vacuum',
  ],
  sources: ['adapter', 'cadence', 'index', 'tally'],
  'sources/formats': ['end_with_parent', 'feature'],
  transforms: [],
  contract: ['index'],
  service: ['operation', 'processes', 'server', 'service_parts'],
} as const;

describe.each(Object.entries(LOOSE))('the rooms of %s', (folder, loose) => {
  const isLoose = (path: string): boolean => dirname(path) === folder;

  // A valuation looks for comparables, and these for the columns of homes that valuations declare.
  it.runIf(folder !== 'transforms')('import each other one way', () => {
    const roomOf = (path: string): string => path.slice(folder.length + 1).split('/')[0]!;
    const uses = new Map<string, Set<string>>();
    for (const { from, to, ours } of IMPORTS) {
      const isInside = ours && [from, to].every((path) => within(path, folder) && !isLoose(path));
      if (!isInside || roomOf(from) === roomOf(to)) continue;
      uses.set(roomOf(from), (uses.get(roomOf(from)) ?? new Set()).add(roomOf(to)));
    }
    const below = (room: string, seen = new Set<string>()): Set<string> => {
      for (const next of uses.get(room) ?? []) if (!seen.has(next)) below(next, seen.add(next));
      return seen;
    };
    expect(uses.size).toBeGreaterThan(0);
    expect([...uses.keys()].filter((room) => below(room).has(room))).toEqual([]);
  });

  it('hold all but a few files', () => {
    const found = FILES.filter(({ path }) => isLoose(path)).map(({ path }) =>
      basename(path).replace(/\.m?ts$|\.mjs$/, ''),
    );
    expect(found.sort()).toEqual([...loose]);
  });
});

describe('files', () => {
  it('repeat the folders of the tree below test', () => {
    const folders = new Set(
      EVERYTHING.map(({ path }) => dirname(path)).filter((path) => within(path, 'test')),
    );
    // What attacks the whole program, runs it on servers as people have them, or goes through it night after night, lies in the folder of no part of it.
    for (const path of ['test/attack', 'test/operations', 'test/pipelines/nights']) folders.delete(path);
    expect([...folders].filter((path) => !existsSync(ROOT + path.slice('test/'.length)))).toEqual([]);
  });

  it('have at most 400 lines', () => {
    const long = EVERYTHING.filter(({ path }) => !path.startsWith('test/'))
      .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
      .filter(({ lines }) => lines > 400);
    expect(long).toEqual([]);
  });

  it('have snake_case names that say what they hold', () => {
    const names = EVERYTHING.map(({ path }) => path);
    expect(
      names.filter((path) => !/^[a-z][a-z0-9_]*(\.test|\.config)?\.(ts|mjs)$/.test(basename(path))),
    ).toEqual([]);
    expect(
      names.filter((path) => /(^|\/)(utils?|helpers?|common|manager|misc|base)(\/|\.)/.test(path)),
    ).toEqual([]);
  });
});

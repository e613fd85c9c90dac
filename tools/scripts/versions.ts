/**
 * Records the code of each stage and adapter beside its version, in tools/scripts/versions.json: a hash of what its results are made by, its own
 * module with every function and value that it imports, without comments, types, layout and declarations of tables, and the versions of the
 * packages among them. A test compares, so that nothing changes under a version unseen. Running this says that the versions are right for the
 * code as it is.
 * Usage: npm run versions
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Metafile, type OnLoadResult, type Plugin, transform } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RECORD = join(ROOT, 'tools/scripts/versions.json');
/** Code that decides what is computed. The engine and the store give rows and take them. */
const COVERED = /^(transforms|schema|sources|pipelines\/stages)\//;

type Exports = Readonly<Record<string, unknown>>;

/** What is recorded: of each stage and adapter by name, and of each file that one of them is made of. */
export interface Versions {
  made: Record<string, { version: number; code: string }>;
  files: Record<string, string>;
}

/** A stage or an adapter whose code is not what is recorded. */
export interface Change {
  name: string;
  version: number;
  recorded: { version: number } | null;
  files: string[];
}

/** The code of a stage or an adapter. */
interface Code {
  name: string;
  version: number;
  code: string;
  files: string[];
  /** Values of schema/ that it computes by, as `FILE NAME`: lists, texts, numbers, and records of them. */
  values: Map<string, unknown>;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

const LOCKED = (
  JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string }>;
  }
).packages;

/** `NAME VERSION` of a package that is imported, '' for a module of Node.js. */
function packageOf(path: string): string {
  const name = path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/');
  const version = LOCKED[`node_modules/${name}`]?.version;
  return version === undefined ? '' : `${name} ${version}`;
}

const isTable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'columns' in value && 'primaryKey' in value;

const isColumns = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((each) => typeof each === 'object' && each !== null && 'nullable' in each);

/**
 * A module of schema/ for bundling: its tables are told by their names, since the plan has digests of their columns; all else is as it
 * stands in the file.
 */
async function withoutTables(path: string): Promise<OnLoadResult> {
  const exports = (await import(pathToFileURL(path).href)) as Exports;
  const names = Object.keys(exports)
    .filter((name) => isTable(exports[name]))
    .sort();
  const lines = names.map((name) => `export const ${name} = ${JSON.stringify(`table ${name}`)};`);
  return {
    contents: [`export * from ${JSON.stringify(`declared:${path}`)};`, ...lines].join('\n'),
    loader: 'ts',
    resolveDir: dirname(path),
  };
}

/** The file as it stands; tables and columns that nothing else in it looks into are left out. */
const declared = (path: string): OnLoadResult => ({
  contents: readFileSync(path, 'utf8').replaceAll(/([=:] )(table|col|nullable)\(/g, '$1/* @__PURE__ */ $2('),
  loader: 'ts',
  resolveDir: dirname(path),
});

/** Leaves out what decides no result. */
const coveredOnly: Plugin = {
  name: 'covered',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^declared:/ }, ({ path }) => ({
      path: path.slice('declared:'.length),
      namespace: 'declared',
      sideEffects: false,
    }));
    onResolve({ filter: /.*/ }, ({ path, resolveDir, kind }) => {
      if (kind === 'entry-point') return null;
      const file = join(resolveDir, path);
      const own = path.startsWith('.') ? relative(ROOT, file).replaceAll('\\', '/') : path;
      if (!COVERED.test(own)) return { path: own, external: true, sideEffects: false };
      return { path: file, namespace: own.startsWith('schema/') ? 'schema' : 'file', sideEffects: false };
    });
    onLoad({ filter: /.*/, namespace: 'schema' }, ({ path }) => withoutTables(path));
    onLoad({ filter: /.*/, namespace: 'declared' }, ({ path }) => declared(path));
  },
};

/** What a file that lists them imports: name of the export, and its module. */
function listed(file: string): { name: string; module: string }[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/^import \{([^}]+)\} from '(\.[^']+\/\w+\.ts)';$/gm)].flatMap(
    ([, names, module]) =>
      names!.split(',').map((name) => ({ name: name.trim(), module: join(dirname(file), module!) })),
  );
}

/** Paths from the root, without the namespaces of the plugin, of what is left of the modules of a bundle. */
const filesOf = ({ outputs }: Metafile): string[] => {
  const [output] = Object.values(outputs);
  const used = Object.entries(output!.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  const paths = used.map(([path]) => path).filter((path) => !/^(schema:|<stdin>)/.test(path));
  return [...new Set(paths.map((path) => relative(ROOT, path.replace(/^(declared|file):/, ''))))].sort();
};

/** The values of a module of schema/ that are left in a bundle. */
async function valuesOf(file: string, text: string): Promise<[string, unknown][]> {
  const exports = (await import(pathToFileURL(join(ROOT, file)).href)) as Exports;
  return Object.entries(exports)
    .filter(([, value]) => typeof value !== 'function' && !isTable(value) && !isColumns(value))
    .filter(([name]) => text.includes(`var ${name}=`))
    .map(([name, value]) => [`${file} ${name}`, value]);
}

async function codeOf({ name: exported, module }: { name: string; module: string }): Promise<Code> {
  const exports = (await import(pathToFileURL(join(ROOT, module)).href)) as Exports;
  const found = exports[exported] as { name: string; version: number } | ((setting: number) => never);
  const { name, version } = typeof found === 'function' ? found(1) : found;
  const built = await build({
    stdin: { contents: `export { ${exported} } from './${module}';`, resolveDir: ROOT, loader: 'ts' },
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'esnext',
    minifyWhitespace: true,
    legalComments: 'none',
    absWorkingDir: ROOT,
    plugins: [coveredOnly],
    logLevel: 'silent',
  });
  // Modules that are imported when they are needed stand in it by their path.
  const text = built.outputFiles[0]!.text.replaceAll(ROOT, '');
  const [output] = Object.values(built.metafile.outputs);
  const packages = [...new Set(output!.imports.map(({ path }) => packageOf(path)))].filter(Boolean).sort();
  const files = filesOf(built.metafile);
  const values = await Promise.all(
    files.filter((file) => file.startsWith('schema/')).map((file) => valuesOf(file, text)),
  );
  return { name, version, code: hash(text + packages.join()), files, values: new Map(values.flat()) };
}

async function fileHash(path: string): Promise<string> {
  const { code } = await transform(readFileSync(join(ROOT, path), 'utf8'), {
    loader: 'ts',
    target: 'esnext',
    minifyWhitespace: true,
    legalComments: 'none',
  });
  return hash(code);
}

const byName = <T>(entries: readonly (readonly [string, T])[]): Record<string, T> =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));

/** What there is, and the code of each stage and adapter. */
export async function readCode(): Promise<Versions & { of: Record<string, Code> }> {
  const of = [...listed('pipelines/graph.ts'), ...listed('sources/index.ts')].filter(({ module }) =>
    /^(sources|pipelines\/stages)\//.test(module),
  );
  const all = await Promise.all(of.map(codeOf));
  const files = [...new Set(all.flatMap((one) => one.files))];
  const hashes = await Promise.all(files.map(async (path) => [path, await fileHash(path)] as const));
  return {
    made: byName(all.map(({ name, version, code }) => [name, { version, code }] as const)),
    files: byName(hashes),
    of: byName(all.map((one) => [one.name, one] as const)),
  };
}

/** What is recorded. */
export const readRecord = (): Versions => JSON.parse(readFileSync(RECORD, 'utf8')) as Versions;

/** Stages and adapters whose code or version is not as recorded. */
export function changes(there: Awaited<ReturnType<typeof readCode>>, recorded: Versions): Change[] {
  return Object.entries(there.made).flatMap(([name, { version, code }]) => {
    const known = recorded.made[name] ?? null;
    if (known?.code === code && known.version === version) return [];
    const files = there.of[name]!.files.filter((path) => recorded.files[path] !== there.files[path]);
    return [{ name, version, recorded: known && { version: known.version }, files }];
  });
}

/** What to do about a change. */
export function advice({ name, version, recorded, files }: Change): string {
  if (recorded === null) return `${name} is new: run npm run versions.`;
  if (recorded.version !== version)
    return `${name}: version ${recorded.version} → ${version}: run npm run versions.`;
  return `${name}: code changed (${files.join(', ') || 'what it takes from unchanged files, or a package'}), version is still ${version}. Where its results change, raise the version; then, or where they are the same, run npm run versions.`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { of, ...there } = await readCode();
  const before: Versions = await Promise.resolve()
    .then(readRecord)
    .catch(() => ({ made: {}, files: {} }));
  for (const { name, version, recorded } of changes({ ...there, of }, before)) {
    const what =
      recorded === null
        ? 'new'
        : recorded.version === version
          ? 'its code changed, its results are stated to be the same'
          : `version ${recorded.version} → ${version}`;
    process.stdout.write(`${name}: ${what}\n`);
  }
  writeFileSync(RECORD, `${JSON.stringify(there, null, 2)}\n`);
}

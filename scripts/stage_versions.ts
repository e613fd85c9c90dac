/**
 * Records the code of each stage beside its version, in pipelines/stages/versions.json: a hash of what its results are made by, its own
 * module and all that it takes from transforms/ and pipelines/stages/, without comments, types and layout. A test compares, so that no code
 * changes under a version unseen. Running this says that the versions are right for the code as it is.
 * Usage: npm run versions
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin, transform } from 'esbuild';
import type { Stage } from '../pipelines/engine/stage.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RECORD = join(ROOT, 'pipelines/stages/versions.json');
/** Code that decides what a stage comes to from its inputs and parameters. Columns of tables have digests of their own in the plan. */
const COVERED = /^(transforms|pipelines\/stages)\//;

/** What is recorded: of each stage by name, and of each file that one of them is made of. */
export interface StageVersions {
  stages: Record<string, { version: number; code: string }>;
  files: Record<string, string>;
}

/** A stage whose code is not what is recorded. */
export interface Change {
  stage: string;
  version: number;
  recorded: { version: number } | null;
  files: string[];
}

interface StageCode {
  stage: string;
  version: number;
  code: string;
  files: string[];
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Leaves out what decides no result. */
const coveredOnly: Plugin = {
  name: 'covered',
  setup: ({ onResolve }) => {
    onResolve({ filter: /.*/ }, ({ path, resolveDir, kind }) => {
      if (kind === 'entry-point') return null;
      const own = path.startsWith('.') ? relative(ROOT, join(resolveDir, path)).replaceAll('\\', '/') : path;
      return COVERED.test(own) ? null : { path: own, external: true, sideEffects: false };
    });
  },
};

/** The stages of the graph: name of the export, and its module. */
function declared(): { name: string; module: string }[] {
  const text = readFileSync(join(ROOT, 'pipelines/graph.ts'), 'utf8');
  return [...text.matchAll(/^import \{([^}]+)\} from '\.\/(stages\/\w+\.ts)';$/gm)].flatMap(
    ([, names, module]) =>
      names!.split(',').map((name) => ({ name: name.trim(), module: `pipelines/${module}` })),
  );
}

async function codeOf({ name, module }: { name: string; module: string }): Promise<StageCode> {
  const exports = (await import(pathToFileURL(join(ROOT, module)).href)) as Record<
    string,
    Stage | ((setting: number) => Stage)
  >;
  const found = exports[name]!;
  const { name: stage, version } = typeof found === 'function' ? found(1) : found;
  const built = await build({
    stdin: { contents: `export { ${name} } from './${module}';`, resolveDir: ROOT, loader: 'ts' },
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
  const [output] = Object.values(built.metafile.outputs);
  const files = Object.entries(output!.inputs)
    .filter(([path, { bytesInOutput }]) => path !== '<stdin>' && bytesInOutput > 0)
    .map(([path]) => path);
  return { stage, version, code: hash(built.outputFiles[0]!.text), files: files.sort() };
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

/** What there is, and the files of each stage. */
export async function readCode(): Promise<StageVersions & { of: Record<string, string[]> }> {
  const all = await Promise.all(declared().map(codeOf));
  const files = [...new Set(all.flatMap((one) => one.files))];
  const hashes = await Promise.all(files.map(async (path) => [path, await fileHash(path)] as const));
  return {
    stages: byName(all.map(({ stage, version, code }) => [stage, { version, code }] as const)),
    files: byName(hashes),
    of: byName(all.map((one) => [one.stage, one.files] as const)),
  };
}

/** What is recorded. */
export const readRecord = (): StageVersions => JSON.parse(readFileSync(RECORD, 'utf8')) as StageVersions;

/** Stages whose code or version is not as recorded. */
export function changes(there: Awaited<ReturnType<typeof readCode>>, recorded: StageVersions): Change[] {
  return Object.entries(there.stages).flatMap(([stage, { version, code }]) => {
    const known = recorded.stages[stage] ?? null;
    if (known?.code === code && known.version === version) return [];
    const files = there.of[stage]!.filter((path) => recorded.files[path] !== there.files[path]);
    return [{ stage, version, recorded: known && { version: known.version }, files }];
  });
}

/** What to do about a change. */
export function advice({ stage, version, recorded, files }: Change): string {
  if (recorded === null) return `stage ${stage} is new: run npm run versions.`;
  if (recorded.version !== version)
    return `stage ${stage}: version ${recorded.version} → ${version}: run npm run versions.`;
  return `stage ${stage}: code changed (${files.join(', ') || 'what it takes from unchanged files'}), version is still ${version}. Where its results change, raise the version; then, or where they are the same, run npm run versions.`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { of, ...there } = await readCode();
  const before: StageVersions = await Promise.resolve()
    .then(readRecord)
    .catch(() => ({ stages: {}, files: {} }));
  for (const { stage, version, recorded } of changes({ ...there, of }, before)) {
    const what =
      recorded === null
        ? 'new'
        : recorded.version === version
          ? 'its code changed, its results are stated to be the same'
          : `version ${recorded.version} → ${version}`;
    process.stdout.write(`${stage}: ${what}\n`);
  }
  writeFileSync(RECORD, `${JSON.stringify(there, null, 2)}\n`);
}

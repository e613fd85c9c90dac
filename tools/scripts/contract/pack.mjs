/**
 * Makes the package of the read contract: built JavaScript, declarations and `exports`, as npm packs them.
 * Usage: npm run contract:pack [-- <folder>]   (default: the working folder)
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SOURCE = 'tools/scripts/contract/package';
const ENTRY = `${SOURCE}/index.ts`;
/** All that it needs; whatever else the queries use is small and built in. */
const NEEDED = ['kysely', 'pg', 'zod'];

const read = (path) => readFileSync(join(ROOT, path), 'utf8');

/** Imports and import types of a declaration file, which name files by their sources. */
const RELATIVE = /((?:from |import\()(['"]))(\.[^'"]+)\.ts\2/g;

/** Writes the declarations of the entry and of what its types come from. */
function writeTypes(folder) {
  const made = mkdtempSync(join(tmpdir(), 'contract-types-'));
  try {
    const project = join(made, 'tsconfig.json');
    const options = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rewriteRelativeImportExtensions: true,
      rootDir: ROOT,
      outDir: join(made, 'out'),
      typeRoots: [join(ROOT, 'node_modules/@types')],
    };
    const files = [join(ROOT, ENTRY)];
    writeFileSync(
      project,
      JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions: options, include: [], files }),
    );
    execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', project], {
      stdio: ['ignore', 2, 2],
    });
    const queue = [ENTRY];
    for (const path of queue) {
      const text = readFileSync(join(made, 'out', path.replace(/\.ts$/, '.d.ts')), 'utf8');
      for (const [, , , to] of text.matchAll(RELATIVE)) {
        const next = join(dirname(path), `${to}.ts`);
        if (!queue.includes(next)) queue.push(next);
      }
      const target = join(folder, 'types', path.replace(/\.ts$/, '.d.ts'));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text.replaceAll(RELATIVE, '$1$3.js$2'));
    }
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** package.json of the contract: what it needs in the versions that the program is tested with, or later ones that are compatible. */
function manifest() {
  const { dependencies, engines, license } = JSON.parse(read('package.json'));
  const version = /CONTRACT_VERSION = '([^']+)'/.exec(read('contract/service/version.ts'))[1];
  return {
    name: 'property-data-contract',
    version,
    description: 'Typed reads of the published property data: endpoints, payloads and tables.',
    license,
    type: 'module',
    engines,
    exports: { '.': { types: `./types/${ENTRY.replace(/\.ts$/, '.d.ts')}`, default: './index.js' } },
    dependencies: Object.fromEntries(NEEDED.map((name) => [name, `^${dependencies[name]}`])),
  };
}

/** Nothing of ours does anything when it is imported, so that what nothing uses is left out. */
const pure = {
  name: 'pure',
  setup: (program) =>
    program.onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      sideEffects: false,
    })),
};

const target = resolve(process.argv[2] ?? '.');
const folder = mkdtempSync(join(tmpdir(), 'contract-package-'));
try {
  await build({
    absWorkingDir: ROOT,
    entryPoints: [ENTRY],
    outfile: join(folder, 'index.js'),
    bundle: true,
    external: NEEDED,
    plugins: [pure],
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  });
  writeTypes(folder);
  const pages = [join(ROOT, 'tools/scripts/contract/write_pages.ts'), join(folder, 'docs')];
  execFileSync(process.execPath, ['--import', 'tsx', ...pages], { cwd: ROOT, stdio: ['ignore', 2, 2] });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  copyFileSync(join(ROOT, SOURCE, 'README.md'), join(folder, 'README.md'));
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  mkdirSync(join(folder, 'examples'));
  for (const name of ['example.mjs', 'example.ts'])
    copyFileSync(join(ROOT, SOURCE, name), join(folder, 'examples', name));
  mkdirSync(target, { recursive: true });
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', target], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  console.log(relative('.', join(target, JSON.parse(packed)[0].filename)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

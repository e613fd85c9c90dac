/**
 * Makes the package of the TypeScript client: types from the OpenAPI document, JavaScript and declarations, as npm packs them.
 * Usage: npm run client:pack [-- <folder>]   (default: the working folder)
 */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SOURCE = join(ROOT, 'tools/scripts/clients/typescript');
const run = (...args) => execFileSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 2, 2] });

const target = resolve(process.argv[2] ?? '.');
const folder = mkdtempSync(join(tmpdir(), 'client-package-'));
try {
  const { version, license, engines, devDependencies } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  );
  const manifest = {
    name: 'property-data-client',
    version,
    description: 'Typed client of the property data service.',
    license,
    type: 'module',
    engines,
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    files: ['index.js', 'index.d.ts', 'types.d.ts', 'README.md'],
    dependencies: { 'openapi-fetch': `^${devDependencies['openapi-fetch']}` },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  run('--import', 'tsx', join(ROOT, 'tools/scripts/clients/write_openapi.ts'), join(folder, 'openapi.json'));
  run(
    join(ROOT, 'tools/scripts/clients/write_types.mjs'),
    join(folder, 'openapi.json'),
    join(folder, 'types.d.ts'),
  );
  for (const name of ['index.ts', 'README.md']) copyFileSync(join(SOURCE, name), join(folder, name));
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
  const flags =
    '--ignoreConfig --strict --declaration --module nodenext --target es2022 --lib es2023,dom,dom.iterable --types node'.split(
      ' ',
    );
  run(join(ROOT, 'node_modules/typescript/bin/tsc'), ...flags, join(folder, 'index.ts'));
  rmSync(join(folder, 'node_modules'));
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

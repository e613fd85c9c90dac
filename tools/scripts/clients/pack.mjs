/**
 * Makes the packages of the TypeScript client, as npm packs it, and of the Python client, as a source distribution; both are generated from the
 * OpenAPI document. Usage: npm run client:pack [-- <folder>]   (default: the working folder)
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
const HERE = join(ROOT, 'tools/scripts/clients');
const { version, license, engines, devDependencies } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
);
const run = (...args) => execFileSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 2, 2] });

/** Types, JavaScript and declarations; gives the path of the package. */
function packTypeScript(folder, openApi, target) {
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
  run(join(HERE, 'write_types.mjs'), openApi, join(folder, 'types.d.ts'));
  for (const name of ['index.ts', 'README.md'])
    copyFileSync(join(HERE, 'typescript', name), join(folder, name));
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
  const flags =
    '--ignoreConfig --strict --declaration --module nodenext --target es2022 --lib es2023,dom,dom.iterable --types node'.split(
      ' ',
    );
  run(join(ROOT, 'node_modules/typescript/bin/tsc'), ...flags, join(folder, 'index.ts'));
  rmSync(join(folder, 'node_modules'));
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', target], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return join(target, JSON.parse(packed)[0].filename);
}

/** Models, operations and the client, without anything else that it needs; gives the path of the distribution. */
function packPython(folder, openApi, target) {
  const name = `property_data_client-${version}`;
  const code = join(folder, name, 'property_data_client');
  mkdirSync(code, { recursive: true });
  run(join(HERE, 'write_python.mjs'), openApi, code);
  copyFileSync(join(HERE, 'python/client.py'), join(code, 'client.py'));
  writeFileSync(
    join(code, '__init__.py'),
    '"""A typed client of the property data service."""\n\nfrom .client import PropertyData, Refused\n\n__all__ = ["PropertyData", "Refused"]\n',
  );
  writeFileSync(join(code, 'py.typed'), '');
  copyFileSync(join(HERE, 'python/README.md'), join(folder, name, 'README.md'));
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, name, 'LICENSE'));
  writeFileSync(
    join(folder, name, 'pyproject.toml'),
    `[build-system]
requires = ["setuptools>=61"]
build-backend = "setuptools.build_meta"

[project]
name = "property-data-client"
version = "${version}"
description = "Typed client of the property data service."
readme = "README.md"
requires-python = ">=3.8"

[tool.setuptools.package-data]
property_data_client = ["py.typed"]
`,
  );
  const file = join(target, `${name}.tar.gz`);
  execFileSync('tar', ['-czf', file, '-C', folder, name]);
  return file;
}

const target = resolve(process.argv[2] ?? '.');
const folder = mkdtempSync(join(tmpdir(), 'client-package-'));
try {
  const openApi = join(folder, 'openapi.json');
  run('--import', 'tsx', join(HERE, 'write_openapi.ts'), openApi);
  mkdirSync(target, { recursive: true });
  for (const [name, pack] of [
    ['typescript', packTypeScript],
    ['python', packPython],
  ]) {
    const own = join(folder, name);
    mkdirSync(own);
    console.log(relative('.', pack(own, openApi, target)));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

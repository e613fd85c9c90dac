import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import type { FastifyInstance } from 'fastify';

const library = (name: string): string => fileURLToPath(import.meta.resolve(`maplibre-gl/dist/${name}`));
const BROWSER = fileURLToPath(new URL('./browser', import.meta.url));
const browserFile = (name: string): string => join(BROWSER, name);

const SCRIPT = 'text/javascript; charset=utf-8';
const SHEET = 'text/css; charset=utf-8';

/** Files that pages of the console load, by name: the map library as published, and our modules. No other file is served. */
const FILES: Readonly<Record<string, { path: string; type: string }>> = {
  'maplibre-gl.mjs': { path: library('maplibre-gl.mjs'), type: SCRIPT },
  'maplibre-gl-worker.mjs': { path: library('maplibre-gl-worker.mjs'), type: SCRIPT },
  'maplibre-gl.css': { path: library('maplibre-gl.css'), type: SHEET },
  // States at 1:50 million, simplified. Source: Natural Earth, public domain.
  'australia.geojson': { path: browserFile('australia.geojson'), type: 'application/geo+json' },
  'map.css': { path: browserFile('map.css'), type: SHEET },
  ...Object.fromEntries(
    readdirSync(BROWSER)
      .filter((name) => name.endsWith('.mjs'))
      .map((name) => [name, { path: browserFile(name), type: SCRIPT }]),
  ),
};

/** A module that imports packages by name: bundled when it is first requested. */
const BUNDLED = 'sql_editor.mjs';

/** Versions of the packages whose files are served. */
const PACKAGES = fileURLToPath(new URL('../package.json', import.meta.url));

/** Path of the files: it changes with any of them, so a browser keeps what it has. */
const FOLDER = (() => {
  const hash = createHash('sha256').update(readFileSync(PACKAGES));
  for (const name of readdirSync(BROWSER).sort())
    hash.update(`\0${name}\0`).update(readFileSync(join(BROWSER, name)));
  return `/static/${hash.digest('base64url').slice(0, 12)}`;
})();

/** Path of a file that pages load. */
export const assetPath = (name: string): string => `${FOLDER}/${name}`;

const contents = ({ path, name }: { path: string; name: string }): Buffer => {
  if (name !== BUNDLED) return readFileSync(path);
  const { outputFiles } = buildSync({
    entryPoints: [path],
    bundle: true,
    format: 'esm',
    minify: true,
    write: false,
  });
  return Buffer.from(outputFiles[0]!.contents);
};

/** Serves the files. Their path has their digest, so a browser asks for each of them once. */
export function addStatic(app: FastifyInstance): void {
  const cachedContents = new Map<string, Buffer>();
  app.get<{ Params: { name: string } }>(`${FOLDER}/:name`, async (request, reply) => {
    const { name } = request.params;
    const file = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
    if (!file) return reply.code(404).send({ error: 'not_found', message: 'There is no such file.' });
    const bytes = cachedContents.get(name) ?? contents({ ...file, name });
    cachedContents.set(name, bytes);
    return reply.header('cache-control', 'private, max-age=31536000, immutable').type(file.type).send(bytes);
  });
}

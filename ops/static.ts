import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';

const library = (name: string): string => fileURLToPath(import.meta.resolve(`maplibre-gl/dist/${name}`));
const own = (name: string): string => fileURLToPath(new URL(`./browser/${name}`, import.meta.url));

const SCRIPT = 'text/javascript; charset=utf-8';
const SHEET = 'text/css; charset=utf-8';

/** Files that pages of the console load, by name: the map library as published, and our modules. No other file is served. */
const FILES: Readonly<Record<string, { path: string; type: string }>> = {
  'maplibre-gl.mjs': { path: library('maplibre-gl.mjs'), type: SCRIPT },
  'maplibre-gl-worker.mjs': { path: library('maplibre-gl-worker.mjs'), type: SCRIPT },
  'maplibre-gl.css': { path: library('maplibre-gl.css'), type: SHEET },
  // States at 1:50 million, simplified. Source: Natural Earth, public domain.
  'australia.geojson': { path: own('australia.geojson'), type: 'application/geo+json' },
  'map.css': { path: own('map.css'), type: SHEET },
  ...Object.fromEntries(
    [
      'changed_style.mjs',
      'lineage_page.mjs',
      'map_legend.mjs',
      'map_page.mjs',
      'map_style.mjs',
      'map_view.mjs',
      'find.mjs',
      'measure.mjs',
      'operate_page.mjs',
      'overview_page.mjs',
      'property_page.mjs',
      'rows_map.mjs',
      'run_page.mjs',
    ].map((name) => [name, { path: own(name), type: SCRIPT }]),
  ),
};

/** Serves the files. A browser asks each time whether they have changed. */
export function addStatic(app: FastifyInstance): void {
  const read = new Map<string, { bytes: Buffer; tag: string }>();
  app.get<{ Params: { name: string } }>('/static/:name', async (request, reply) => {
    const { name } = request.params;
    const file = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
    if (!file) return reply.code(404).send({ error: 'not_found', message: 'There is no such file.' });
    let known = read.get(name);
    if (!known) {
      const bytes = await readFile(file.path);
      known = { bytes, tag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
      read.set(name, known);
    }
    reply.header('etag', known.tag).header('cache-control', 'private, no-cache');
    if (request.headers['if-none-match'] === known.tag) return reply.code(304).send();
    return reply.type(file.type).send(known.bytes);
  });
}

// Writes a file geodatabase with GDAL.
// Each layer is a GeoJSON with `options`, those of ogr2ogr.
// Usage: node geodatabase_writer.mjs folder name layer.geojson ...
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const [folder, name, ...layers] = process.argv.slice(2);
const out = resolve(folder);
const require = createRequire(import.meta.url);
const program = require.resolve('gdal3.js/node');
const paths = layers.map((path) => resolve(path));
process.chdir(join(dirname(program), 'dist', 'package'));
const gdal = await require(program)({ path: '.', dest: out, errorHandler: (text) => console.error(text) });
for (const [i, path] of paths.entries()) {
  const { datasets } = await gdal.open(path);
  const { options } = JSON.parse(readFileSync(path, 'utf8'));
  const further = i === 0 ? [] : ['-update', '-append'];
  await gdal.ogr2ogr(datasets[0], ['-f', 'OpenFileGDB', ...further, ...options], name);
}

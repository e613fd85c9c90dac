// A process that reads features of a FlatGeobuf file or a GeoPackage with GDAL, which is compiled to WebAssembly. It answers one request,
// `{ path, query, out }`: with null when `records.geojson` is written to `out`, or with what failed. `query`: arguments of ogr2ogr.
import '../../../sources/formats/end_with_parent.mjs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const GEOJSON = ['-f', 'GeoJSON', '-lco', 'RFC7946=NO', '-lco', 'COORDINATE_PRECISION=17', '-dim', 'XY'];

process.once('message', async ({ path, query, out }) => {
  const errors = [];
  try {
    const program = require.resolve('gdal3.js/node');
    // the package finds its own files from the folder that the process is in
    process.chdir(join(dirname(program), 'dist', 'package'));
    const gdal = await require(program)({
      path: '.',
      dest: out,
      logHandler() {},
      errorHandler: (text) => errors.push(text),
    });
    const { FS, NODEFS } = gdal.Module;
    FS.mkdir('/input/delivered');
    FS.mount(NODEFS, { root: dirname(path) }, '/input/delivered');
    const { datasets } = await gdal.open(`/input/delivered/${basename(path)}`);
    errors.length = 0;
    await gdal.ogr2ogr(datasets[0], [...GEOJSON, ...query], 'records');
    process.send(errors.find((text) => text.startsWith('ERROR')) ?? null);
  } catch (cause) {
    const told = [...errors, ...[cause].flat().map((each) => each?.message)].filter(Boolean);
    process.send(told.join('; ').slice(0, 500) || 'GDAL does not open it');
  }
});

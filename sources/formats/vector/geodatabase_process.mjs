// A process that opens one file geodatabase with GDAL, which is compiled to WebAssembly: it sees the two folders that it is given, and
// its memory ends at 2 GiB. It answers one request, `{ folder, select, out }`: with the layers, or, where `select` is there, when
// `layer.fgb` is written to `out`.
import '../end_with_parent.mjs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** In the order of the table, without an index, which would sort the features; height, measure and curves are not read. */
const FLATGEOBUF = [
  '-f',
  'FlatGeobuf',
  '-lco',
  'SPATIAL_INDEX=NO',
  '-dim',
  'XY',
  '-nlt',
  'CONVERT_TO_LINEAR',
];

process.once('message', async ({ folder, select, out }) => {
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
    // whatever the folder is called, GDAL knows a geodatabase by the end of its name
    const { FS, NODEFS } = gdal.Module;
    FS.mkdir('/input/release.gdb');
    FS.mount(NODEFS, { root: folder }, '/input/release.gdb');
    const { datasets } = await gdal.open('/input/release.gdb');
    if (select === null) process.send({ info: await gdal.ogrinfo(datasets[0]) });
    else {
      errors.length = 0;
      await gdal.ogr2ogr(datasets[0], [...FLATGEOBUF, '-dialect', 'OGRSQL', '-sql', select], 'layer');
      // what it cannot read of a table it leaves out, and says so
      if (errors.some((text) => text.startsWith('ERROR'))) throw null;
      process.send({ written: true });
    }
  } catch (cause) {
    const told = [...errors, ...[cause].flat().map((each) => each?.message)].filter(Boolean);
    process.send({ failure: told.join('; ').slice(0, 500) || 'it is none that GDAL opens' });
  }
});

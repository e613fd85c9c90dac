// A process that opens one file geodatabase with GDAL, which is compiled to WebAssembly: it sees the two folders that it is given, and
// its memory ends at 2 GiB. It answers one request, `{ folder, select, out }`: with the layers, or, where `select` is there, when
// `layer.fgb` is written to `out`.
import '../end_with_parent.mjs';
import { failureOf, openWithGdal } from './gdal.mjs';

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
    // whatever the folder is called, GDAL knows a geodatabase by the end of its name
    const at = '/input/release.gdb';
    const onError = (text) => errors.push(text);
    const { gdal, dataset } = await openWithGdal({ folder, at, path: at, out, onError });
    if (select === null) process.send({ info: await gdal.ogrinfo(dataset) });
    else {
      errors.length = 0;
      await gdal.ogr2ogr(dataset, [...FLATGEOBUF, '-dialect', 'OGRSQL', '-sql', select], 'layer');
      // what it cannot read of a table it leaves out, and says so
      if (errors.some((text) => text.startsWith('ERROR'))) throw null;
      process.send({ written: true });
    }
  } catch (cause) {
    process.send({ failure: failureOf(errors, cause) || 'it is none that GDAL opens' });
  }
});

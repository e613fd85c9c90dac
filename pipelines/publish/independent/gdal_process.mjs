// A process that reads features of a FlatGeobuf file or a GeoPackage with GDAL, which is compiled to WebAssembly. It answers one request,
// `{ path, query, out }`: with null when `records.geojson` is written to `out`, or with what failed. `query`: arguments of ogr2ogr.
import '../../../sources/formats/end_with_parent.mjs';
import { basename, dirname } from 'node:path';
import { failureOf, openWithGdal } from '../../../sources/formats/vector/gdal.mjs';

const GEOJSON = ['-f', 'GeoJSON', '-lco', 'RFC7946=NO', '-lco', 'COORDINATE_PRECISION=17', '-dim', 'XY'];

process.once('message', async ({ path, query, out }) => {
  const errors = [];
  try {
    const [folder, at] = [dirname(path), '/input/delivered'];
    const onError = (text) => errors.push(text);
    const { gdal, dataset } = await openWithGdal({
      folder,
      at,
      path: `${at}/${basename(path)}`,
      out,
      onError,
    });
    errors.length = 0;
    await gdal.ogr2ogr(dataset, [...GEOJSON, ...query], 'records');
    process.send(errors.find((text) => text.startsWith('ERROR')) ?? null);
  } catch (cause) {
    process.send(failureOf(errors, cause) || 'GDAL does not open it');
  }
});

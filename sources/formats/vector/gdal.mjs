// GDAL, compiled to WebAssembly: the optional package `gdal3.js`, in a process of its own.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/**
 * Opens a dataset of a folder, which GDAL sees as `at`. It writes to the folder `out`, and tells `onError` what it cannot read.
 * @param {{ folder: string, at: string, path: string, out: string, onError: (text: string) => void }} request `path`: as GDAL sees it
 */
export async function openWithGdal({ folder, at, path, out, onError }) {
  const program = require.resolve('gdal3.js/node');
  // the package finds its own files from the folder that the process is in
  process.chdir(join(dirname(program), 'dist', 'package'));
  const gdal = await require(program)({ path: '.', dest: out, logHandler() {}, errorHandler: onError });
  const { FS, NODEFS } = gdal.Module;
  FS.mkdir(at);
  FS.mount(NODEFS, { root: folder }, at);
  const { datasets } = await gdal.open(path);
  return { gdal, dataset: datasets[0] };
}

/** What went wrong, from what GDAL told and from what was thrown, in at most 500 characters. */
export const failureOf = (errors, cause) =>
  [...errors, ...[cause].flat().map((each) => each?.message)].filter(Boolean).join('; ').slice(0, 500);

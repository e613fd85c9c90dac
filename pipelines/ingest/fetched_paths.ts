import { join } from 'node:path';
import { typed } from '../../schema/command_line.ts';
import type { Config, DatasetSettings } from '../../schema/config.ts';
import { FETCHED } from '../../schema/config_fetch.ts';
import { EtlError } from '../../schema/errors.ts';
import { currentManifest, downloadFolder, isInPlace } from '../../store/downloads/release_manifest.ts';

/** Returns the absolute paths of the files of the release fetched last. */
async function filesFetched(config: Config, dataset: string): Promise<string[]> {
  const folder = downloadFolder(config.data_dir, dataset);
  const manifest = await currentManifest(folder);
  if (manifest === null) {
    throw new EtlError(
      'not_fetched',
      `Dataset ${dataset} is read from fetched files, but none are fetched: run ${typed(`fetch ${dataset}`)}.`,
      { details: { dataset, folder } },
    );
  }
  for (const file of manifest.files) {
    if (await isInPlace(folder, file)) continue;
    const path = join(folder, file.path);
    throw new EtlError(
      'download_altered',
      `${path} is missing, or is not the ${file.bytes} bytes that were fetched. Run ${typed(`fetch ${dataset} --force`)}.`,
      { details: { dataset, path } },
    );
  }
  return manifest.files.map((file) => join(folder, file.path));
}

/**
 * Returns the path setting of a dataset, with `fetched` replaced by the files of the fetched release.
 * @throws EtlError not_fetched, download_altered
 */
export async function pathsOf(config: Config, dataset: string, settings: DatasetSettings): Promise<string[]> {
  const paths = [settings.path].flat();
  if (!paths.includes(FETCHED)) return paths;
  const fetched = await filesFetched(config, dataset);
  return paths.flatMap((path) => (path === FETCHED ? fetched : [path]));
}

import { readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import {
  currentManifest,
  keptManifest,
  manifestFolder,
  manifestNames,
  type ReleaseManifest,
} from './release_manifest.ts';

/**
 * Deletes all but the last `keep` releases of a dataset. A file that a kept release shares stays.
 * @returns labels of the deleted releases
 */
export async function pruneReleases(folder: string, keep: number): Promise<string[]> {
  const names = await manifestNames(folder);
  const current = await currentManifest(folder);
  if (current === null) return [];
  const currentPaths = new Set(current.files.map((file) => file.path));
  const removed: ReleaseManifest[] = [];
  for (const [i, name] of names.entries()) {
    const manifest = await keptManifest(folder, name);
    if (manifest === null) continue;
    const isKept = i >= names.length - keep || manifest.retrieved_at === current.retrieved_at;
    if (!isKept) removed.push(manifest);
    else for (const file of manifest.files) currentPaths.add(file.path);
    // Manifests first: a file without a manifest is only garbage, but a manifest must not lack its files.
    if (!isKept) await rm(join(manifestFolder(folder), name), { force: true });
  }
  for (const manifest of removed) {
    for (const { path } of manifest.files) {
      if (currentPaths.has(path) || path.split(/[\\/]/).includes('..')) continue;
      await rm(join(folder, path), { force: true });
      await removeEmpty(folder, dirname(path));
    }
  }
  return removed.map((manifest) => manifest.release);
}

/** Removes folders that became empty, from `path` upwards to the folder of the dataset. */
async function removeEmpty(folder: string, path: string): Promise<void> {
  for (let at = path; at !== '.' && at !== sep; at = dirname(at)) {
    const full = join(folder, at);
    if ((await readdir(full).catch(() => ['?'])).length > 0) return;
    await rmdir(full);
  }
}

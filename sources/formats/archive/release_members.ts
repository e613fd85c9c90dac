import { dirname, relative, sep } from 'node:path';
import { listZip, plainMember, type ZipMember } from './zip.ts';

/** Returns the deepest folder that contains all paths. */
export function commonFolder(paths: readonly string[]): string {
  let folder = dirname(paths[0] ?? '.');
  while (!paths.every((path) => path.startsWith(folder === sep ? sep : folder + sep))) {
    if (dirname(folder) === folder) return folder;
    folder = dirname(folder);
  }
  return folder;
}

/**
 * Finds the files of a release that `wanted` accepts by name: plain files, named below the folder they share, and members of its zips.
 * EtlErrors: `missing_file` and the errors of listZip.
 */
export async function membersIn(
  paths: readonly string[],
  isWanted: (name: string) => boolean,
): Promise<ZipMember[]> {
  const folder = commonFolder(paths.filter(isWanted));
  const members: ZipMember[] = [];
  for (const path of paths) {
    if (/\.zip$/i.test(path)) members.push(...(await listZip(path, isWanted)));
    else if (isWanted(path))
      members.push(await plainMember(path, relative(folder, path).split(sep).join('/')));
  }
  return members;
}

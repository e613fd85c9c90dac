import { basename, dirname, join } from 'node:path';

/** Returns the paths of a dataset: its folders, a glob per folder and extension if all such files belong to it, and its other files. */
export function datasetPaths(
  files: readonly string[],
  folders: readonly string[],
  all: readonly string[],
): string[] {
  const kind = (file: string): string => /(\.[a-z]+(\.gz|\.pbf)?)$/i.exec(basename(file))?.[1] ?? '';
  const inFolder = (folder: string, ending: string): string[] =>
    all.filter((file) => dirname(file) === folder && kind(file) === ending);
  const paths = files.map((file) => {
    if (folders.includes(file)) return file;
    const sameFolder = inFolder(dirname(file), kind(file));
    return sameFolder.length > 1 && sameFolder.every((each) => files.includes(each))
      ? join(dirname(file), `*${kind(file)}`)
      : file;
  });
  return [...new Set(paths)].sort();
}

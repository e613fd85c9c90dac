import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The repository's root, with a slash at the end. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** One source file; `path` counts from the root. */
export interface SourceFile {
  path: string;
  text: string;
}

/** All TypeScript and JavaScript modules under the given folders of the root, in path order. */
export function sourceFiles(folders: readonly string[]): SourceFile[] {
  return folders
    .flatMap((folder) =>
      readdirSync(ROOT + folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
        .map((entry) => `${entry.parentPath}/${entry.name}`.slice(ROOT.length)),
    )
    .sort()
    .map((path) => ({ path, text: readFileSync(ROOT + path, 'utf8') }));
}

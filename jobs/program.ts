import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inputsText } from '../pipelines/engine/fingerprint.ts';
import { graph } from '../pipelines/graph.ts';
import type { Config } from '../schema/config.ts';
import { EtlError } from '../schema/errors.ts';
import { shapeOfColumns } from '../schema/table.ts';
import { databaseIdentity, openPool } from '../store/database.ts';

/**
 * Everything that two processes must share to compute partitions of one run. Parts are hashed separately, so that a difference can be
 * named.
 */
export interface Program {
  /** Source code, locked dependencies, JavaScript engine. */
  code: string;
  /** Every stage: version, parameters, inputs with their scopes, columns of its output. Covers all of the configuration that stages read. */
  stages: string;
  /** Identity of the database, not its URL, which machines may write differently. */
  database: string;
}

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** Folders with code that affects the result of a partition or its request. */
const FOLDERS: readonly string[] = ['schema', 'transforms', 'sources', 'store', 'pipelines', 'jobs'];
/** Files that pin the dependencies. An npm package has no lock file. */
const LOCKS: readonly string[] = ['package-lock.json', 'package.json'];

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Digest of the code, independent of where its files are. */
async function codeDigest(): Promise<string> {
  const files = await Promise.all(
    FOLDERS.map(async (folder) =>
      (await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile() && /\.(ts|mts|mjs|json)$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length)),
    ),
  );
  const hash = createHash('sha256').update(process.versions.v8);
  const lock = LOCKS.find((file) => existsSync(join(ROOT, file)))!;
  for (const path of [lock, ...files.flat()].sort()) {
    hash.update(`\0${path.replaceAll('\\', '/')}\0`).update(await readFile(join(ROOT, path)));
  }
  return hash.digest('hex').slice(0, 16);
}

function stagesDigest(config: Config): string {
  return digest(
    JSON.stringify(
      graph(config).map((stage) => [
        stage.name,
        stage.version,
        stage.by,
        stage.params(config),
        inputsText(stage),
        stage.output.name,
        shapeOfColumns(stage.output.columns),
      ]),
    ),
  );
}

let code: Promise<string> | undefined;

/** Program of this process with a configuration and a database. */
export async function programOf(url: string, config: Config): Promise<Program> {
  code ??= codeDigest();
  const pool = openPool(url, 1);
  try {
    const client = await pool.connect();
    try {
      const database = digest(await databaseIdentity(client));
      return { code: await code, stages: stagesDigest(config), database };
    } finally {
      client.release();
    }
  } finally {
    await pool.end();
  }
}

const MEANING: Readonly<Record<keyof Program, string>> = {
  code: 'its code, dependencies or release of Node differ',
  stages: 'its configuration gives the stages other parameters',
  database: 'it works on another database',
};

/** Refuses work from another program. @throws EtlError worker_differs, naming the differences */
export function checkProgram(ownProgram: Program, theirs: Program): void {
  const differs = (Object.keys(MEANING) as (keyof Program)[]).filter(
    (part) => ownProgram[part] !== theirs[part],
  );
  if (differs.length === 0) return;
  throw new EtlError(
    'worker_differs',
    `This worker may not compute for the run: ${differs.map((part) => MEANING[part]).join('; ')}.`,
    { details: { differs } },
  );
}

import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../cli/load_config.ts';
import type { Check } from '../../pipelines/doctor/doctor.ts';
import type { Config } from '../../schema/config.ts';
import { membersOf, tinyTables, writeZip } from '../sources/gnaf/tiny_release.ts';
import { WAIT_MS } from '../waiting.ts';

const REPO = fileURLToPath(new URL('../../', import.meta.url));

/** What a command printed and how it ended. */
export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A folder that the account of an embedded server can enter. */
export function openFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cli-')));
  chmodSync(folder, 0o755);
  return folder;
}

/** Runs `pipeline` as a process of its own, without this process's own configuration; ended where it hangs. */
export function pipeline(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(PIPELINE_|DATABASE_URL$)/.test(name));
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ['cli/start.mjs', ...args],
      { cwd: REPO, env: { ...Object.fromEntries(inherited), ...env }, timeout: WAIT_MS },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

/** Writes a G-NAF release of three addresses and gives its path. */
export async function tinyGnaf(folder: string): Promise<string> {
  const path = join(folder, 'g-naf_nov25_vic_gda2020_psv.zip');
  await writeZip(path, membersOf(tinyTables()));
  return path;
}

/** Writes a configuration (JSON is YAML) and gives its path. */
export function writeConfig(folder: string, name: string, config: object): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(config));
  return path;
}

/** Checks by name. */
export const byName = (checks: readonly Check[]): Record<string, Check> =>
  Object.fromEntries(checks.map((each) => [each.check, each]));

/** Status of each check by name. */
export const statuses = (checks: readonly Check[]): Record<string, string> =>
  Object.fromEntries(checks.map((each) => [each.check, each.status]));

/** A configuration of defaults and settings, written as --set takes them. */
export const configWith = async (...set: string[]): Promise<Config> =>
  (await loadConfig({ set, dataDir: '.data/of-no-demo' }, {})).config;

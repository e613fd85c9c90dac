import { redisChecks } from '../../jobs/redis_checks.ts';
import { type Check, diagnose } from '../../pipelines/doctor/doctor.ts';
import { maskText, maskUrl } from '../../store/system/mask_url.ts';
import { withDatabase } from '../database.ts';
import { EXIT } from '../exit.ts';
import { type ConfigFlags, type LoadedConfig, loadConfig, type ValueOrigin } from '../load_config.ts';
import { printLine } from '../print.ts';
import { columns } from '../render.ts';

/** One effective value, secrets masked. */
export interface ConfigLine {
  path: string;
  value: unknown;
  origin: ValueOrigin;
}

const SECRET_NAME = /password|passwd|secret|token|credential|api_?key/i;
const URL_VALUE = /^[a-z][a-z0-9+.-]*:\/\//i;
const SERVERS: ReadonlySet<string> = new Set(['database.url', 'queue.redis_url']);
const MASK = '***';
/** URLs whose path may be the secret, as with chat services: only the host is shown. */
const HOST_ALONE: ReadonlySet<string> = new Set(['ops.webhook.url']);

/** Masks a value: null stays null, secrets become `***`, URLs lose their password. */
function masked(path: readonly string[], value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (path.some((name) => SECRET_NAME.test(name))) return MASK;
  if (typeof value === 'string' && HOST_ALONE.has(path.join('.')) && URL.canParse(value))
    return `${new URL(value).origin}/${MASK}`;
  if (typeof value === 'string') {
    return SERVERS.has(path.join('.')) || URL_VALUE.test(value) ? maskUrl(value) : maskText(value);
  }
  if (Array.isArray(value)) return value.map((item) => masked(path, item));
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked([...path, key], item)]));
}

/** Origin of a leaf, or of the nearest branch above it that was set as a whole. */
function originOf(path: readonly string[], origins: LoadedConfig['origins']): ValueOrigin {
  for (let length = path.length; length > 0; length--) {
    const origin = origins.get(path.slice(0, length).join('.'));
    if (origin) return origin;
  }
  return 'default';
}

/** Lists every leaf of the effective configuration with its origin. Lists and empty mappings count as leaves. */
export function effectiveConfig({ config, origins }: Pick<LoadedConfig, 'config' | 'origins'>): ConfigLine[] {
  const walk = (value: unknown, path: string[]): ConfigLine[] => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      const entries = Object.entries(value);
      if (entries.length > 0) return entries.flatMap(([key, item]) => walk(item, [...path, key]));
    }
    return [{ path: path.join('.'), value: masked(path, value), origin: originOf(path, origins) }];
  };
  return walk(config, []);
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Maximum settings and warnings in the short form. */
const LISTED = 10;

const checkLines = (checks: readonly Check[]): string =>
  columns(
    checks.flatMap((each) =>
      each.message.split('\n').map((line, i) => (i === 0 ? [each.status, each.check, line] : ['', '', line])),
    ),
  );

/** Renders everything, or in short the failed checks, the first warnings, and the settings that differ from the defaults. */
export function renderDoctor(
  file: string | null,
  config: readonly ConfigLine[],
  checks: readonly Check[],
  isVerbose: boolean,
): string {
  const of = (status: Check['status']): Check[] => checks.filter((each) => each.status === status);
  const [failed, warned] = [of('fail'), of('warn')];
  const set = config.filter(({ path, origin }) => origin !== 'default' && !path.startsWith('datasets.'));
  const settings = isVerbose ? config : set.slice(0, LISTED);
  const shownChecks = isVerbose ? checks : [...failed, ...warned.slice(0, LISTED)];
  const hidden = warned.length - LISTED;
  return [
    `configuration ${file ?? '(no file)'}`,
    ...(settings.length > 0
      ? [columns(settings.map((line) => [line.path, text(line.value), line.origin]))]
      : []),
    ...(isVerbose ? [] : [`  ${config.length - settings.length} more settings: --verbose`]),
    ...(shownChecks.length > 0 ? ['checks', checkLines(shownChecks)] : []),
    ...(!isVerbose && hidden > 0 ? [`  … and ${hidden} more warnings: --verbose`] : []),
    `${of('pass').length} passed, ${warned.length} warned, ${failed.length} failed`,
  ].join('\n');
}

/** Prints the effective configuration and the checks. Exit code: ok unless a check fails. */
export async function doctorCommand(
  flags: ConfigFlags & { json?: boolean; verbose?: boolean },
): Promise<void> {
  const loaded = await loadConfig(flags);
  const { base, file } = loaded;
  const config = effectiveConfig(loaded);
  const { redis_url } = loaded.config.queue;
  const reports = [
    ...(await diagnose({
      config: loaded.config,
      base,
      withDatabase: (work) => withDatabase(loaded.config, work),
    })),
    ...(redis_url === null ? [] : await redisChecks(redis_url)),
  ];
  const checks = reports.map((each) => ({ ...each, message: maskText(each.message) }));
  printLine(
    flags.json
      ? JSON.stringify({ config, checks })
      : renderDoctor(file, config, checks, flags.verbose ?? false),
  );
  process.exitCode = checks.some((each) => each.status === 'fail') ? EXIT.failed : EXIT.ok;
}

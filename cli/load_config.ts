import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { closest } from 'fastest-levenshtein';
import { parse } from 'yaml';
import { z } from 'zod';
import { plainIssue } from '../contract/answers/parameter_errors.ts';
import { readModels } from '../pipelines/models/read_models.ts';
import { typed } from '../schema/command_line.ts';
import { type Config, configSchema } from '../schema/config.ts';
import { EtlError } from '../schema/errors.ts';
import { isRecord } from '../schema/json_value.ts';
import { withLibpqTls } from '../store/system/tls_mode.ts';
import { printStatus } from './print.ts';

/** Source of an effective value. */
export type ValueOrigin = 'default' | 'file' | `environment ${string}` | `flag ${string}`;

export interface LoadedConfig {
  config: Config;
  /** Origin of each value that is not a default, by dotted path. */
  origins: ReadonlyMap<string, ValueOrigin>;
  /** Configuration file. Null: none was given or found. */
  file: string | null;
  /** Folder that relative dataset paths start from. */
  base: string;
}

export interface ConfigFlags {
  config?: string;
  dataDir?: string;
  workers?: string;
  log?: string;
  distribute?: boolean;
  set?: string[];
  json?: boolean;
}

/** File that `init` writes, and the default configuration. */
export const DEFAULT_FILE = 'pipeline.yaml';
/** Prefix of environment variables. Two underscores replace the dot of a path. */
const ENV_PREFIX = 'PIPELINE_';
/** Environment variables of this prefix that are not configuration. */
const ENV_OTHER: ReadonlySet<string> = new Set(['PIPELINE_CONFIG']);

type ConfigTree = { [key: string]: unknown };
interface ConfigJsonSchema {
  type?: string | string[];
  anyOf?: ConfigJsonSchema[];
  properties?: Record<string, ConfigJsonSchema>;
  additionalProperties?: ConfigJsonSchema | boolean;
}

/** JSON Schema of the configuration, built on the first lookup: that takes 8 ms. */
let cachedSchema: ConfigJsonSchema | undefined;

/** Schema at a path. Undefined: none. */
function schemaAt(path: readonly PropertyKey[]): ConfigJsonSchema | undefined {
  cachedSchema ??= z.toJSONSchema(configSchema, { io: 'input' }) as ConfigJsonSchema;
  let schema: ConfigJsonSchema | undefined = cachedSchema;
  for (const key of path) {
    schema =
      schema?.properties?.[String(key)] ??
      (typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined);
  }
  return schema;
}

/** Lists the names allowed at a path of the configuration. Null: any name. */
function namesAt(path: readonly PropertyKey[]): string[] | null {
  const { properties } = schemaAt(path) ?? {};
  return properties ? Object.keys(properties) : null;
}

function unknownKey(path: readonly PropertyKey[], key: string, where: string): EtlError {
  const names = namesAt(path);
  const full = [...path, key].map(String).join('.');
  const near =
    names && names.length > 0 ? ` Did you mean ${[...path, closest(key, names)].map(String).join('.')}?` : '';
  return new EtlError('config_unknown_key', `${where}: unknown key ${full}.${near}`, {
    details: { key: full },
  });
}

/** Sets a dotted path in a tree. Refuses names that the schema does not have. */
function assign(tree: ConfigTree, path: readonly string[], value: unknown, where: string): void {
  let node = tree;
  path.forEach((key, i) => {
    const names = namesAt(path.slice(0, i));
    if (names && !names.includes(key)) throw unknownKey(path.slice(0, i), key, where);
    if (i === path.length - 1) node[key] = value;
    else {
      if (!isRecord(node[key])) node[key] = {};
      node = node[key] as ConfigTree;
    }
  });
}

/** Removes credentials from the URLs in a text. */
const withoutCredentials = (text: string): string => text.replaceAll(/:\/\/\S*@/g, '://***@');

/** First line of a YAML error. Further lines quote the text, and with it possible secrets. */
const yamlFault = (error: unknown): string =>
  withoutCredentials((error as Error).message.split('\n')[0]!.replace(/:$/, ''));

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

/** Parses the value of an override as YAML. A text such as `2021` or `a: b` stays text if the schema wants text. */
function overrideValue(text: string, path: readonly string[], where: string): unknown {
  const schema = schemaAt(path);
  const kinds = [schema, ...(schema?.anyOf ?? [])].flatMap((each) => each?.type ?? []);
  const wantsText = kinds.includes('string');
  try {
    const value: unknown = parse(text);
    const fits = value === null || typeof value === 'string' || kinds.includes(kindOf(value));
    return fits || !wantsText ? value : text;
  } catch (error) {
    if (wantsText) return text;
    const message = `${where}: ${path.join('.')} is not valid YAML: ${yamlFault(error)}`;
    throw new EtlError('config_invalid', message);
  }
}

/** Dotted paths of a tree's leaves. */
function leaves(tree: unknown, path: string[] = []): string[] {
  if (!isRecord(tree)) return [path.join('.')];
  return Object.entries(tree).flatMap(([key, value]) => leaves(value, [...path, key]));
}

async function readFileTree(file: string): Promise<ConfigTree> {
  let text: string;
  try {
    if ((await stat(file)).isCharacterDevice()) throw new Error('it is a device');
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new EtlError(
      'config_missing',
      `Cannot read the configuration ${file}: ${(error as Error).message}`,
      {
        cause: error,
      },
    );
  }
  let tree: unknown;
  try {
    tree = parse(text);
    // An alias to its own parent never ends.
    JSON.stringify(tree);
  } catch (error) {
    throw new EtlError('config_invalid', `${file} is not valid YAML: ${yamlFault(error)}`);
  }
  if (tree !== null && !isRecord(tree))
    throw new EtlError('config_invalid', `${file}: the top level must be a mapping.`);
  return tree ?? {};
}

/** An override from the environment or a flag. */
interface Override {
  path: string[];
  value: unknown;
  origin: ValueOrigin;
}

function environmentOverrides(env: NodeJS.ProcessEnv): Override[] {
  const out: Override[] = [];
  for (const [name, text] of Object.entries(env)) {
    if (text === undefined || text === '') continue;
    if (name === 'DATABASE_URL')
      out.push({ path: ['database', 'url'], value: text, origin: `environment ${name}` });
    else if (name === 'REDIS_URL')
      out.push({ path: ['queue', 'redis_url'], value: text, origin: `environment ${name}` });
    else if (name.startsWith(ENV_PREFIX) && !ENV_OTHER.has(name)) {
      const path = name.slice(ENV_PREFIX.length).toLowerCase().split('__');
      const origin: ValueOrigin = `environment ${name}`;
      out.push({ path, value: overrideValue(text, path, origin), origin });
    }
  }
  return out;
}

function flagOverrides(flags: ConfigFlags): Override[] {
  const out: Override[] = [];
  if (flags.dataDir !== undefined)
    out.push({ path: ['data_dir'], value: flags.dataDir, origin: 'flag --data-dir' });
  if (flags.workers !== undefined) {
    const value = overrideValue(flags.workers, ['workers'], 'flag --workers');
    out.push({ path: ['workers'], value, origin: 'flag --workers' });
  }
  if (flags.log !== undefined) out.push({ path: ['log', 'format'], value: flags.log, origin: 'flag --log' });
  if (flags.distribute) out.push({ path: ['queue', 'distribute'], value: true, origin: 'flag --distribute' });
  for (const text of flags.set ?? []) {
    const at = text.indexOf('=');
    if (!/^[\w.-]+=/.test(text)) {
      // Anything other than a name may contain a secret.
      const quoted = /^[\w.-]+$/.test(text) ? ` ${text}` : '';
      throw new EtlError('config_invalid', `--set${quoted}: write it as --set path.to.key=value.`);
    }
    const path = text.slice(0, at).split('.');
    out.push({ path, value: overrideValue(text.slice(at + 1), path, 'flag --set'), origin: 'flag --set' });
  }
  return out;
}

/** Message of an issue, or of a nested issue that is more specific. */
function issueText(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_key') return `the name ${issue.issues.map((each) => each.message).join(', ')}`;
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    return issue.errors.map((branch) => branch.map((each) => each.message).join(', ')).join('; or: ');
  }
  return issue.message;
}

/** Lists everything that is wrong with a configuration, each with its path. */
function explainIssues(error: z.ZodError, where: string, origins: LoadedConfig['origins']): EtlError {
  for (const issue of error.issues) {
    if (issue.code === 'unrecognized_keys') return unknownKey(issue.path, issue.keys[0]!, where);
  }
  const lines = error.issues.map((issue) => {
    const path = issue.path.join('.');
    const origin = origins.get(path) ?? 'file';
    return `${path || '(top)'}${origin === 'file' ? '' : ` (${origin})`}: ${issueText(issue)}`;
  });
  return new EtlError('config_invalid', `${where}: ${lines.join('; ')}`);
}

/** Folder of the demo's sample country. */
export const demoFolder = (flags: ConfigFlags, env: NodeJS.ProcessEnv = process.env): string =>
  resolve(flags.dataDir ?? (env.PIPELINE_DATA_DIR || '.data'), 'sample');

/** Configuration that the demo writes into a folder. */
export const demoConfig = (folder: string): string => join(folder, 'config.yaml');

/**
 * Finds the configuration: --config or PIPELINE_CONFIG, else `pipeline.yaml` of this folder, else the demo's. Without a named
 * configuration, the demo's is not used with a server of the user's own, so that generated data never reach it. Null: none.
 */
export function findConfig(flags: ConfigFlags, env: NodeJS.ProcessEnv = process.env): string | null {
  const configPath = flags.config ?? env.PIPELINE_CONFIG;
  if (configPath !== undefined) return resolve(configPath);
  if (existsSync(DEFAULT_FILE)) return resolve(DEFAULT_FILE);
  const hasServer = overridesOf(flags, env).some(({ path }) => path.join('.') === 'database.url');
  const demo = demoConfig(demoFolder(flags, env));
  return !hasServer && existsSync(demo) ? demo : null;
}

const overridesOf = (flags: ConfigFlags, env: NodeJS.ProcessEnv): Override[] => [
  ...environmentOverrides(env),
  ...flagOverrides(flags),
];

/** Logs which configuration is used if no flag names one. */
function logConfigFile(file: string, isJson: boolean): void {
  const near = relative(process.cwd(), file);
  const shownPath = near.startsWith('..') ? file : near;
  printStatus(isJson ? JSON.stringify({ configuration: shownPath }) : `configuration: ${shownPath}`);
}

/** Returns a configuration whose URLs of PostgreSQL have the TLS modes of its manual. */
function withTls(config: Config): Config {
  const { database, service } = config;
  return {
    ...config,
    database: { ...database, url: database.url && withLibpqTls(database.url) },
    service: { ...service, read_url: service.read_url && withLibpqTls(service.read_url) },
  };
}

/** Loads the effective configuration: flag over environment over file over default. */
export async function loadConfig(
  flags: ConfigFlags,
  env: NodeJS.ProcessEnv = process.env,
): Promise<LoadedConfig> {
  const file = findConfig(flags, env);
  const tree = file === null ? {} : await readFileTree(file);
  const origins = new Map<string, ValueOrigin>();
  for (const path of leaves(tree)) if (path !== '') origins.set(path, 'file');
  for (const { path, value, origin } of overridesOf(flags, env)) {
    assign(tree, path, value, origin);
    const key = path.join('.');
    for (const knownKey of [...origins.keys()]) if (knownKey.startsWith(`${key}.`)) origins.delete(knownKey);
    origins.set(key, origin);
  }
  if (tree.datasets === undefined) tree.datasets = {};
  const parsed = configSchema.safeParse(tree, { error: plainIssue });
  if (!parsed.success) throw explainIssues(parsed.error, file ?? 'configuration', origins);
  if (file !== null && flags.config === undefined)
    logConfigFile(file, (flags.json ?? false) || parsed.data.log.format === 'json');
  const base = file === null ? process.cwd() : dirname(file);
  const models = file === null ? {} : await readModels(base);
  return { config: { ...withTls(parsed.data), ...models }, origins, file, base };
}

/** Loads the configuration. @throws EtlError config_no_datasets if it has no datasets */
export async function loadWithDatasets(flags: ConfigFlags): Promise<LoadedConfig> {
  const loaded = await loadConfig(flags);
  if (Object.keys(loaded.config.datasets).length === 0) {
    throw new EtlError(
      'config_no_datasets',
      loaded.file === null
        ? `No configuration: this folder has no pipeline.yaml and no demo. Create one with ${typed('init <folder>')} or ${typed('demo')}, or name one with --config.`
        : `${loaded.file} lists no datasets. Pass another configuration with --config; config/ has examples.`,
    );
  }
  return loaded;
}

import { type Config, configSchema } from '../../schema/config.ts';
import { maskText } from '../../store/system/mask_url.ts';
import { programVersion } from './program_version.ts';

/** Program of a run, and its settings that differ from the defaults. */
export interface RunProvenance {
  version: string;
  node: string;
  /** Values as JSON, by key. Datasets have only name, adapter and release. Keys that may have a secret are left out. */
  settings: Record<string, string>;
}

/** Keys whose values may be credentials, or are specific to this machine. */
const HIDDEN = /(^|[._])(url|token|password|secret|key|headers?|data_dir)($|[._])/i;

function leaves(value: unknown, at: string, into: Map<string, string>): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    if (!HIDDEN.test(at)) into.set(at, maskText(JSON.stringify(value) ?? 'null'));
    return;
  }
  for (const [name, each] of Object.entries(value)) leaves(each, at === '' ? name : `${at}.${name}`, into);
}

const leavesOf = (config: Config): Map<string, string> => {
  const into = new Map<string, string>();
  leaves({ ...config, datasets: {} }, '', into);
  for (const [name, { adapter, release }] of Object.entries(config.datasets))
    into.set(`datasets.${name}`, JSON.stringify(release == null ? adapter : `${adapter} ${release}`));
  return into;
};

/** Returns the program and settings of a run with this configuration. */
export function runProvenance(config: Config): RunProvenance {
  const defaults = leavesOf(configSchema.parse({ datasets: {} }));
  const settings = [...leavesOf(config)].filter(([key, value]) => defaults.get(key) !== value).sort();
  return { version: programVersion(), node: process.version, settings: Object.fromEntries(settings) };
}

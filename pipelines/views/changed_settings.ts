import type pg from 'pg';
import { type Config, configSchema } from '../../schema/config.ts';
import { headOf, type SettingChange } from '../engine/fingerprint.ts';
import { graph } from '../graph.ts';
import { runProvenance } from '../report/run_provenance.ts';

/** Settings of a run as its record has them: JSON texts by key. */
type RunSettings = Record<string, string>;

/** Maximum runs whose settings are read: the last ones that computed a partition. An older run counts as the first of them. */
const RUNS = 50;

/** Reads the settings of the runs that computed what is recorded, by run, in order. */
async function recordedSettings(client: pg.ClientBase): Promise<{ run_id: number; settings: RunSettings }[]> {
  const { rows } = await client.query<{ run_id: number; settings: RunSettings }>(
    `SELECT run_id, report #> '{made_by,settings}' AS settings FROM control.run
     WHERE run_id IN (SELECT run_id FROM control.partition GROUP BY run_id ORDER BY run_id DESC LIMIT ${RUNS})
       AND report #> '{made_by,settings}' IS NOT NULL ORDER BY run_id`,
  );
  return rows;
}

/** Returns a value of a configuration by its path; undefined: there is none. */
const valueAt = (config: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, name) => (value as Record<string, unknown> | null | undefined)?.[name],
    config,
  );

/** Returns a copy of a configuration with another value; null: the configuration has no such path. */
function withValue(config: Config, path: readonly string[], value: unknown): Config | null {
  const copy = structuredClone(config);
  const parent = valueAt(copy, path.slice(0, -1));
  if (typeof parent !== 'object' || parent === null) return null;
  (parent as Record<string, unknown>)[path.at(-1)!] = value;
  return copy;
}

/** What a configuration declares of a stage besides its rows. */
interface Declaration {
  params: string;
  inputs: ReadonlyMap<string, string>;
}

const declarations = (config: Config): Map<string, Declaration> =>
  new Map(
    graph(config).map(({ name, params, inputs }) => [
      name,
      {
        params: JSON.stringify(params(config)),
        inputs: new Map(Object.entries(inputs).map(([input, declared]) => [input, headOf(declared)])),
      },
    ]),
  );

/** Compares the settings of a run with today's. Returns the stages that depend on a difference, each with it. */
function compareSettings(before: RunSettings, config: Config): Map<string, SettingChange> {
  const now = runProvenance(config).settings;
  const defaults = configSchema.parse({ datasets: {} });
  const declared = declarations(config);
  const changes = new Map<string, { parts: string[]; inputs: Set<string> }>();
  for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
    if (before[key] === now[key] || key.startsWith('datasets.')) continue;
    const path = key.split('.');
    const old = before[key] === undefined ? valueAt(defaults, path) : JSON.parse(before[key]);
    const earlier = withValue(config, path, old);
    if (earlier === null) continue;
    for (const [stage, { params, inputs }] of declarations(earlier)) {
      const current = declared.get(stage);
      const otherInputs = [...inputs].filter(([name, head]) => current?.inputs.get(name) !== head);
      if (current?.params === params && otherInputs.length === 0) continue;
      const change = changes.get(stage) ?? { parts: [], inputs: new Set() };
      changes.set(stage, change);
      change.parts.push(`${key} ${JSON.stringify(old)} → ${JSON.stringify(valueAt(config, path))}`);
      for (const [name] of otherInputs) change.inputs.add(name);
    }
  }
  return new Map(
    [...changes].map(([stage, { parts, inputs }]) => [
      stage,
      { reason: `setting ${parts.join(', ')}`, inputs },
    ]),
  );
}

/** Returns the settings of a stage that have changed since a run; undefined: none. */
export type SettingsSince = (stage: string, run: number) => SettingChange | undefined;

/** Reads the settings of earlier runs, killed and failed ones too, and returns what has changed since each. */
export async function changedSettings(client: pg.ClientBase, config: Config): Promise<SettingsSince> {
  const runs = await recordedSettings(client);
  const changesBySettings = new Map<string, Map<string, SettingChange>>();
  return (stage, run) => {
    const before = runs.find(({ run_id }) => run_id >= run)?.settings;
    if (before === undefined) return undefined;
    const key = JSON.stringify(before);
    const changes = changesBySettings.get(key) ?? compareSettings(before, config);
    changesBySettings.set(key, changes);
    return changes.get(stage);
  };
}

import type pg from 'pg';
import { type Config, configSchema } from '../../schema/config.ts';
import { inputsText } from '../engine/fingerprint.ts';
import { graph } from '../graph.ts';
import { runProvenance } from '../report/run_provenance.ts';

/** Reads the settings of the last refresh or backfill that has a report; null: none. */
async function settingsBefore(client: pg.ClientBase): Promise<Record<string, string> | null> {
  const { rows } = await client.query<{ settings: Record<string, string> }>(
    `SELECT report #> '{made_by,settings}' AS settings FROM control.run
     WHERE report #> '{made_by,settings}' IS NOT NULL AND command <> 'rollback' ORDER BY run_id DESC LIMIT 1`,
  );
  return rows[0]?.settings ?? null;
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

/** Returns what a configuration declares of each stage besides its rows, by stage. */
const declarations = (config: Config): Map<string, string> =>
  new Map(
    graph(config).map((stage) => [stage.name, JSON.stringify(stage.params(config)) + inputsText(stage)]),
  );

/**
 * Finds the stages that depend on a setting that has changed since the last run, each with the reason:
 * `setting hazards.radius_m 1000 → 900`.
 */
export async function changedSettings(client: pg.ClientBase, config: Config): Promise<Map<string, string>> {
  const reasons = new Map<string, string[]>();
  const before = await settingsBefore(client);
  if (before === null) return new Map();
  const now = runProvenance(config).settings;
  const defaults = configSchema.parse({ datasets: {} });
  const declared = declarations(config);
  for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
    if (before[key] === now[key] || key.startsWith('datasets.')) continue;
    const path = key.split('.');
    const old = before[key] === undefined ? valueAt(defaults, path) : JSON.parse(before[key]);
    const earlier = withValue(config, path, old);
    if (earlier === null) continue;
    const current = valueAt(config, path);
    for (const [stage, text] of declarations(earlier)) {
      if (declared.get(stage) === text) continue;
      const reason = `${key} ${JSON.stringify(old)} → ${JSON.stringify(current)}`;
      reasons.set(stage, [...(reasons.get(stage) ?? []), reason]);
    }
  }
  return new Map([...reasons].map(([stage, parts]) => [stage, `setting ${parts.join(', ')}`]));
}

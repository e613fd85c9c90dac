import { createHash } from 'node:crypto';
import type { StageInput } from './input.ts';
import type { Stage } from './stage.ts';

/** Everything that a partition's result depends on. Each part is hashed separately, so a change can be named. */
export interface Fingerprint {
  version: number;
  params: string;
  inputs: Record<string, string>;
}

/** Returns a short hash of a text, for fingerprints. */
export const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 24);

/** Returns the properties of an input that its digest covers besides its rows. */
export function headOf(input: StageInput): string {
  const scope = JSON.stringify(input.scope, (key, value) =>
    key === 'table' || key === 'around' ? value.name : value,
  );
  return JSON.stringify([input.table.name, input.columns, input.where ?? '', scope]);
}

/** Returns the properties of all inputs of a stage, without rows, as one text. */
export const inputsText = (stage: Stage): string =>
  JSON.stringify(Object.entries(stage.inputs).map(([name, input]) => [name, headOf(input)]));

/** Reason of a partition that no run has computed. */
export const NOT_COMPUTED = 'not computed yet';

/** Settings that have changed since a partition was computed, as far as its stage depends on them. */
export interface SettingChange {
  /** `setting hazards.radius_m 1000 → 900` */
  reason: string;
  /** Inputs that are declared otherwise, so that their digests differ though their rows may be equal. */
  inputs: ReadonlySet<string>;
}

/** Describes the difference between two fingerprints; null: they are equal. A changed setting is named before changed rows. */
export function difference(
  recorded: Fingerprint | undefined,
  current: Fingerprint,
  setting?: SettingChange,
): string | null {
  if (!recorded) return NOT_COMPUTED;
  if (recorded.version !== current.version) return `stage version ${recorded.version} → ${current.version}`;
  const isOtherParams = recorded.params !== current.params;
  const names = Object.keys({ ...recorded.inputs, ...current.inputs });
  const changed = names.filter((name) => recorded.inputs[name] !== current.inputs[name]);
  if (!isOtherParams && changed.length === 0) return null;
  const rows = changed.filter((name) => !setting?.inputs.has(name));
  return [
    ...(setting ? [setting.reason] : isOtherParams ? ['parameters changed'] : []),
    ...(rows.length > 0 ? [`changed: ${rows.join(', ')}`] : []),
  ].join('; ');
}

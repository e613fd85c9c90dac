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

/**
 * Describes the difference between two fingerprints; null: they are equal. `setting`: a changed setting, which changes parameters and the
 * digests of inputs.
 */
export function difference(
  recorded: Fingerprint | undefined,
  current: Fingerprint,
  setting?: string,
): string | null {
  if (!recorded) return NOT_COMPUTED;
  if (recorded.version !== current.version) return `stage version ${recorded.version} → ${current.version}`;
  if (recorded.params !== current.params) return setting ?? 'parameters changed';
  const names = Object.keys({ ...recorded.inputs, ...current.inputs });
  const changed = names.filter((name) => recorded.inputs[name] !== current.inputs[name]);
  return changed.length === 0 ? null : (setting ?? `changed: ${changed.join(', ')}`);
}

import { createHash } from 'node:crypto';
import type { StageInput } from './input.ts';
import type { Stage } from './stage.ts';

/** Everything a partition's result depends on, each part hashed on its own so that a change can be named. */
export interface Fingerprint {
  version: number;
  params: string;
  inputs: Record<string, string>;
}

/** Short hash of a text, for fingerprints. */
export const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 24);

/** What a digest says of the input besides its rows. */
export function headOf(input: StageInput): string {
  const scope = JSON.stringify(input.scope, (key, value) =>
    key === 'table' || key === 'around' ? value.name : value,
  );
  return JSON.stringify([input.table.name, input.columns, input.where ?? '', scope]);
}

/** Everything that the digests of a stage's inputs say besides their rows, as one text. */
export const inputsText = (stage: Stage): string =>
  JSON.stringify(Object.entries(stage.inputs).map(([name, input]) => [name, headOf(input)]));

/** Says in words what differs between two fingerprints, or null where nothing does. */
export function difference(recorded: Fingerprint | undefined, current: Fingerprint): string | null {
  if (!recorded) return 'not computed yet';
  if (recorded.version !== current.version) return `stage version ${recorded.version} → ${current.version}`;
  if (recorded.params !== current.params) return 'parameters changed';
  const names = Object.keys({ ...recorded.inputs, ...current.inputs });
  const changed = names.filter((name) => recorded.inputs[name] !== current.inputs[name]);
  return changed.length === 0 ? null : `changed: ${changed.join(', ')}`;
}

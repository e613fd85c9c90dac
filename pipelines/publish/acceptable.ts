import { closest } from 'fastest-levenshtein';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { servingTables } from '../../schema/model.ts';
import { STATE_OF_DIGIT } from '../../schema/states.ts';
import { acceptableDatasetGates } from './dataset_gates.ts';
import { acceptableGates } from './gates.ts';
import { independentGate } from './independent/facts.ts';
import { RECOMPUTE } from './independent/recompute.ts';
import { auditGate, modelGate } from './own_checks.ts';

/** Returns the names of gates that an operator can accept, except gates of missing models. */
const namesOf = (config: Config): string[] => [
  ...acceptableGates(servingTables(config), Object.values(STATE_OF_DIGIT)),
  ...acceptableDatasetGates(Object.keys(config.datasets)),
  ...Object.keys(RECOMPUTE).map(independentGate),
  ...config.audits.map(({ name }) => auditGate(name)),
];

/** Returns whether an operator can accept a gate. Keys and references cannot be accepted. */
export const isAcceptable = (gate: string, config: Config): boolean =>
  gate.startsWith(modelGate('')) || namesOf(config).includes(gate);

/** Rejects names that are not gates before the run starts. @throws EtlError config_invalid */
export function checkAccepted(gates: readonly string[], reason: string | undefined, config: Config): void {
  if (gates.length > 0 && !reason?.trim())
    throw new EtlError('config_invalid', '--accept needs --reason; the publication records it.');
  for (const gate of gates) {
    if (isAcceptable(gate, config)) continue;
    const near = closest(gate, namesOf(config));
    throw new EtlError('config_invalid', `--accept ${gate}: no gate has that name. Did you mean ${near}?`);
  }
}

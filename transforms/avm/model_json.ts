import { arrayName, MODEL_MAGIC, unpackValue } from './artefact.ts';
import { EVIDENCE_MAGIC } from './day_evidence.ts';

/** Layout of the file. */
const FORMAT = 'avm-model-1';

/** A number that JSON lacks, as its name. */
const numberOrText = (value: number): number | string => (Number.isFinite(value) ? value : String(value));

/** Replaces what JSON cannot hold: typed arrays and maps become objects with one key, such as `{"$f64": [1, "NaN"]}` or `{"$map": [[key, value]]}`. */
function toPlain(value: unknown): unknown {
  const name = arrayName(value);
  if (name !== null) return { [`$${name}`]: Array.from(value as Iterable<number>, numberOrText) };
  if (value instanceof Map) return { $map: [...value].map(([key, own]) => [key, toPlain(own)]) };
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, own]) => [key, toPlain(own)]));
}

/**
 * Writes a model as JSON, from its packed bytes: `model` has settings, features, bins, medians and trees, `evidence` the sales that it
 * values homes by, with their prices.
 */
export const modelJson = (
  about: Readonly<Record<string, string>>,
  artefact: Uint8Array,
  evidence: Uint8Array,
): string =>
  JSON.stringify({
    format: FORMAT,
    ...about,
    model: toPlain(unpackValue(MODEL_MAGIC, artefact)),
    evidence: toPlain(unpackValue(EVIDENCE_MAGIC, evidence)),
  });

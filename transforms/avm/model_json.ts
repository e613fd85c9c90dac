import { EtlError } from '../../schema/errors.ts';
import {
  ARRAYS,
  type ArrayName,
  arrayName,
  MODEL_MAGIC,
  packValue,
  unpackModel,
  unpackValue,
} from './artefact.ts';
import { EVIDENCE_MAGIC, unpackEvidence } from './day_evidence.ts';
import type { DayEvidence } from './evidence.ts';
import type { AvmModel } from './model.ts';

/** Layout of the file; a reader refuses another one. */
const FORMAT = 'avm-model-1';

/** A number that JSON lacks, as its name. */
const named = (value: number): number | string => (Number.isFinite(value) ? value : String(value));

/** Replaces what JSON cannot hold: typed arrays and maps become objects with one key, such as `{"$f64": [1, "NaN"]}` or `{"$map": [[key, value]]}`. */
function toPlain(value: unknown): unknown {
  const name = arrayName(value);
  if (name !== null) return { [`$${name}`]: Array.from(value as Iterable<number>, named) };
  if (value instanceof Map) return { $map: [...value].map(([key, own]) => [key, toPlain(own)]) };
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, own]) => [key, toPlain(own)]));
}

function fromPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromPlain);
  if (typeof value !== 'object' || value === null) return value;
  const [[first, own] = ['', null]] = Object.entries(value);
  if (first === '$map')
    return new Map((own as [string, unknown][]).map(([key, each]) => [key, fromPlain(each)]));
  const type = ARRAYS[first.slice(1) as ArrayName];
  if (first.startsWith('$') && type !== undefined) return type.from((own as (number | string)[]).map(Number));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fromPlain(each)]));
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

/** Reads the JSON of `modelJson`. Values are exactly those of the model. @throws EtlError avm_artefact for another format */
export function readModelJson(text: string): { model: AvmModel; evidence: DayEvidence } {
  const { format, model, evidence } = JSON.parse(text) as Record<string, unknown>;
  if (format !== FORMAT)
    throw new EtlError(
      'avm_artefact',
      `The file has format ${String(format)}; this program reads ${FORMAT}.`,
    );
  return {
    model: unpackModel(packValue(MODEL_MAGIC, fromPlain(model) as object)),
    evidence: unpackEvidence(packValue(EVIDENCE_MAGIC, fromPlain(evidence) as object)),
  };
}

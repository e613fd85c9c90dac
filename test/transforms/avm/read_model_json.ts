import {
  ARRAYS,
  type ArrayName,
  MODEL_MAGIC,
  packValue,
  unpackModel,
} from '../../../transforms/avm/artefact.ts';
import { EVIDENCE_MAGIC, unpackEvidence } from '../../../transforms/avm/day_evidence.ts';
import type { DayEvidence } from '../../../transforms/avm/evidence.ts';
import type { AvmModel } from '../../../transforms/avm/model.ts';

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

/** Reads a model as `export --models` writes it. */
export function readModelJson(text: string): { model: AvmModel; evidence: DayEvidence } {
  const { format, model, evidence } = JSON.parse(text) as Record<string, unknown>;
  if (format !== 'avm-model-1') throw new TypeError(`The file has format ${String(format)}.`);
  return {
    model: unpackModel(packValue(MODEL_MAGIC, fromPlain(model) as object)),
    evidence: unpackEvidence(packValue(EVIDENCE_MAGIC, fromPlain(evidence) as object)),
  };
}

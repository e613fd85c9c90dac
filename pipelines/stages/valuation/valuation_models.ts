import { avmChoiceAsset, VALUATION_KINDS, valuationHomeAsset } from '../../../schema/assets/valuation.ts';
import { modelOfPartition } from '../../../schema/model_partition.ts';
import type { Row } from '../../../schema/table.ts';
import { unpackModel } from '../../../transforms/avm/artefact.ts';
import { unpackEvidence } from '../../../transforms/avm/day_evidence.ts';
import type { DayEvidence } from '../../../transforms/avm/evidence.ts';
import type { AvmModel, ValuationKind } from '../../../transforms/avm/model.ts';
import { Calibrator } from '../../../transforms/avm/predict.ts';
import type { DeclaredReader } from '../../engine/declared_reader.ts';
import { input } from '../../engine/input.ts';

/** Inputs with the models that value a partition's properties. `of` selects model partitions by kind. */
const inputsOf = <const K extends 'artefact' | 'evidence'>(
  columns: readonly K[],
  of?: (home: number) => boolean,
) => ({
  model: input(avmChoiceAsset, ['kind', 'state', 'region', ...columns], {
    kind: 'resource',
    homes: { table: valuationHomeAsset, ...(of && { of }) },
  }),
});

/** Inputs with the models that `of` selects, without their training sales. */
export const modelInputs = (of: (home: number) => boolean) => inputsOf(['artefact'], of);

/** Inputs with the models of both kinds and their training sales. */
export const VALUATION_INPUTS = inputsOf(['artefact', 'evidence']);

/** A model with the sales that its valuations use. */
export interface ReadyModel {
  model: AvmModel;
  evidence: DayEvidence;
  calibrator: Calibrator;
}

/** Region of the model that values the properties of a state. */
export type ModelChoice = Pick<Row<typeof avmChoiceAsset>, 'kind' | 'state' | 'region'>;

/** Models of some states. */
export class ValuationModels {
  readonly #regions: ReadonlyMap<string, string>;
  readonly #models: ReadonlyMap<string, ReadyModel>;

  constructor(choices: readonly ModelChoice[], models: ReadonlyMap<string, ReadyModel>) {
    this.#regions = new Map(choices.map(({ kind, state, region }) => [`${kind}|${state}`, region]));
    this.#models = models;
  }

  /** Returns the model of a state, else the national one; null: neither exists. */
  of(kind: ValuationKind, state: string): ReadyModel | null {
    return this.#models.get(`${kind}|${this.#regions.get(`${kind}|${state}`)}`) ?? null;
  }
}

/** State and national models, as an item of FROM. */
export const EVERY_MODEL =
  '(SELECT * FROM asset.avm_model UNION ALL SELECT * FROM asset.avm_pooled_model) AS every_model';

/** Unpacks each chosen model once, by kind and region: several states may share the national model. */
function eachChosen<C extends ModelChoice, M>(
  choices: readonly C[],
  unpack: (choice: C) => M,
): Map<string, M> {
  const models = new Map<string, M>();
  for (const choice of choices) {
    const key = `${choice.kind}|${choice.region}`;
    if (!models.has(key)) models.set(key, unpack(choice));
  }
  return models;
}

/** Reads the models that value properties of these states, and which model values which state. */
export async function readChosenModels(
  reader: DeclaredReader<ReturnType<typeof modelInputs>>,
  states: readonly string[],
  kinds: readonly ValuationKind[],
): Promise<{ choices: ModelChoice[]; models: Map<string, AvmModel> }> {
  const choices = await reader.rows('model', { state: states, kind: kinds });
  return { choices, models: eachChosen(choices, ({ artefact }) => unpackModel(artefact)) };
}

/** Reads the models that value properties of these states, with the sales that their valuations use. */
export async function readValuationModels(
  reader: DeclaredReader<typeof VALUATION_INPUTS>,
  states: readonly string[],
): Promise<ValuationModels> {
  const choices = await reader.rows('model', { state: states, kind: VALUATION_KINDS });
  const models = eachChosen(choices, ({ artefact, evidence }): ReadyModel => {
    const model = unpackModel(artefact);
    return { model, evidence: unpackEvidence(evidence), calibrator: new Calibrator(model) };
  });
  return new ValuationModels(choices, models);
}

/** Converts the model partitions of scope `resource` (schema/model_partition.ts) to states as a resource key, and back. */
export const statesKey = (homes: readonly number[]): string =>
  [...new Set(homes.map((home) => modelOfPartition(home).state))].sort().join(',');
export const statesOfKey = (key: string): string[] => (key === '' ? [] : key.split(','));

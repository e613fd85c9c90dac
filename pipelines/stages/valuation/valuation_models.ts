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

/** The models that value the homes of a partition, of the kinds that `of` picks by the partition of the model. */
const inputsOf = <const K extends 'artefact' | 'evidence'>(
  columns: readonly K[],
  of?: (home: number) => boolean,
) => ({
  model: input(avmChoiceAsset, ['kind', 'state', 'region', ...columns], {
    kind: 'resource',
    homes: { table: valuationHomeAsset, ...(of && { of }) },
  }),
});

/** The models of the kinds that `of` picks, without the sales that they value by. */
export const modelInputs = (of: (home: number) => boolean) => inputsOf(['artefact'], of);

/** The models of both kinds with the sales that they value by. */
export const VALUATION_INPUTS = inputsOf(['artefact', 'evidence']);

/** A model with the sales that it values by. */
export interface ReadyModel {
  model: AvmModel;
  evidence: DayEvidence;
  calibrator: Calibrator;
}

/** The region of the model that values the homes of a state. */
export type ModelChoice = Pick<Row<typeof avmChoiceAsset>, 'kind' | 'state' | 'region'>;

/** The models of some states. */
export class ValuationModels {
  readonly #regions: ReadonlyMap<string, string>;
  readonly #models: ReadonlyMap<string, ReadyModel>;

  constructor(choices: readonly ModelChoice[], models: ReadonlyMap<string, ReadyModel>) {
    this.#regions = new Map(choices.map(({ kind, state, region }) => [`${kind}|${state}`, region]));
    this.#models = models;
  }

  /** The model of a state, else that of the whole country; null: there is neither. */
  of(kind: ValuationKind, state: string): ReadyModel | null {
    return this.#models.get(`${kind}|${this.#regions.get(`${kind}|${state}`)}`) ?? null;
  }
}

/** The models of the states and of the whole country, as an item of FROM. */
export const EVERY_MODEL =
  '(SELECT * FROM asset.avm_model UNION ALL SELECT * FROM asset.avm_pooled_model) AS every_model';

/** Each chosen model once, by kind and region: several states may have that of the whole country. */
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

/** The models that value homes of these states, and which one does so in which state. */
export async function readChosenModels(
  reader: DeclaredReader<ReturnType<typeof modelInputs>>,
  states: readonly string[],
  kinds: readonly ValuationKind[],
): Promise<{ choices: ModelChoice[]; models: Map<string, AvmModel> }> {
  const choices = await reader.rows('model', { state: states, kind: kinds });
  return { choices, models: eachChosen(choices, ({ artefact }) => unpackModel(artefact)) };
}

/** Reads the models that value homes of these states, with the sales that they value by. */
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

/** The states of homes of scope `resource` (schema/model_partition.ts), as the key of a resource, and back. */
export const statesKey = (homes: readonly number[]): string =>
  [...new Set(homes.map((home) => modelOfPartition(home).state))].sort().join(',');
export const statesOfKey = (key: string): string[] => (key === '' ? [] : key.split(','));

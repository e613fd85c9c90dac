import {
  avmChoiceAsset,
  avmModelAsset,
  avmPooledModelAsset,
  VALUATION_KINDS,
  valuationHomeAsset,
  valuationSaleAsset,
} from '../../schema/assets/valuation.ts';
import { modelOfPartition } from '../../schema/model_partition.ts';
import type { Row } from '../../schema/table.ts';
import { unpackModel } from '../../transforms/avm/artefact.ts';
import { buildEvidence, type Evidence } from '../../transforms/avm/evidence.ts';
import { evidenceOfDay } from '../../transforms/avm/features.ts';
import type { AvmModel, ValuationKind } from '../../transforms/avm/model.ts';
import { POOLED } from '../../transforms/avm/model.ts';
import { Calibrator } from '../../transforms/avm/predict.ts';
import { knownSales } from '../../transforms/avm/train.ts';
import { SALE_RULES, validateSales } from '../../transforms/avm/validate_sales.ts';
import type { DeclaredReader } from '../engine/declared_reader.ts';
import { input } from '../engine/input.ts';
import { SALE_COLUMNS, saleTableOf } from './home_table.ts';
import { pooledSales } from './pooled_sales.ts';

type SaleRow = Row<typeof valuationSaleAsset>;

/** Whatever a model is made from, its sales included, makes its id, which the chosen models are told by. */
const TOLD = { kind: 'resource', toldBy: 'model' } as const;
const MODEL_COLUMNS = ['kind', 'region', 'artefact'] as const;

/** The models that value the homes of a partition, of the kinds that `of` picks by the partition of the model. */
export const modelInputs = (of?: (home: number) => boolean) => ({
  model: input(avmChoiceAsset, ['kind', 'state', 'region', 'model_id'], {
    kind: 'resource',
    homes: { table: valuationHomeAsset, ...(of && { of }) },
  }),
  state_model: input(avmModelAsset, MODEL_COLUMNS, TOLD),
  pooled_model: input(avmPooledModelAsset, MODEL_COLUMNS, TOLD),
});

/** The models of both kinds with the sales that they value by. */
export const VALUATION_INPUTS = {
  ...modelInputs(),
  evidence: input(valuationSaleAsset, SALE_COLUMNS, TOLD),
};

/** A model with the sales that it values by. */
export interface ReadyModel {
  model: AvmModel;
  /** As of the day of the model, see evidenceOfDay. */
  evidence: Evidence;
  calibrator: Calibrator;
}

/** The region of the model that values the homes of a state. */
export type Choice = Pick<Row<typeof avmChoiceAsset>, 'kind' | 'state' | 'region'>;

/** The models of some states; the evidence of one is built when it is first asked for. */
export class ValuationModels {
  readonly #regions: ReadonlyMap<string, string>;
  readonly #models: ReadonlyMap<string, AvmModel>;
  readonly #sales: ReadonlyMap<string, SaleRow[]>;
  readonly #ready = new Map<string, ReadyModel>();

  constructor(
    choices: readonly Choice[],
    models: ReadonlyMap<string, AvmModel>,
    sales: ReadonlyMap<string, SaleRow[]>,
  ) {
    this.#regions = new Map(choices.map(({ kind, state, region }) => [`${kind}|${state}`, region]));
    this.#models = models;
    this.#sales = sales;
  }

  /** The model of a state, else that of the whole country; null: there is neither. */
  of(kind: ValuationKind, state: string): ReadyModel | null {
    const key = `${kind}|${this.#regions.get(`${kind}|${state}`)}`;
    const model = this.#models.get(key);
    if (!model) return null;
    let ready = this.#ready.get(key);
    if (!ready) {
      const given = saleTableOf(this.#sales.get(key) ?? []);
      const { sales } = validateSales(given, {}, model.as_of, SALE_RULES[kind]);
      const known = knownSales(sales, model.as_of, model.params.evidence);
      const evidence = buildEvidence(known, model.params.evidence);
      const calibrator = new Calibrator(model);
      ready = { model, evidence: evidenceOfDay(evidence, model.as_of), calibrator };
      this.#ready.set(key, ready);
    }
    return ready;
  }
}

/** The models of the states and of the whole country, as an item of FROM. */
export const EVERY_MODEL =
  '(SELECT * FROM asset.avm_model UNION ALL SELECT * FROM asset.avm_pooled_model) AS every_model';

/** The models that value homes of these states, and which one does so in which state. */
export async function readChosenModels(
  reader: DeclaredReader<ReturnType<typeof modelInputs>>,
  states: readonly string[],
  kinds: readonly ValuationKind[],
): Promise<{ choices: Choice[]; models: Map<string, AvmModel> }> {
  const choices = await reader.rows('model', { state: states, kind: kinds });
  const models = new Map<string, AvmModel>();
  for (const { kind, region } of choices) {
    const key = `${kind}|${region}`;
    if (models.has(key)) continue;
    const [row] = await reader.rows(region === POOLED ? 'pooled_model' : 'state_model', { kind, region });
    models.set(key, unpackModel(row!.artefact));
  }
  return { choices, models };
}

/** The states whose homes a model of their own values. */
async function statesWithOwn(
  reader: DeclaredReader<ReturnType<typeof modelInputs>>,
  kind: ValuationKind,
): Promise<ReadonlySet<string>> {
  const choices = await reader.rows('model', { kind });
  return new Set(choices.filter(({ state, region }) => region === state).map(({ state }) => state));
}

/** Reads the models that value homes of these states, and the sales that they value by. */
export async function readValuationModels(
  reader: DeclaredReader<typeof VALUATION_INPUTS>,
  states: readonly string[],
): Promise<ValuationModels> {
  const { choices, models } = await readChosenModels(reader, states, VALUATION_KINDS);
  const sales = new Map<string, SaleRow[]>();
  for (const key of models.keys()) {
    const [kind, region] = key.split('|') as [ValuationKind, string];
    const read = (state: string) => reader.rows('evidence', { kind, state }) as Promise<SaleRow[]>;
    sales.set(
      key,
      region === POOLED ? await pooledSales(read, await statesWithOwn(reader, kind)) : await read(region),
    );
  }
  return new ValuationModels(choices, models, sales);
}

/** The states of homes of scope `resource` (schema/model_partition.ts), as the key of a resource, and back. */
export const statesKey = (homes: readonly number[]): string =>
  [...new Set(homes.map((home) => modelOfPartition(home).state))].sort().join(',');
export const statesOfKey = (key: string): string[] => (key === '' ? [] : key.split(','));

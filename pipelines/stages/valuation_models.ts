import type { ClientBase } from 'pg';
import { STATE_NAMES } from '../../schema/states.ts';
import type { Row } from '../../schema/table.ts';
import {
  avmModelAsset,
  avmPooledModelAsset,
  VALUATION_KINDS,
  valuationSaleAsset,
} from '../../schema/valuation_assets.ts';
import { readAll } from '../../store/assets.ts';
import { unpackModel } from '../../transforms/avm/artefact.ts';
import { buildEvidence, type Evidence } from '../../transforms/avm/evidence.ts';
import type { AvmModel, ValuationKind } from '../../transforms/avm/model.ts';
import { knownSales } from '../../transforms/avm/train.ts';
import { SALE_RULES, validateSales } from '../../transforms/avm/validate_sales.ts';
import { POOLED, SALE_COLUMNS, saleTableOf } from './home_table.ts';

type SaleRow = Row<typeof valuationSaleAsset>;

/** A model with the sales that it values by. */
export interface ReadyModel {
  model: AvmModel;
  evidence: Evidence;
}

/** The models of all regions; the evidence of one is built when it is first asked for. */
export class ValuationModels {
  readonly #models: Map<string, AvmModel>;
  readonly #sales: Map<string, SaleRow[]>;
  readonly #ready = new Map<string, ReadyModel>();

  constructor(models: Map<string, AvmModel>, sales: Map<string, SaleRow[]>) {
    this.#models = models;
    this.#sales = sales;
  }

  /** The model of a state, else that of the whole country; null: there is neither. */
  of(kind: ValuationKind, state: string): ReadyModel | null {
    const key = this.#models.has(`${kind}|${state}`) ? `${kind}|${state}` : `${kind}|${POOLED}`;
    const model = this.#models.get(key);
    if (!model) return null;
    let ready = this.#ready.get(key);
    if (!ready) {
      const given = saleTableOf(this.#salesOf(key));
      const { sales } = validateSales(given, {}, model.as_of, SALE_RULES[kind]);
      const known = knownSales(sales, model.as_of, model.params.evidence);
      ready = { model, evidence: buildEvidence(known, model.params.evidence) };
      this.#ready.set(key, ready);
    }
    return ready;
  }

  #salesOf(key: string): readonly SaleRow[] {
    const [kind, region] = key.split('|');
    if (region !== POOLED) return this.#sales.get(key) ?? [];
    return [...this.#sales].filter(([each]) => each.startsWith(`${kind}|`)).flatMap(([, rows]) => rows);
  }
}

/** The models of the states and of the whole country, as an item of FROM. */
export const EVERY_MODEL =
  '(SELECT * FROM asset.avm_model UNION ALL SELECT * FROM asset.avm_pooled_model) AS every_model';

/** Selected columns of the models of the states and of the whole country. `where`: static SQL condition. */
export async function readModels(
  client: ClientBase,
  columns: readonly (keyof typeof avmModelAsset.columns)[],
  where?: string,
): Promise<Partial<Row<typeof avmModelAsset>>[]> {
  const states = await readAll(client, avmModelAsset, columns, where);
  return [...states, ...(await readAll(client, avmPooledModelAsset, columns, where))];
}

/** SQL condition: the region of a model may value homes of a state. */
function regions(state: string | undefined): string | undefined {
  if (state === undefined) return undefined;
  if (!(state in STATE_NAMES)) throw new TypeError(`${state} is no state`);
  return `region IN ('${state}', '${POOLED}')`;
}

/** Reads the models and their sales: all, or those that value homes of one state. */
export async function readValuationModels(client: ClientBase, state?: string): Promise<ValuationModels> {
  const models = new Map<string, AvmModel>();
  for (const row of await readModels(client, ['kind', 'region', 'artefact'], regions(state))) {
    models.set(`${row.kind}|${row.region}`, unpackModel(row.artefact as Uint8Array));
  }
  const sales = new Map<string, SaleRow[]>();
  const isAlone = VALUATION_KINDS.every((kind) => models.has(`${kind}|${state}`));
  const where = isAlone ? `state = '${state}'` : undefined;
  const rows = await readAll(client, valuationSaleAsset, SALE_COLUMNS, where);
  for (const row of rows as unknown as SaleRow[]) {
    const key = `${row.kind}|${row.state}`;
    const group = sales.get(key);
    if (group) group.push(row);
    else sales.set(key, [row]);
  }
  return new ValuationModels(models, sales);
}

import {
  isValuationError,
  type Measure,
  type MeasureValues,
  measures,
  measureValues,
} from '../../contract/map/measures.ts';
import type { Serving } from '../../schema/serving/database.ts';
import {
  changedMeasures,
  changedValues,
  ESTIMATE_CHANGE,
  type ExplainedValues,
  measureIncrease,
} from './differences.ts';
import type { MapSnapshot, PastViews } from './past_views.ts';
import type { ReadRunner } from './tiles.ts';

/** Values of a measure, with a sentence about their source if it needs one. */
function explained(name: string, values: MeasureValues): Partial<ExplainedValues> {
  if (!isValuationError(name)) return { values };
  const sales = values.reduce((sum, { sample }) => sum + sample, 0).toLocaleString('en-AU');
  return {
    values,
    note: `Median error of ${sales} estimates that the models had made before they saw the prices; a suburb needs 5.`,
  };
}

/** Measures of suburbs: of the served publication, of an earlier one, or the increase between two. */
export class SuburbMeasures {
  readonly #db: Serving;
  readonly #runRead: ReadRunner;
  readonly #past: PastViews;

  constructor(db: Serving, runRead: ReadRunner, past: PastViews) {
    this.#db = db;
    this.#runRead = runRead;
    this.#past = past;
  }

  async list(moment: MapSnapshot | null): Promise<Measure[]> {
    if (moment === null) return measures(this.#db);
    const { publication, since } = moment;
    const stateMeasures = await this.#past.asOf(publication, ({ db }) => measures(db));
    if (since === null) return stateMeasures;
    const changed = await this.#runRead((client) =>
      changedMeasures(client, { after: since, upTo: publication }),
    );
    const hasEstimates = changed.some(({ name }) => name.endsWith(':property_avm'));
    return [...(hasEstimates ? [ESTIMATE_CHANGE] : []), ...changed, ...stateMeasures];
  }

  /** Reads the values of a measure. Null: no measure has that name. @throws EtlError unknown_publication, journal_pruned */
  async values(name: string, moment: MapSnapshot | null): Promise<Partial<ExplainedValues> | null> {
    if (moment === null) {
      const values = await measureValues(this.#db, name);
      return values && explained(name, values);
    }
    const { publication, since } = moment;
    if (since === null) {
      const values = await this.#at(publication, name);
      return values && explained(name, values);
    }
    const changed = await this.#runRead((client) =>
      changedValues(client, name, { after: since, upTo: publication }),
    );
    if (changed !== null) return changed;
    const [was, is] = [await this.#at(since, name), await this.#at(publication, name)];
    return was && is && measureIncrease(was, is);
  }

  #at(publication: number, name: string): ReturnType<typeof measureValues> {
    return this.#past.asOf(publication, ({ db }) => measureValues(db, name));
  }
}

import { type Measure, measures, measureValues } from '../../contract/map/measures.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { changedMeasures, changedValues, risen } from './differences.ts';
import type { Moment, Past } from './past.ts';
import type { Read } from './tiles.ts';
import { type ExplainedValues, ValuationMeasures } from './valuation_measure.ts';

/** What suburbs are coloured by: now, then, or by how much it rose. */
export class SuburbMeasures {
  readonly #db: Serving;
  readonly #read: Read;
  readonly #past: Past;
  readonly #valuation: ValuationMeasures;

  constructor(db: Serving, read: Read, past: Past) {
    this.#db = db;
    this.#read = read;
    this.#past = past;
    this.#valuation = new ValuationMeasures(read);
  }

  async list(moment: Moment | null): Promise<Measure[]> {
    if (moment === null) return [...(await measures(this.#db)), ...(await this.#valuation.list())];
    const { publication, since } = moment;
    const known = await this.#past.asOf(publication, ({ db }) => measures(db));
    if (since === null) return known;
    const changed = await this.#read((client) =>
      changedMeasures(client, { after: since, upTo: publication }),
    );
    return [...changed, ...known];
  }

  /**
   * The values of a measure; null: there is none of that name. `version` tells what is shown apart.
   * @throws EtlError unknown_publication, journal_pruned
   */
  async values(
    name: string,
    version: string,
    moment: Moment | null,
  ): Promise<Partial<ExplainedValues> | null> {
    if (moment === null) {
      const explained = await this.#valuation.values(name, version);
      if (explained !== null) return explained;
      const values = await measureValues(this.#db, name);
      return values && { values };
    }
    const { publication, since } = moment;
    if (since === null) {
      const values = await this.#at(publication, name);
      return values && { values };
    }
    const changed = await this.#read((client) =>
      changedValues(client, name, { after: since, upTo: publication }),
    );
    if (changed !== null) return changed;
    const [was, is] = [await this.#at(since, name), await this.#at(publication, name)];
    return was && is && risen(was, is);
  }

  #at(publication: number, name: string): ReturnType<typeof measureValues> {
    return this.#past.asOf(publication, ({ db }) => measureValues(db, name));
  }
}

import type { Measure, MeasureValues } from '../../contract/map/measures.ts';
import {
  judgedKinds,
  type ValuationErrors,
  type ValuationKind,
  valuationErrors,
} from '../../pipelines/inspect/valuation_error.ts';
import type { Read } from './tiles.ts';

const PREFIX = 'valuation_error:';
const TITLES: Readonly<Record<ValuationKind, string>> = {
  sale: 'Error of the valuation, sales',
  rent: 'Error of the valuation, rents',
};

/** What a measure answers, with a sentence on what it rests on. */
export interface ExplainedValues {
  values: MeasureValues;
  note: string;
}

/** The errors of the valuation as measures of suburbs, read from the models; kept for one version of what is published. */
export class ValuationMeasures {
  readonly #read: Read;
  readonly #known = new Map<string, Promise<ValuationErrors | null>>();

  constructor(read: Read) {
    this.#read = read;
  }

  async list(): Promise<Measure[]> {
    const kinds = await this.#read(judgedKinds);
    return kinds.map((kind) => ({ name: `${PREFIX}${kind}`, title: TITLES[kind], unit: 'percent' }));
  }

  /** Null: it is no such measure. `version`: of what is published. */
  async values(name: string, version: string): Promise<ExplainedValues | null> {
    const kind = (Object.keys(TITLES) as ValuationKind[]).find((each) => name === PREFIX + each);
    if (kind === undefined) return null;
    const found = await this.#errors(kind, version);
    if (found === null) return { values: [], note: 'No model has judged a sale yet: too few are known.' };
    const { values, judged, placed } = found;
    const n = (count: number): string => count.toLocaleString('en-AU');
    const others =
      placed < judged ? ' Of the others day, price and kind of dwelling do not tell the suburb.' : '';
    return {
      values,
      note: `Median error of ${n(placed)} of ${n(judged)} ${kind}s that the models had valued before they saw them; a suburb needs 5.${others}`,
    };
  }

  #errors(kind: ValuationKind, version: string): Promise<ValuationErrors | null> {
    const key = `${version} ${kind}`;
    const known = this.#known.get(key);
    if (known) return known;
    for (const old of this.#known.keys()) if (!old.startsWith(version)) this.#known.delete(old);
    const found = this.#read((client) => valuationErrors(client, kind));
    this.#known.set(key, found);
    found.catch(() => this.#known.delete(key));
    return found;
  }
}

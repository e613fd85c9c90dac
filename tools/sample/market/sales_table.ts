import { DelimitedWriter } from '../formats/delimited_writer.ts';
import type { Truth } from '../truth.ts';
import { DAYS } from './calendar.ts';
import type { SampleHome } from './home.ts';

/** How the columns of the table become events: the option field_map of its dataset. */
export const SALES_TABLE_MAP = {
  columns: {
    source_id: 'Sale',
    event_date: 'Contract date',
    price: 'Price',
    address: 'Property address',
    suburb: 'Suburb',
    postcode: 'Postcode',
    property_type: 'Type',
  },
  types: { Dwelling: 'house', Flat: 'unit', Farm: 'rural' },
  filters: [{ column: 'Method', keep: ['Sold'] }],
} as const;

const TYPES: Readonly<Partial<Record<SampleHome['type'], string>>> = {
  unit: 'Flat',
  apartment: 'Flat',
  rural: 'Farm',
};
/** Every so many sales a home is passed in, and a row states no price. */
const PASSED_IN_EVERY = 20;
const NO_PRICE_EVERY = 90;
const HEADER = 'Sale;Contract date;Price;Property address;Suburb;Postcode;Type;Method';

/** Writes the sales of a state as a table of its own, with days before months, and rows that are no sales. */
export class SalesTable {
  readonly #file: string;
  readonly #out: DelimitedWriter;
  readonly #truth: Truth;
  #sales = 0;
  #rows = 0;

  constructor(path: string, file: string, truth: Truth) {
    this.#file = file;
    this.#out = new DelimitedWriter(path, HEADER, '\n');
    this.#truth = truth;
  }

  /** Adds a sale and returns its number. */
  sale(home: SampleHome, day: number, price: number, address: string): string {
    const id = `T${String(++this.#sales).padStart(6, '0')}`;
    const [year, month, date] = DAYS[day]!.split('-');
    const { suburb, postcode } = home.address;
    const place = `${address};${suburb};${postcode};${TYPES[home.type] ?? 'Dwelling'}`;
    this.#line(`${id};${date}/${month}/${year};$${price};${place};Sold`);
    if (this.#sales % PASSED_IN_EVERY === 0) {
      this.#line(`P${id};${date}/${month}/${year};$${price};${place};Passed in`);
      this.#truth.drop(this.#file, 'filtered');
    }
    if (this.#sales % NO_PRICE_EVERY === 0) {
      this.#line(`N${id};32/${month}/${year};$${price};${place};Sold`);
      this.#truth.reject(this.#file, this.#rows + 1, 'bad_date', 'the 32nd of a month');
    }
    return id;
  }

  close(): void {
    this.#out.close();
    this.#truth.count(this.#file, this.#rows);
  }

  #line(row: string): void {
    this.#out.line(row);
    this.#rows++;
  }
}

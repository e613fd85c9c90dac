import { findField } from '../../sources/formats/table/columns.ts';
import type { Field } from '../../sources/sales_csv/options.ts';
import type { InspectedLayer } from './layer_view.ts';
import type { Proposal } from './map_evidence.ts';

/** Plain column names of a table of sales, likeliest first. Blanks and case are ignored. */
const NAMES: Readonly<Partial<Record<Field, readonly string[]>>> = {
  source_id: ['source_id', 'sale_id', 'sale_no', 'record_id', 'listing_id', 'id'],
  event_date: ['sale_date', 'sold_date', 'date_sold', 'date_of_sale', 'contract_date', 'event_date', 'date'],
  settlement_date: ['settlement_date', 'settled'],
  address: ['address', 'full_address', 'property_address', 'street_address'],
  unit: ['unit', 'unit_number', 'unit_no', 'flat'],
  number: ['number', 'street_number', 'street_no', 'house_number', 'house_no'],
  street: ['street', 'street_name', 'road'],
  suburb: ['suburb', 'locality', 'town'],
  state: ['state'],
  postcode: ['postcode', 'post_code'],
  lon: ['lon', 'lng', 'longitude'],
  lat: ['lat', 'latitude'],
  price: ['sale_price', 'sold_price', 'price', 'purchase_price', 'consideration', 'amount'],
  dealing_id: ['dealing_id', 'dealing_number', 'dealing'],
  bedrooms: ['bedrooms', 'beds', 'bed'],
  bathrooms: ['bathrooms', 'baths', 'bath'],
  parking: ['parking', 'car_spaces', 'cars', 'car', 'garage'],
  property_type: ['property_type', 'dwelling_type', 'type'],
  land_area: ['land_area', 'land_size', 'land_area_sqm', 'lot_size'],
  floor_area: ['floor_area', 'building_area', 'floor_area_sqm'],
  year_built: ['year_built', 'built'],
};

const plain = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');

/** A date in any common format. */
const DAY = /^\d{1,4}[-/. ](\d{1,2}|[a-z]{3,9})[-/. ]\d{1,4}/i;
const MONEY = /^\$?\s?\d[\d,. ]*$/;

/** Returns whether more than half of a column's distinct values match a pattern. */
function holds(layer: InspectedLayer, name: string, form: RegExp): boolean {
  const values = [...(layer.columns.find((each) => each.name === name)?.values.keys() ?? [])];
  return values.length > 0 && values.filter((text) => form.test(text.trim())).length * 2 > values.length;
}

const OUTCOME = /^(sale_)?(method|outcome|result)$/;
const SOLD = /^(?!.*\b(not|un)[ -]?sold).*\bsold\b/i;

/**
 * Returns filters that keep sold rows of a table that also lists unsold ones. If no value contains "sold", the values to keep are left
 * open.
 */
function filtersOf({ columns }: InspectedLayer): { column: string; keep: string[] }[] {
  return columns
    .filter(({ name, values }) => OUTCOME.test(plain(name)) && values.size > 1)
    .map(({ name, values }) => {
      const keep = [...values.keys()].filter((text) => SOLD.test(text)).sort();
      return { column: name, keep: keep.length === 0 ? ['…'] : keep };
    });
}

/**
 * Proposes a map for a table of sales with plain columns: a date, a price, and an address or street. Null: not such a table, or it has
 * G-NAF ids and so describes another table.
 */
export function proposeSales(layer: InspectedLayer): Proposal | null {
  const plainColumns = layer.columns.map(({ name }) => ({ name: plain(name), column: name }));
  if (findField(plainColumns, ['gnaf_pid', 'address_detail_pid']) !== null) return null;
  const columns: Partial<Record<Field, string>> = {};
  for (const [field, names] of Object.entries(NAMES) as [Field, readonly string[]][]) {
    const match = plainColumns.find(
      ({ name }) => name === names.find((each) => plainColumns.some((one) => one.name === each)),
    );
    if (match !== undefined) columns[field] = match.column;
  }
  const { event_date, price, address, street } = columns;
  if (event_date === undefined || price === undefined || (address ?? street) === undefined) return null;
  if (!holds(layer, event_date, DAY) || !holds(layer, price, MONEY)) return null;
  const filters = filtersOf(layer);
  return {
    adapter: 'sales_csv',
    options: { field_map: { columns, ...(filters.length === 0 ? {} : { filters }) } },
  };
}

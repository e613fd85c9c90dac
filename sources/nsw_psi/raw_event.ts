import type { RawEvent } from '../market/market_event.ts';
import type { PsiSale } from './psi_sales.ts';

/** Source name of the register. */
const SOURCE = 'nsw_vg';

/**
 * Returns the identity of a sale, which is the same in every week that publishes it: dealing, property and lot. Without a dealing:
 * district, property (else the address), lot and contract date. In the archive also the valuation number, legal description and price: flats of
 * one property id are sold on one day, and it states no lots. The lot is the strata lot, else unit and house number, because units
 * without strata are sold one by one.
 */
export function saleIdentity(sale: PsiSale): string {
  const { dealing, district, property_id, valuation, contract, unit, house_number, street, locality } = sale;
  const lot = lotOf(sale);
  if (dealing !== '') return `${dealing}/${property_id}/${lot}`;
  const property = property_id === '' ? [unit, house_number, street, locality].join(' ').trim() : property_id;
  const ownId = `${district}/${property}/${lot}/${contract}`;
  return valuation === ''
    ? ownId
    : `${ownId}/${valuation}/${sale.legal.replace(/\s+/g, ' ').slice(0, 60)}/${sale.price}`;
}

const lotOf = ({ strata_lot, unit, house_number }: PsiSale): string =>
  strata_lot !== '' || unit === '' ? strata_lot : `unit ${unit}/${house_number}`;

/** Returns the rank among rows of one sale: the latest download, then the most filled fields. */
export const rankOf = (sale: PsiSale): number =>
  Number(sale.downloaded.replace(/\D/g, '')) +
  Object.values(sale).filter((value) => value !== '').length / 1000;

/** Returns the identity of a property within its dealing: two of them make it a sale of several properties. */
export const propertyOf = (sale: PsiSale): string =>
  sale.property_id === ''
    ? [sale.unit, sale.house_number, sale.street, sale.strata_lot].join('/')
    : `${sale.property_id}/${lotOf(sale)}`;

/** Returns one lot on plan, such as `118//13421` or `3//SP 65328`; '': none, or the property has several. */
function singleLot(legal: string): string {
  const tidy = legal.trim().replace(/\b([SD]P) (?=\d)/gi, '$1');
  return /^\w+\/\w*\/?\w+$/.test(tidy) ? tidy : '';
}

/** Converts `20240108 01:00` to an ISO time. The register states local time, which is read as UTC: only its order matters. */
const timeOf = (downloaded: string): string => {
  const match = /^(\d{4})(\d\d)(\d\d) (\d\d:\d\d)/.exec(downloaded);
  return match === null ? '' : `${match[1]}-${match[2]}-${match[3]}T${match[4]}:00Z`;
};

/** Returns the type of property: vacant land, a residence with or without a strata lot, else the stated purpose. */
function typeOf({ nature, purpose, strata_lot, unit }: PsiSale): string {
  if (nature === 'V') return 'land';
  if (nature === 'R') return strata_lot !== '' || unit !== '' ? 'unit' : 'house';
  return purpose === '' ? '' : purpose;
}

/** Returns true if less than the whole was sold. */
export function isPartial({ interest }: PsiSale): boolean {
  const percent = interest === '' ? 0 : Number(interest);
  return percent > 0 && percent < 100;
}

/** Converts the sale to an event; without a contract date, the settlement date counts. */
export function rawEventOf(sale: PsiSale): RawEvent {
  const units: Readonly<Record<string, string>> = { M: 'sqm', H: 'ha' };
  const unit = units[sale.area_type.toUpperCase()];
  return {
    source: SOURCE,
    source_id: saleIdentity(sale),
    event_type: 'sold',
    channel: 'sale',
    event_date: sale.contract === '' ? sale.settlement : sale.contract,
    settlement_date: sale.settlement,
    observed_at: timeOf(sale.downloaded),
    state: 'NSW',
    unit: sale.unit,
    number: sale.house_number,
    street: sale.street,
    suburb: sale.locality,
    postcode: sale.postcode,
    lot_plan: singleLot(sale.legal),
    price: sale.price,
    dealing_id: sale.dealing,
    property_type: typeOf(sale),
    land_area: unit === undefined || sale.area === '' ? '' : `${sale.area} ${unit}`,
  };
}

import type { RawEvent } from '../market/market_event.ts';
import type { PsiSale } from './sales.ts';

/** Name of the register as a source. */
const SOURCE = 'nsw_vg';

/**
 * What identifies a sale, in whichever week it is published again: dealing, property and lot; without a dealing the district, the
 * property or else the address, the lot and the contract date. The lot is the strata lot, else unit and house number: units of a property
 * without strata are sold one by one.
 */
export function identityOf(sale: PsiSale): string {
  const { dealing, district, property_id, contract, unit, house, street, locality } = sale;
  const lot = lotOf(sale);
  if (dealing !== '') return `${dealing}/${property_id}/${lot}`;
  const property = property_id === '' ? [unit, house, street, locality].join(' ').trim() : property_id;
  return `${district}/${property}/${lot}/${contract}`;
}

const lotOf = ({ strata_lot, unit, house }: PsiSale): string =>
  strata_lot !== '' || unit === '' ? strata_lot : `unit ${unit}/${house}`;

/** Rank among rows of one sale: the download, and of one download the number of fields that are filled. */
export const rankOf = (sale: PsiSale): number =>
  Number(sale.downloaded.replace(/\D/g, '')) +
  Object.values(sale).filter((value) => value !== '').length / 1000;

/** Property within its dealing: two of them make it a sale of several properties. */
export const propertyOf = (sale: PsiSale): string =>
  sale.property_id === ''
    ? [sale.unit, sale.house, sale.street, sale.strata_lot].join('/')
    : `${sale.property_id}/${lotOf(sale)}`;

/** One lot on plan, such as `118//13421` or `3//SP 65328`; '': none, or the property has several. */
function singleLot(legal: string): string {
  const tidy = legal.trim().replace(/\b([SD]P) (?=\d)/gi, '$1');
  return /^\w+\/\w*\/?\w+$/.test(tidy) ? tidy : '';
}

/** `20240108 01:00` as an ISO time. The register states local time, which is taken as UTC: only its order counts. */
const timeOf = (downloaded: string): string => {
  const found = /^(\d{4})(\d\d)(\d\d) (\d\d:\d\d)/.exec(downloaded);
  return found === null ? '' : `${found[1]}-${found[2]}-${found[3]}T${found[4]}:00Z`;
};

/** Type of property: vacant land, a residence with or without a strata lot, else what the purpose says. */
function typeOf({ nature, purpose, strata_lot, unit }: PsiSale): string {
  if (nature === 'V') return 'land';
  if (nature === 'R') return strata_lot !== '' || unit !== '' ? 'unit' : 'house';
  return purpose === '' ? '' : purpose;
}

/** True where less than the whole was sold. */
export function isPartial({ interest }: PsiSale): boolean {
  const percent = interest === '' ? 0 : Number(interest);
  return percent > 0 && percent < 100;
}

/** The sale as an event; of a sale without a contract date the settlement date counts. */
export function rawOf(sale: PsiSale): RawEvent {
  const units: Readonly<Record<string, string>> = { M: 'sqm', H: 'ha' };
  const unit = units[sale.area_type.toUpperCase()];
  return {
    source: SOURCE,
    source_id: identityOf(sale),
    event_type: 'sold',
    channel: 'sale',
    event_date: sale.contract === '' ? sale.settlement : sale.contract,
    settlement_date: sale.settlement,
    observed_at: timeOf(sale.downloaded),
    state: 'NSW',
    unit: sale.unit,
    number: sale.house,
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

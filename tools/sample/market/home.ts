import type { Parcel } from '../cadastre/writer.ts';
import type { Lot, LotKind } from '../geography/lot.ts';
import type { StateCode } from '../geography/places.ts';
import { suffixName } from '../gnaf/authority.ts';
import type { AddressDraft } from '../gnaf/draft.ts';
import type { Locality, Street } from '../gnaf/locality_writer.ts';
import type { Random } from '../random.ts';
import type { HomeAddress } from './address_text.ts';
import type { HomeType, PricedHome } from './price_model.ts';

/** A live principal address as the address writer hands it over. */
export interface ListedAddress {
  readonly pid: string;
  readonly state: StateCode;
  readonly draft: AddressDraft;
  readonly street: Street | null;
  readonly locality: Locality;
  readonly lot: Lot;
  readonly parcel: Parcel;
  /** Empty: G-NAF has no point. */
  readonly lon: string;
  readonly lat: string;
}

/** A home that may come on the market. */
export interface SampleHome extends PricedHome {
  readonly pid: string;
  readonly state: StateCode;
  readonly address: HomeAddress;
  readonly parcel: Parcel;
  /** Strata lot; 0: none. */
  readonly strata_lot: number;
  readonly floor_area_sqm: number;
  readonly year_built: number;
  readonly lon: string;
  readonly lat: string;
}

const KINDS: Partial<Record<LotKind, HomeType>> = {
  house: 'house',
  half: 'house',
  battle_axe_front: 'house',
  battle_axe_rear: 'house',
  around: 'house',
  multipart: 'house',
  duplex: 'duplex',
  court: 'unit',
  tower: 'apartment',
  rural: 'rural',
};
const BEDROOMS: Readonly<Record<HomeType, readonly number[]>> = {
  house: [2, 3, 3, 3, 4, 4, 5],
  rural: [3, 3, 4, 5],
  townhouse: [2, 3, 3],
  duplex: [2, 3, 3],
  unit: [1, 2, 2, 3],
  apartment: [1, 1, 2, 2, 3],
};

/** The home at an address; null: nobody lives there, or it has no street number to advertise. */
export function homeOf(listed: ListedAddress, random: Random): SampleHome | null {
  const { draft, street, locality, lot, parcel } = listed;
  const kind = KINDS[lot.kind];
  if (kind === undefined || street === null || draft.number_first === '' || draft.primary_secondary === 'P')
    return null;
  if (draft.flat_number === '' && draft.unit > 0) return null;
  // those of a village are let and sold by its operator
  if (draft.building.includes('RETIREMENT VILLAGE')) return null;
  const type = kind === 'unit' && random.chance(0.3) ? 'townhouse' : kind;
  const bedrooms = random.pick(BEDROOMS[type]);
  const bathrooms = 1 + (bedrooms > 2 && random.chance(0.6) ? 1 : 0);
  const own = draft.unit === 0;
  return {
    pid: listed.pid,
    state: listed.state,
    type,
    bedrooms,
    bathrooms,
    parking: type === 'apartment' ? random.int(2) : 1 + random.int(2),
    land_area_sqm: own ? Math.round(parcel.area_sqm) : 0,
    floor_area_sqm: 40 + 32 * bedrooms + random.int(30),
    year_built: 1900 + random.int(115),
    at: lot.anchor,
    address: {
      unit: draft.flat_number,
      number: `${draft.number_first}${draft.number_suffix}${draft.number_last === '' ? '' : `-${draft.number_last}`}`,
      street: street.name,
      type: street.type ?? '',
      suffix: street.suffix === null ? '' : suffixName(street.suffix),
      suburb: locality.name,
      state: listed.state,
      postcode: locality.postcode,
    },
    parcel,
    strata_lot: draft.unit,
    lon: listed.lon,
    lat: listed.lat,
  };
}

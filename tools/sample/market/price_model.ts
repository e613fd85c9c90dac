import type { StateCode } from '../geography/places.ts';
import type { Random } from '../random.ts';
import { monthsOf } from './calendar.ts';

/** Price of a house of three bedrooms on 600 m² at the start, dollars. */
const BASE: Readonly<Record<StateCode, number>> = {
  NSW: 980_000,
  VIC: 780_000,
  QLD: 560_000,
  SA: 480_000,
  WA: 540_000,
  TAS: 410_000,
  NT: 470_000,
  ACT: 720_000,
};
const COUNTRY_SHARE = 0.55;
const TYPE_SHARE: Readonly<Record<HomeType, number>> = {
  house: 1,
  townhouse: 0.82,
  duplex: 0.85,
  unit: 0.62,
  apartment: 0.6,
  rural: 1.1,
};
const MONTHLY_GROWTH = 0.0045;
/** Most that a station, and a school, within walking distance adds. */
const STATION_PREMIUM = 0.09;
const SCHOOL_PREMIUM = 0.04;
/** Standard deviations of the logarithm: of a suburb's level and of one sale. */
const SUBURB_SPREAD = 0.28;
const NOISE = 0.08;

export type HomeType = 'house' | 'townhouse' | 'duplex' | 'unit' | 'apartment' | 'rural';

/** What a suburb's prices depend on; places are in the plane of its town. */
export interface SuburbMarket {
  readonly state: StateCode;
  readonly country: boolean;
  /** Logarithm of its level over the state's. */
  readonly level: number;
  /** Months by which its cycle is ahead. */
  readonly phase: number;
  readonly stations: readonly (readonly [number, number])[];
  readonly schools: readonly (readonly [number, number])[];
  /** Source of everything that is drawn for its homes, in the order of their addresses. */
  readonly random: Random;
}

/** What of a home its price depends on. */
export interface PricedHome {
  readonly type: HomeType;
  readonly bedrooms: number;
  readonly bathrooms: number;
  readonly parking: number;
  readonly land_area_sqm: number;
  readonly at: readonly [number, number];
}

/** A draw near 0 with standard deviation 1: four uniform ones, scaled. */
export function normal(random: Random): number {
  return (random.next() + random.next() + random.next() + random.next() - 2) * Math.sqrt(3);
}

/** Level and cycle of a suburb. */
export function drawMarket(random: Random): Pick<SuburbMarket, 'level' | 'phase'> {
  return { level: SUBURB_SPREAD * normal(random), phase: 24 * random.next() };
}

function nearness(places: readonly (readonly [number, number])[], [x, y]: readonly [number, number]): number {
  let nearest = Number.POSITIVE_INFINITY;
  for (const [px, py] of places) nearest = Math.min(nearest, Math.hypot(px - x, py - y));
  return Math.exp(-nearest / 600);
}

/** Price of a home in the middle of its market, whole dollars: level of the suburb, type, size, place, growth with a cycle. */
export function fairPrice(home: PricedHome, market: SuburbMarket, day: number): number {
  const months = monthsOf(day);
  const log =
    market.level +
    0.16 * (home.bedrooms - 3) +
    0.06 * (home.bathrooms - 1) +
    0.025 * home.parking +
    (home.type === 'house' ? 0.22 * Math.log(Math.min(2000, Math.max(150, home.land_area_sqm)) / 600) : 0) +
    STATION_PREMIUM * nearness(market.stations, home.at) +
    SCHOOL_PREMIUM * nearness(market.schools, home.at) +
    MONTHLY_GROWTH * months +
    0.06 * Math.sin(((months + market.phase) * 2 * Math.PI) / 72);
  return BASE[market.state] * (market.country ? COUNTRY_SHARE : 1) * TYPE_SHARE[home.type] * Math.exp(log);
}

/** What one buyer pays: the fair price with noise, to the thousand. */
export const salePrice = (fair: number, random: Random): number =>
  Math.round((fair * Math.exp(NOISE * normal(random))) / 1000) * 1000;

/** What one tenant pays a week, to five dollars; units yield more than houses. */
export function weeklyRent(fair: number, type: HomeType, random: Random): number {
  const yields = type === 'unit' || type === 'apartment' ? 0.045 : 0.036;
  return Math.max(120, Math.round((fair * yields * Math.exp(0.06 * normal(random))) / 52 / 5) * 5);
}

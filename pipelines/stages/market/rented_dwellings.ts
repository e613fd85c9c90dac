import { censusRegionRecord } from '../../../schema/records/census.ts';
import { regionDemographicsTable } from '../../../schema/serving/region_demographics.ts';
import { STATE_OF_DIGIT } from '../../../schema/states.ts';
import { input } from '../../engine/input.ts';

/** Rented dwellings of an area and market; null: not in the Census. */
export type RentedIn = (area: string, market: string) => number | null;

/** Inputs of stages that compare with rented dwellings in the Census. */
export const RENTED_INPUTS = {
  census: input(censusRegionRecord, ['level', 'code', 'year', 'rented_houses', 'rented_units'], {
    kind: 'all',
  }),
  suburb: input(regionDemographicsTable, ['code', 'name'], { kind: 'all' }, { level: 'SAL' }),
} as const;

interface CensusRow {
  level: string;
  code: string;
  year: number;
  rented_houses: number | null;
  rented_units: number | null;
}

/**
 * Returns rented dwellings by level, from the newest Census that has the area; areas are named as in market metrics. Houses are separate
 * houses. Semi-detached dwellings and flats count as units, like townhouses.
 */
export function rentedDwellings(
  census: readonly CensusRow[],
  suburbs: readonly { code: string; name: string | null }[],
): (level: string) => RentedIn {
  const names = new Map(suburbs.map(({ code, name }) => [code, name]));
  const areaOf = ({ level, code }: CensusRow): string | null => {
    if (level === 'SAL') return names.get(code) ?? null;
    return level === 'STE' ? (STATE_OF_DIGIT[code] ?? null) : code;
  };
  const newest = new Map<string, CensusRow>();
  // Rows are sorted by year, level and code, so the newest is the last.
  for (const row of census) {
    const area = areaOf(row);
    if (area !== null) newest.set(`${row.level}|${area}`, row);
  }
  return (level) => (area, market) => {
    const row = newest.get(`${level}|${area}`);
    return (market === 'house' ? row?.rented_houses : row?.rented_units) ?? null;
  };
}

import { inAustralia } from '../../schema/grid.ts';
import type { RowCursor } from '../formats/table/delimited.ts';
import type { RowTally } from '../tally.ts';

/**
 * Reads LONGITUDE and LATITUDE into `point` and transforms them to GDA2020. False if there is no usable point: both empty (dropped as
 * `no_coordinates`), not a number (`bad_coordinate`), or outside Australia (`outside_australia`).
 */
export function readPoint(
  rows: RowCursor,
  columns: { readonly LONGITUDE: number; readonly LATITUDE: number },
  tally: RowTally,
  toGda2020: (coords: Float64Array) => void,
  point: Float64Array,
): boolean {
  point[0] = rows.decimal(columns.LONGITUDE);
  point[1] = rows.decimal(columns.LATITUDE);
  if (Number.isNaN(point[0]) || Number.isNaN(point[1])) {
    if (rows.isEmpty(columns.LONGITUDE) && rows.isEmpty(columns.LATITUDE)) tally.drop('no_coordinates');
    else {
      const coordinates = `longitude "${rows.text(columns.LONGITUDE) ?? ''}", latitude "${rows.text(columns.LATITUDE) ?? ''}"`;
      tally.reject(rows.line, 'bad_coordinate', `${coordinates}: not two decimal numbers`);
    }
    return false;
  }
  if (!inAustralia(point[0]!, point[1]!)) {
    tally.reject(rows.line, 'outside_australia', `longitude ${point[0]}, latitude ${point[1]}`);
    return false;
  }
  toGda2020(point);
  return true;
}

/** Rank of pids that are not numbers below 2^32 - 1: after all others. */
const LAST_PID = 0xffffffff;

/** Converts `YYYY-MM-DD` to a number that grows with the date and fits 16 bits (1900 to 2075); 0 for anything else. */
export function dateRank(text: string, start: number, end: number): number {
  if (end - start < 10) return 0;
  const year = twoDigits(text, start) * 100 + twoDigits(text, start + 2) - 1900;
  const month = twoDigits(text, start + 5) - 1;
  const rank = (year * 12 + month) * 31 + twoDigits(text, start + 8);
  return rank > 0 && rank <= 0xffff ? rank : 0;
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
}

/** Returns a pid of digits as its number, any other as the largest. */
export function pidRank(text: string, start: number, end: number): number {
  if (start === end || end - start > 10) return LAST_PID;
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return LAST_PID;
    value = value * 10 + digit;
  }
  return Math.min(value, LAST_PID);
}

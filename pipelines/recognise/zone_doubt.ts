import { ZONE_CODE } from '../../sources/zoning/recognition.ts';
import type { InspectedLayer, LayerColumn } from './layer_view.ts';
import { filled } from './parcel_signs.ts';

/** Returns the share of a column's filled rows that meet a condition. */
export const share = (column: LayerColumn, holds: (text: string) => boolean): number =>
  [...column.values].reduce((sum, [text, n]) => sum + (holds(text) ? n : 0), 0) / Math.max(1, filled(column));

/** Maximum features of a list of lots that somebody owns or plans; a layer of zones has more, or has no addresses. */
const MAX_LOTS = 50;
/** Values that join several zones: a description of land, no zone. */
const JOINED = /\s(&|and|or|\+)\s|[,;/]/i;
const ADDRESS = /^(street_?|site_?|property_?|full_?)?addr(ess)?$/i;
/** Columns about single lots, which a layer of zones does not have. */
const LOT_FACT =
  /(^|_)(owner|vendor|title|lot|parcel|price|tenure|location|site_?name|property)(_|$)|address/i;

/**
 * Returns what a person must confirm about the zones of a layer with few features: that it is no list of lots. Undefined: nothing, because
 * its zones are codes and it has no facts about lots. `isNamed`: a named map reads it, so names such as Sport and Recreation are one zone.
 */
export function doubtAboutZones(
  { columns, looked }: InspectedLayer,
  code: string,
  isNamed = false,
): string | undefined {
  const zones = columns.find(({ name }) => name === code);
  if (zones === undefined || looked > MAX_LOTS) return undefined;
  const phrases = [...zones.values.keys()].filter((text) => JOINED.test(text));
  const hasAddresses = columns.some((column) => ADDRESS.test(column.name) && column.values.size > looked / 2);
  const isOfLots =
    share(zones, (text) => !ZONE_CODE.test(text)) > 0.5 &&
    columns.some((column) => LOT_FACT.test(column.name) && column.values.size > zones.values.size);
  const isJoined = !isNamed && phrases.length * 4 >= zones.values.size;
  if (!hasAddresses && !isOfLots && !isJoined) return undefined;
  const example = phrases[0] ?? [...zones.values.keys()][0];
  return `Is it a layer of zones, or a list of lots? It has ${looked} features${hasAddresses ? ' with addresses' : ''}; one is ${JSON.stringify(example)}.`;
}

import type { PropertyType } from '../../../schema/records/market_event.ts';

/** The first match decides: `retirement villa` is retirement, `semi-detached duplex` duplex. */
const TYPES: readonly [RegExp, PropertyType][] = [
  [/retire|over ?5[05]|lifestyle village|aged/, 'retirement'],
  [/acreage|rural|farm|lifestyle|crop|graz|orchard|vineyard/, 'rural'],
  [/vacant|\bland\b|section|\bblock\b(?! ?of)|residential lot/, 'land'],
  [/duplex|semi|dual occ/, 'duplex'],
  [/town ?house|terrace/, 'townhouse'],
  [/villa/, 'villa'],
  [/block ?of ?units|unit ?block/, 'other'],
  [/apartment|unit|flat|studio|condo|penthouse|warehouse conversion|bedsit|serviced/, 'unit'],
  [/house|cottage|bungalow|home|queenslander|dwelling|residence/, 'house'],
];

/** Maps types as written by portals, REAXML and agents to one vocabulary; anything else is `other`. Null: nothing is stated. */
export function propertyTypeOf(text: string): PropertyType | null {
  const words = text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .trim();
  if (words === '' || /^(nan|null|n\/?a|unknown|none)$/.test(words)) return null;
  return TYPES.find(([pattern]) => pattern.test(words))?.[1] ?? 'other';
}

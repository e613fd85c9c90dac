import type { PropertyType } from '../../schema/records/market_event.ts';

/** First match counts: `retirement villa` is retirement, `semi-detached duplex` duplex. */
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

/** The one vocabulary for types as portals, REAXML and agents write them; null: nothing is stated. Anything else is `other`. */
export function propertyTypeOf(text: string): PropertyType | null {
  const words = text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .trim();
  if (words === '' || /^(nan|null|n\/?a|unknown|none)$/.test(words)) return null;
  return TYPES.find(([pattern]) => pattern.test(words))?.[1] ?? 'other';
}

import { nameWords, placeKey } from './parse/keys.ts';

const PARENTHESES = /\s*\([^)]*\)/g;

/** Comparable form of the name of a suburb or region, without what stands in parentheses: `St. Kilda East (Vic.)` is `STKILDAEAST`. */
export const searchKey = (name: string): string => placeKey(nameWords(name.replace(PARENTHESES, ' ')));

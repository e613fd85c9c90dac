import { EtlError } from '../schema/errors.ts';

/** A whole number of at least `min` from the text of a flag or argument, `name` as it is typed: `--limit`. @throws EtlError config_invalid */
export function wholeFlag(name: string, text: string, min: number): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isSafeInteger(value) && value >= min && value <= 2_147_483_647)
    return value;
  throw new EtlError('config_invalid', `${name} ${text}: give a whole number of at least ${min}.`);
}

import { STATE_NAMES } from '../../schema/states.ts';

/** Returns an address or street of the register as people write it: `265 Union Road, Balwyn VIC 3103`. Numbers and states stay. */
export const addressTitleCase = (address: string): string =>
  address.replace(/[A-Z][A-Z']*(?![A-Z0-9])/g, (word, at: number) => {
    const isNumbered = /[0-9]/.test(address[at - 1] ?? '');
    if (word in STATE_NAMES || isNumbered || (word.length === 1 && address[at + 1] !== ' ')) return word;
    return word
      .toLowerCase()
      .replace(/^(mc|o'|d')?([a-z])/, (_, start: string | undefined, letter: string) =>
        start === undefined
          ? letter.toUpperCase()
          : start[0]!.toUpperCase() + start.slice(1) + letter.toUpperCase(),
      );
  });

/** State abbreviation by the first digit of an ABS code. Source: ABS ASGS, STATE of G-NAF. */
export const STATE_OF_DIGIT: Readonly<Record<string, string>> = {
  1: 'NSW',
  2: 'VIC',
  3: 'QLD',
  4: 'SA',
  5: 'WA',
  6: 'TAS',
  7: 'NT',
  8: 'ACT',
  9: 'OT',
};

/** First digit of an ABS code by state abbreviation. */
export const DIGIT_OF_STATE: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries(STATE_OF_DIGIT).map(([digit, state]) => [state, Number(digit)]),
);

/** Names of states and territories by abbreviation. Source: ABS ASGS. */
export const STATE_NAMES: Readonly<Record<string, string>> = {
  NSW: 'New South Wales',
  VIC: 'Victoria',
  QLD: 'Queensland',
  SA: 'South Australia',
  WA: 'Western Australia',
  TAS: 'Tasmania',
  NT: 'Northern Territory',
  ACT: 'Australian Capital Territory',
  OT: 'Other Territories',
};

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DATE_FORMATS, eventDate } from '../../../sources/hazards/event_date.ts';

it.each([
  ['2011-01-13', 'iso', '2011-01-13'],
  ['20110113', 'iso', '2011-01-13'],
  ['2011/1/3', 'iso', '2011-01-03'],
  ['2011-01-13T00:00:00+10:00', 'iso', '2011-01-13'],
  ['1870', 'iso', null],
  ['2011-02-30', 'iso', null],
  ['00000000', 'iso', null],
  ['13/01/2011', 'dmy', '2011-01-13'],
  ['13.1.2011', 'dmy', '2011-01-13'],
  ['01/13/2011', 'dmy', null],
  ['01/13/2011', 'mdy', '2011-01-13'],
  ['1294876800000', 'epoch_ms', '2011-01-13'],
  ['-3029443200000', 'epoch_ms', '1874-01-01'],
  ['999999999999999', 'epoch_ms', null],
  ['9999999999999999999', 'epoch_ms', null],
  ['1e12', 'epoch_ms', null],
  ['unknown', 'iso', null],
  ['29/02/2000', 'dmy', '2000-02-29'],
  ['29/02/1900', 'dmy', null],
  ['01/01/1700', 'dmy', null],
] as const)('%s as %s is %s', (text, format, wanted) => expect(eventDate(text, format)).toBe(wanted));

it('gives a day or null for any text', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom(...DATE_FORMATS), (text, format) => {
      expect(eventDate(text, format) ?? '2000-01-01').toMatch(/^\d{4}-\d\d-\d\d$/);
    }),
  );
});

import { describe, expect, it } from 'vitest';
import { familyOf } from '../../../sources/fields/code_family.ts';
import { comparable } from '../../../sources/fields/comparable_text.ts';
import { tidyText, tooLong } from '../../../sources/fields/tidy_text.ts';
import { FeatureIds } from '../../../sources/layers/feature_ids.ts';

describe('texts of classes', () => {
  it.each([
    'Item – General',
    'Item - General',
    'ITEM-GENERAL',
    ' item —  general ',
    'Item\u00a0\u2212 General',
  ])('%s compares as one value', (text) => expect(comparable(text)).toBe('item-general'));

  it.each([
    ['DDO5-2', 'DDO'],
    ['ho12', 'HO'],
    ['MAEO1', 'MAEO'],
    ['LSIO', 'LSIO'],
    ['LSIOX', null],
    ['D-BMO', null],
    ['', null],
  ])('the family of %s is %s', (code, wanted) =>
    expect(familyOf(code, ['DDO', 'HO', 'AEO', 'MAEO', 'SBO', 'LSIO', 'BMO'])).toBe(wanted),
  );

  it('numbers identifiers that come again, and features without one', () => {
    const ids = new FeatureIds('VIC:', 'VIC:set/file/');
    expect(['7', '7', null, '7', '8'].map((id, i) => ids.idOf(id, i + 1))).toEqual([
      'VIC:7',
      'VIC:7#2',
      'VIC:set/file/3',
      'VIC:7#3',
      'VIC:8',
    ]);
  });

  it('tidies text that could not be stored, and refuses what is longer than any', () => {
    expect(tidyText(' a\0b\r\n  c\ud800 ')).toBe('ab c');
    expect([tidyText('\0 '), tidyText(null)]).toEqual([null, null]);
    expect(tooLong({ code: 'x'.repeat(200), value: 'x'.repeat(1000), identifier: null })).toBeNull();
    expect(tooLong({ code: 'x'.repeat(201) })).toMatchObject({ code: 'bad_value' });
  });
});

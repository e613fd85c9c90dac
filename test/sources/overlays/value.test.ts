import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  codeAndNameValue,
  decimalText,
  heightValue,
  heritageValue,
  lotSizeValue,
  plainNumber,
  ratioValue,
  textValue,
} from '../../../sources/overlays/value.ts';

const value = (text: string) => ({ value: text });
const bad = expect.objectContaining({ code: 'bad_value' });
const missing = expect.objectContaining({ code: 'missing_value' });

describe('values of overlays', () => {
  it.each([
    ['8.5', 'm', value('8.5 m')],
    ['9.00', 'm', value('9 m')],
    ['1,200', 'metres', value('1200 m')],
    ['0', 'm', value('0 m')],
    ['45.2', 'm (RL)', value('45.2 m RL (elevation above datum)')],
    ['45.2', 'm  (rl)', value('45.2 m RL (elevation above datum)')],
    ['-3', 'm AHD', value('-3 m RL (elevation above datum)')],
    ['-3', 'm', bad],
    ['8.5', null, bad],
    ['8.5', 'storeys', bad],
    ['tall', 'm', bad],
    ['9999', 'm', bad],
    ['Infinity', 'm', bad],
    ['NaN', 'm', bad],
    ['1e309', 'm', bad],
    [null, 'm', missing],
    ['  ', 'm', missing],
  ])('height %s %s', (figure, unit, wanted) => expect(heightValue(figure, unit)).toEqual(wanted));

  it.each([
    ['0.5', value('0.5:1')],
    ['.5', value('0.5:1')],
    ['2', value('2:1')],
    ['0.50:1', value('0.5:1')],
    ['12.5 : 1', value('12.5:1')],
    ['1:2', bad],
    ['-1', bad],
    ['500', bad],
    ['', missing],
    [null, missing],
  ])('floor space ratio %s', (figure, wanted) => expect(ratioValue(figure)).toEqual(wanted));

  it.each([
    ['450', 'm2', value('450 m2')],
    ['450', 'm²', value('450 m2')],
    ['2', 'ha', value('20000 m2')],
    ['0.4047', 'ha', value('4047 m2')],
    ['40', ' HA ', value('400000 m2')],
    ['1e8', 'ha', value('1000000000000 m2')],
    ['450', 'acres', bad],
    ['450', null, bad],
    ['1e9', 'ha', bad],
    [null, 'ha', missing],
  ])('lot size %s %s', (figure, unit, wanted) => expect(lotSizeValue(figure, unit)).toEqual(wanted));

  it.each([
    ['Item - General', 'I123', 'Cottage', value('Item - General: I123 Cottage')],
    ['Conservation Area - General', null, null, value('Conservation Area - General')],
    [null, 'I1', null, value('I1')],
    [null, null, null, missing],
  ])('heritage %s %s %s', (kind, id, name, wanted) => expect(heritageValue(kind, id, name)).toEqual(wanted));

  it.each([
    [
      'DDO5',
      'Design and Development Overlay - Schedule 5',
      value('DDO5 Design and Development Overlay - Schedule 5'),
    ],
    ['HO12', 'Heritage Overlay (HO12)', value('HO12 Heritage Overlay')],
    ['HO12', 'Heritage Overlay (HO120)', value('HO12 Heritage Overlay (HO120)')],
    ['SBO', null, value('SBO')],
    [null, 'Parking Overlay', value('Parking Overlay')],
    [null, null, missing],
  ])('code and name %s %s', (code, name, wanted) => expect(codeAndNameValue(code, name)).toEqual(wanted));

  it.each([
    ['3 storeys', 'm', value('3 storeys')],
    ['3', 'storeys', value('3 storeys')],
    ['3.50', null, value('3.50')],
    [null, null, missing],
  ])('text %s %s', (text, unit, wanted) => expect(textValue(text, unit)).toEqual(wanted));

  it('never throws, and what it makes reads back as the number that went in', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (figure, unit) => {
        for (const made of [heightValue(figure, unit), lotSizeValue(figure, unit), ratioValue(figure)])
          expect('value' in made || 'problem' in made).toBe(true);
      }),
    );
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), (number) => {
        expect(Math.abs(plainNumber(decimalText(number, 2))! - number)).toBeLessThanOrEqual(0.0051);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEGAL_ID_FORMS } from '../../../tools/scripts/legal_id_forms.ts';
import { normaliseLotPlan } from '../../../transforms/address/lot_plan.ts';

const CASES: [state: string, text: string | null, expected: string | null][] = [
  ['NSW', '381//DP1061794', '381//DP1061794'],
  ['NSW', '7/22/DP758003', '7/22/DP758003'],
  ['NSW', ' 381 // dp1061794 ', '381//DP1061794'],
  ['NSW', '381/DP1061794', '381//DP1061794'],
  ['NSW', '1//758003', '1//DP758003'],
  ['NSW', '12//SP65328', '//SP65328'],
  ['NSW', '//SP65328', '//SP65328'],
  ['NSW', 'DP1061794', null],
  ['NSW', '1//', null],
  ['NSW', '1/2/3/DP4', null],
  ['VIC', '1008\\PS908944', '1008\\PS908944'],
  ['VIC', '2166z\\ps633275', '2166Z\\PS633275'],
  ['VIC', 'PC366537', 'PC366537'],
  ['VIC', '1~A\\PP1234', '1~A\\PP1234'],
  ['VIC', ' 1 \\ PS1 ', '1\\PS1'],
  ['QLD', '2/RP20457', '2RP20457'],
  ['QLD', '47SP317615', '47SP317615'],
  ['QLD', '0/BUP1234', '0BUP1234'],
  ['QLD', 'RP602276/3', '3RP602276'],
  ['QLD', ' rp602276 / a ', 'ARP602276'],
  ['QLD', 'AP15/SP22', 'AP15SP22'],
  ['QLD', 'RP602276/', 'RP602276'],
  ['NSW', 'DP1061794/381', '381//DP1061794'],
  ['NSW', 'SP65328/12', '//SP65328'],
  ['SA', 'C21367   F1', 'C21367 F1'],
  ['SA', ' d12345 a1 ', 'D12345 A1'],
  ['TAS', '123456 / 1', '123456/1'],
  ['WA', 'P012345  12', 'P012345 12'],
  ['NT', 'lot 5  town', 'LOT 5 TOWN'],
  ['ACT', 'CANB/GRIF/25/14', null],
  ['VIC', null, null],
  ['VIC', '', null],
  ['VIC', '   ', null],
  ['XYZ', '1/1', null],
];

describe('normaliseLotPlan', () => {
  it.each(CASES)('%s %j gives %j', (state, text, expected) => {
    expect(normaliseLotPlan(state, text)).toBe(expected);
  });

  it.each(LEGAL_ID_FORMS)('$state: each form of a cadastre joins what the address file writes', (form) => {
    const key = normaliseLotPlan(form.state, form.gnaf);
    for (const text of form.cadastre) expect(normaliseLotPlan(form.state, text), text).toBe(key);
    expect(key === null).toBe(form.cadastre.length === 0);
  });

  it('changes nothing when applied again', () => {
    const state = fc.constantFrom('NSW', 'VIC', 'QLD', 'SA', 'TAS', 'WA', 'NT', 'ACT', 'OT');
    const id = fc.string({
      unit: fc.constantFrom('1', '2', '/', '\\', ' ', 'D', 'P', 'S', 'a', '~'),
      maxLength: 14,
    });
    fc.assert(
      fc.property(state, id, (name, text) => {
        const once = normaliseLotPlan(name, text);
        expect(normaliseLotPlan(name, once)).toBe(once);
      }),
    );
  });
});

import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../tools/sample/random.ts';
import type { AddressIndex } from '../../../transforms/address/match/address_index.ts';
import { buildAddressIndex } from '../../../transforms/address/match/build.ts';
import { matchAddress } from '../../../transforms/address/match/match.ts';
import { hasSharedData, sharedCsv, sharedPath } from '../../shared_data.ts';
import { gnafRows } from './gnaf_rows.ts';
import { type Judged, type KindTally, printKinds, tallyKinds } from './kinds.ts';
import { existence, type LabelledAddress, subjectsOf } from './register_subjects.ts';
import {
  absentForms,
  HELD_OUT_FORMS,
  heldOutAbsentForms,
  KNOWN_FORMS,
  type Subject,
  type Variant,
} from './variants.ts';

const hasData = hasSharedData('matching of labelled addresses');
/** Texts of each kind of generated variant. */
const PER_KIND = 300;

const zipIn = (folder: string): string =>
  sharedPath(folder) + readdirSync(sharedPath(folder)).find((name) => name.endsWith('.zip'));

describe.skipIf(!hasData)('the addresses of Yarra', () => {
  let index: AddressIndex;
  let subjects: Subject[];
  let exists: (subject: Subject) => boolean;

  beforeAll(async () => {
    const rows = await gnafRows(zipIn('yarra/gnaf/'));
    index = await buildAddressIndex(rows);
    const labelled = rows.addresses as LabelledAddress[];
    exists = existence(labelled);
    subjects = subjectsOf(labelled);
  });

  const generated = (forms: Readonly<Record<string, Variant>>, isAbsent: boolean): KindTally => {
    const judged: Judged[] = [];
    for (const [kind, form] of Object.entries(forms)) {
      const random = seededRandom(20, kind);
      for (let i = 0, made = 0; i < PER_KIND * 10 && made < PER_KIND; i++) {
        const subject = random.pick(subjects);
        const input = form(subject, random);
        if (input === null) continue;
        made++;
        judged.push({ kind, expected: isAbsent ? null : subject.pid, result: matchAddress(index, input) });
      }
    }
    return tallyKinds(judged);
  };

  it('has a place for every row', () => {
    expect(index.gaps).toEqual({ unknown_locality: 0, unknown_street: 0, unknown_address: 0 });
    expect(index.addresses.size).toBe(19_841);
  });

  it.each(['text alone', 'text and fields'])('are found as labelled from %s', (what) => {
    const judged = sharedCsv('listing_match/yarra.csv').map((row) => {
      const { text, suburb, state, postcode } = row;
      const input = what === 'text alone' ? { text } : { text, suburb, state, postcode };
      return { kind: row.kind!, expected: row.expected_gnaf_pid || null, result: matchAddress(index, input) };
    });
    const tally = tallyKinds(judged);
    printKinds(`Labelled texts of Yarra, ${what}`, tally);
    expect(tally.precision).toBeGreaterThanOrEqual(0.999);
    expect(tally.recall).toBeGreaterThanOrEqual(0.99);
    expect(tally.invented).toBe(0);
  });

  it('are found for sales; a unit that is not listed is not its building', () => {
    const wrong: string[] = [];
    for (const { address, suburb, gnaf_pid, match } of sharedCsv('yarra/expected/sale_address_matches.csv')) {
      const found = matchAddress(index, { text: address, suburb, state: 'VIC' });
      if (found.gnaf_pid !== (match === 'exact' ? gnaf_pid : null)) wrong.push(`${address} ${found.rule}`);
    }
    // The list joins by equal numbers; both are units of a building whose range starts at the number.
    expect(wrong).toEqual(['8/122 Sackville St range_end', '4/12 Woodlawn St range_end']);
  });

  it('are found in forms that the matcher was developed with', () => {
    const tally = generated(KNOWN_FORMS, false);
    printKinds('Generated variants, known forms', tally);
    expect(tally.precision).toBeGreaterThanOrEqual(0.999);
    expect(tally.recall).toBeGreaterThanOrEqual(0.99);
  });

  it('are found in forms that were held out', () => {
    const tally = generated(HELD_OUT_FORMS, false);
    printKinds('Generated variants, held-out forms', tally);
    expect(tally.precision).toBeGreaterThanOrEqual(0.999);
    expect(tally.recall).toBeGreaterThanOrEqual(0.99);
  });

  it('are not invented', () => {
    // Suburbs with a postcode of their own; two with one postcode may stand for one another.
    const places = [
      { locality: 'ALPHINGTON', postcode: '3078' },
      { locality: 'PRINCES HILL', postcode: '3054' },
      { locality: 'FITZROY', postcode: '3065' },
      { locality: 'ABBOTSFORD', postcode: '3067' },
    ];
    const tally = generated({ ...absentForms(exists), ...heldOutAbsentForms(exists, places) }, true);
    printKinds('Generated addresses that do not exist', tally);
    expect(tally.invented).toBeLessThanOrEqual(0.001);
  });
});

describe.skipIf(!hasData)('451 addresses of all shapes', () => {
  it('are found by their own labels', async () => {
    const rows = await gnafRows(zipIn('gnaf_real_vic_451/'));
    const index = await buildAddressIndex(rows);
    const missed: string[] = [];
    for (const { label, gnaf_pid } of rows.addresses as LabelledAddress[]) {
      const found = matchAddress(index, { text: label });
      if (found.gnaf_pid !== gnaf_pid) missed.push(`${found.status} ${label}`);
    }
    // The building is numbered like a unit.
    expect(missed).toEqual([
      'parent CAMPSITE 42, 42 FOURTH AVENUE, PORTARLINGTON VIC 3223',
      'no_match SITE 150, CAMPSITE 150, 15 THE ESPLANADE, OCEAN GROVE VIC 3226',
    ]);
  });
});

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { generateSampleCountry } from '../../../tools/sample/generate.ts';
import { seededRandom } from '../../../tools/sample/random.ts';
import type { AddressIndex } from '../../../transforms/address/match/address_index.ts';
import { buildAddressIndex } from '../../../transforms/address/match/build.ts';
import { matchAddress } from '../../../transforms/address/match/match.ts';
import { editDistance } from '../../../transforms/address/match/typo.ts';
import { gnafRows } from './gnaf_rows.ts';
import { type Judged, type KindTally, printKinds, tallyKinds } from './kinds.ts';
import {
  type Form,
  PARENT_FORMS,
  PART_FORMS,
  placeForms,
  type Said,
  type Sampled,
  STREET_FORMS,
  type Text,
} from './sample_sets.ts';

const PROPERTIES = 6_000;
/** Texts of each form. */
const PER_FORM = 200;
/** Rules of the parents of texts by form. */
const PARENT_RULES: Readonly<Record<string, RegExp>> = {
  unit_of_a_house: /unit_absent/,
  inside_range: /^inside_range$/,
  unit_inside_range: /unit_absent\+inside_range/,
};

type Row = Awaited<ReturnType<typeof gnafRows>>['addresses'][number] & Record<string, unknown>;

const sampled = (row: Row): Sampled => ({
  pid: row.gnaf_pid,
  unit: row.flat_number,
  unit_type: row.flat_type,
  level_type: row.level_type,
  level: row.level_number,
  lot: row.lot_number,
  building: row.building_name,
  first: row.number_first ?? '',
  last: row.number_last,
  name: row.street_name as string,
  type: row.street_type as string | null,
  suffix: row.street_suffix as string | null,
  locality: row.locality_name as string,
  state: row.state as string,
  postcode: row.postcode!,
  lon: row.lon!,
  lat: row.lat!,
});

const metres = (a: Sampled, b: Sampled): number =>
  Math.hypot((a.lon - b.lon) * Math.cos((a.lat * Math.PI) / 180), a.lat - b.lat) * 111_200;

/** Whether an address of the register has all that a text says. */
function fits(a: Sampled, said: Said, from: Sampled): boolean {
  const number =
    said.last === null
      ? a.first === said.first || a.last === said.first
      : a.first === said.first && a.last === said.last;
  return (
    number &&
    (said.first !== '' || a.lot === from.lot) &&
    a.unit === said.unit &&
    a.suffix === said.suffix &&
    (said.type === null || a.type === said.type) &&
    (said.locality === null || a.locality === said.locality) &&
    (said.postcode === null || a.postcode === said.postcode) &&
    (said.state === null || a.state === said.state) &&
    (said.within_m === null || metres(a, from) <= said.within_m) &&
    editDistance(a.name, said.name, said.edits) <= said.edits
  );
}

describe('the addresses of the sample country', () => {
  let index: AddressIndex;
  let subjects: Sampled[];
  /** Addresses with a number, at either end of a range, and aliases under their principal. */
  const byNumber = new Map<string, Sampled[]>();
  const localities = new Map<string, { locality: string; postcode: string }[]>();

  beforeAll(async () => {
    const dir = await mkdtemp(join(tmpdir(), 'sample-match-'));
    try {
      await generateSampleCountry({ properties: PROPERTIES, seed: 38, out: dir, market_homes: 100 });
      const [zip] = (await readdir(join(dir, 'gnaf'))).filter((name) => name.endsWith('.zip'));
      const rows = await gnafRows(join(dir, 'gnaf', zip!));
      index = await buildAddressIndex(rows);
      const principals = new Map(rows.address_aliases.map((row) => [row.alias_pid, row.principal_pid]));
      const all = (rows.addresses as Row[]).filter((row) => row.is_live && row.street_name && row.postcode);
      for (const row of all) {
        const address = { ...sampled(row), pid: principals.get(row.gnaf_pid) ?? row.gnaf_pid };
        for (const number of new Set([address.first, address.last ?? address.first])) {
          const known = byNumber.get(number);
          if (known) known.push(address);
          else byNumber.set(number, [address]);
        }
      }
      subjects = all.filter((row) => row.alias_principal === 'P').map(sampled);
      for (const { state, locality, postcode } of subjects) {
        const known = localities.get(state) ?? [];
        if (!known.some((each) => each.locality === locality && each.postcode === postcode))
          known.push({ locality, postcode });
        localities.set(state, known);
      }
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });

  /** Addresses that fit what a text says, each by its principal. */
  const fitting = (said: Said, from: Sampled): string[] => [
    ...new Set((byNumber.get(said.first) ?? []).filter((a) => fits(a, said, from)).map(({ pid }) => pid)),
  ];

  /** Ranges of the street that hold a number inside. */
  const rangesAround = (said: Said, { name, type, suffix, locality, state }: Sampled): number =>
    subjects.filter(
      (a) =>
        a.name === name &&
        a.type === type &&
        a.suffix === suffix &&
        a.locality === locality &&
        a.state === state &&
        a.unit === null &&
        a.last !== null &&
        Number.parseInt(a.first, 10) < Number.parseInt(said.first, 10) &&
        Number.parseInt(said.first, 10) < Number.parseInt(a.last, 10),
    ).length;

  /** Draws subjects until there are enough texts of each form that `judged` takes. */
  function eachText(
    forms: Readonly<Record<string, Form>>,
    judged: (kind: string, subject: Sampled, written: Text, said: Said) => boolean,
  ): void {
    for (const [kind, form] of Object.entries(forms)) {
      const random = seededRandom(38, kind);
      let made = 0;
      for (let i = 0; i < PER_FORM * 30 && made < PER_FORM; i++) {
        const subject = random.pick(subjects);
        const written = form(subject, random);
        if (written === null) continue;
        const said: Said = { ...subject, edits: 0, within_m: null, ...written.said };
        if (judged(kind, subject, written, said)) made++;
      }
      expect(made, kind).toBeGreaterThan(0);
    }
  }

  /** The texts of forms that the register can decide: one address alone fits what each says. */
  function judge(forms: Readonly<Record<string, Form>>): KindTally {
    const judged: Judged[] = [];
    eachText(forms, (kind, subject, written, said) => {
      const found = fitting(said, subject);
      if (found.length !== 1 || found[0] !== subject.pid) return false;
      const result = matchAddress(index, written.input, written.hints);
      judged.push({ kind, expected: subject.pid, result });
      return true;
    });
    return tallyKinds(judged);
  }

  const holds = (title: string, tally: KindTally): void => {
    printKinds(title, tally);
    expect(tally.precision).toBeGreaterThanOrEqual(0.999);
    expect(tally.recall).toBeGreaterThanOrEqual(0.99);
  };

  it('are found by their streets: abbreviated, misspelt, without a type', () => {
    holds('Sample, streets', judge(STREET_FORMS));
  });

  it('are found by their units, levels, lots and ranges', () => {
    holds('Sample, units and ranges', judge(PART_FORMS));
  });

  it('are found by the wrong suburb or postcode, without one, and in another order', () => {
    const others = ({ state, locality }: Sampled) =>
      localities.get(state)!.filter((each) => each.locality !== locality);
    holds('Sample, places', judge(placeForms(others)));
  });

  it('are the parents of units and numbers that the register does not have, and are never matched', () => {
    const counts = { texts: 0, parent: 0, matched: 0 };
    eachText(PARENT_FORMS, (kind, subject, written, said) => {
      const whole = fitting({ ...said, unit: null, first: subject.first, last: subject.last }, subject);
      if (fitting(said, subject).length > 0 || fitting({ ...said, unit: null }, subject).length > 1)
        return false;
      if (whole.length !== 1 || rangesAround(said, subject) > (said.first === subject.first ? 0 : 1))
        return false;
      const { status, gnaf_pid, parent_pid, rule, score } = matchAddress(index, written.input);
      counts.texts++;
      if (status === 'matched') counts.matched++;
      if (status !== 'parent') return true;
      expect({ kind, gnaf_pid, parent_pid }).toEqual({ kind, gnaf_pid: null, parent_pid: subject.pid });
      expect(rule).toMatch(PARENT_RULES[kind]!);
      expect(score).toBeLessThan(0.8);
      counts.parent++;
      return true;
    });
    console.log(
      `Sample, parents: ${counts.parent} of ${counts.texts} told as such, ${counts.matched} matched`,
    );
    expect(counts.matched).toBe(0);
    expect(counts.parent / counts.texts).toBeGreaterThanOrEqual(0.99);
  });
});

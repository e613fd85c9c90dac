/**
 * Address matching on labelled texts of a register: writes the addresses of eight councils of Melbourne in the spellings of portals and
 * publishers, with and without postcode or suburb, and texts of addresses that do not exist. Prints precision, recall and texts a second by
 * class of address and by spelling. The same seed gives the same labels.
 * Needs ../shared/data. Run: npx tsx tools/bench/address_labels.ts [labels] [seed]
 */
import { readdirSync } from 'node:fs';
import { groupBy } from '../../schema/group_by.ts';
import { hasSharedData, sharedPath } from '../../test/shared_data.ts';
import { gnafRows } from '../../test/transforms/address/gnaf_rows.ts';
import { type Judged, type KindTally, tallyKinds } from '../../test/transforms/address/kinds.ts';
import {
  existence,
  type LabelledAddress,
  subjectsOf,
} from '../../test/transforms/address/register_subjects.ts';
import {
  absentForms,
  HELD_OUT_FORMS,
  heldOutAbsentForms,
  KNOWN_FORMS,
  numberOf,
  type Subject,
  streetOf,
  title,
  type Variant,
} from '../../test/transforms/address/variants.ts';
import { buildAddressIndex } from '../../transforms/address/match/build.ts';
import { matchAddress } from '../../transforms/address/match/match.ts';
import { type Random, seededRandom } from '../sample/random.ts';

/** One label in so many is of an address that does not exist. */
const ABSENT_EVERY = 8;
/** Subjects that are tried for a form that does not apply to all. */
const TRIES = 200;

const numbered = (s: Subject): string => (s.unit === null ? numberOf(s) : `${s.unit}/${numberOf(s)}`);

const BUSINESSES = [
  'Corner Store',
  'Nguyen & Sons Pty Ltd',
  'Smile Dental Clinic',
  "Rosa's Coffee Shop",
  'Acme Plumbing Supplies',
  'The Bike Shed',
  'Rose Cottage',
  'Little Oak Childcare',
  'Harbour Hotel',
  'Level Up Gym',
  'Town Hall',
  'Tower Medical Centre',
  'Park Street Pharmacy',
  'The Paint Factory',
  'North Road Motors',
  'City West Realty',
];

/** Spellings that the tests do not have: without postcode, without suburb, and with the name of a business before the address. */
const FURTHER: Readonly<Record<string, Variant>> = {
  no_postcode: (s, r) => ({ text: `${numbered(s)} ${streetOf(s, r)}, ${title(s.locality)} ${s.state}` }),
  no_suburb: (s, r) => ({ text: `${numbered(s)} ${streetOf(s, r)}, ${s.state} ${s.postcode}` }),
  business: (s, r) => ({
    text: `${r.pick(BUSINESSES)}, ${numbered(s)} ${streetOf(s, r)}, ${title(s.locality)} ${s.state} ${s.postcode}`,
  }),
  business_no_postcode: (s, r) => ({
    text: `${r.pick(BUSINESSES)} ${numbered(s)} ${streetOf(s, r)} ${title(s.locality)}`,
  }),
};

/** Classes of addresses by what their number has. */
function classOf({ unit, first, last }: Subject): string {
  const number = last !== null ? 'range' : /[A-Z]/.test(first) ? 'number with a letter' : 'house';
  return unit === null ? number : number === 'range' ? 'unit of a range' : 'unit';
}

interface Label extends Judged {
  address: string;
}

/** Writes one label: the first form from `at` on that applies to a subject. */
function written(
  random: Random,
  subjects: readonly Subject[],
  forms: readonly [string, Variant][],
  at: number,
): { subject: Subject; form: string; input: NonNullable<ReturnType<Variant>> } {
  for (let k = 0; k < forms.length; k++) {
    const [form, write] = forms[(at + k) % forms.length]!;
    for (let i = 0; i < TRIES; i++) {
      const subject = random.pick(subjects);
      const input = write(subject, random);
      if (input !== null) return { subject, form, input };
    }
  }
  throw new Error('No form applies.');
}

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;

/** Prints one line for each group, the worst recall or the most invented first. */
function print(title_: string, labels: readonly Label[], groupOf: (label: Label) => string): void {
  const lines = [...groupBy(labels, groupOf)].map(([name, own]): [string, number, KindTally] => [
    name,
    own.length,
    tallyKinds(own),
  ]);
  lines.sort(([, , a], [, , b]) => a.recall - a.invented - (b.recall - b.invented));
  console.log(`\n${title_.padEnd(28)}  labels  precision    recall  invented`);
  for (const [name, n, { precision, recall, invented }] of lines)
    console.log(
      `${name.padEnd(28)} ${String(n).padStart(7)}  ${percent(precision).padStart(9)}  ${percent(recall).padStart(8)}  ${percent(invented).padStart(8)}`,
    );
}

/** Writes the labels, matches them and prints the figures. */
async function measure(count: number, seed: number): Promise<void> {
  const folder = sharedPath('melbourne/gnaf/');
  const rows = await gnafRows(folder + readdirSync(folder).find((name) => name.endsWith('.zip'))!);
  const addresses = rows.addresses as LabelledAddress[];
  const index = await buildAddressIndex(rows);
  const subjects = subjectsOf(addresses);
  const byClass = groupBy(subjects, classOf);
  const places = [...groupBy(subjects, ({ postcode }) => postcode)].flatMap(([postcode, own]) => {
    const names = new Set(own.map(({ locality }) => locality));
    return names.size === 1 ? [{ locality: [...names][0]!, postcode }] : [];
  });
  const exists = existence(addresses);
  const present = Object.entries({ ...KNOWN_FORMS, ...HELD_OUT_FORMS, ...FURTHER });
  const absent = Object.entries({ ...absentForms(exists), ...heldOutAbsentForms(exists, places) });
  const classes = [...byClass.keys()].sort();
  const random = seededRandom(seed, 'address labels');
  const asked = Array.from({ length: count }, (_, i) => {
    const address = classes[i % classes.length]!;
    const isAbsent = i % ABSENT_EVERY === ABSENT_EVERY - 1;
    const forms = isAbsent ? absent : present;
    const made = written(random, byClass.get(address)!, forms, random.int(forms.length));
    return { address, kind: made.form, expected: isAbsent ? null : made.subject.pid, input: made.input };
  });
  const started = performance.now();
  const labels: Label[] = asked.map(({ input, ...label }) => ({
    ...label,
    result: matchAddress(index, input),
  }));
  const seconds = (performance.now() - started) / 1000;
  const { precision, recall, invented } = tallyKinds(labels);
  console.log(
    `${count.toLocaleString('en')} labels, seed ${seed}, ${subjects.length.toLocaleString('en')} addresses: precision ${percent(precision)}, recall ${percent(recall)}, non-existent matched ${percent(invented)}; ${Math.round(count / seconds).toLocaleString('en')} texts a second on one core`,
  );
  print('class', labels, ({ address }) => address);
  print(
    'spelling',
    labels.filter(({ expected }) => expected !== null),
    ({ kind }) => kind,
  );
  print(
    'not in the register',
    labels.filter(({ expected }) => expected === null),
    ({ kind }) => kind,
  );
  const missed = labels.flatMap((label, i) =>
    label.expected === null || label.result.gnaf_pid === label.expected
      ? []
      : [{ label, input: asked[i]!.input }],
  );
  console.log(`\n${missed.length} missed, for example`);
  for (const { label, input } of missed.slice(0, 15))
    console.log(`  ${label.kind}: ${JSON.stringify(input)} -> ${label.result.status}, ${label.result.rule}`);
}

if (hasSharedData('the benchmark of address labels'))
  await measure(Number(process.argv[2] ?? 100_000), Number(process.argv[3] ?? 1));

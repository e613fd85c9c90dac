/**
 * Address matching: builds the index of a seeded synthetic state, opens it again from its chunks, matches texts of several kinds on
 * one core, and prints speed, memory and right answers. Where ../shared/data is there, prints the accuracy by kind of variant on the labelled Yarra texts;
 * where TEST_EXTERNAL_DATABASE_URL names a server with pg_trgm as well (`source tools/scripts/ci_postgres.sh`), the same texts through a
 * trigram query. The embedded server has no pg_trgm.
 * Run: npx tsx tools/bench/matching.ts [addresses] [queries]
 */
import { readdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import pg from 'pg';
import { hasSharedData, sharedCsv, sharedPath } from '../../test/shared_data.ts';
import { gnafRows } from '../../test/transforms/address/gnaf_rows.ts';
import { type KindTally, printKinds, tallyKinds } from '../../test/transforms/address/kinds.ts';
import {
  absentForms,
  HELD_OUT_FORMS,
  KNOWN_FORMS,
  type Subject,
} from '../../test/transforms/address/variants.ts';
import { type AddressIndex, openIndex } from '../../transforms/address/match/address_index.ts';
import { buildAddressIndex, buildSections } from '../../transforms/address/match/build.ts';
import { type Chunk, chunksOf, SectionsReader } from '../../transforms/address/match/chunks.ts';
import { type MatchInput, matchAddress } from '../../transforms/address/match/match.ts';
import { type Random, seededRandom } from '../sample/random.ts';
import { SyntheticState } from './synthetic_addresses.ts';

const ROUNDS = 3;
/** One labelled text in so many goes through the trigram query. */
const TRIGRAM_EVERY = 4;
/** Similarities from which a trigram answer counts as a match. */
const TRIGRAM_THRESHOLDS = [0.5, 0.6, 0.7, 0.8, 0.9];

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`;
const perSecond = (count: number, ms: number): string =>
  `${Math.round((count / ms) * 1000).toLocaleString('en')}/s`;

/** Processor time of this process so far, milliseconds. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

interface Asked {
  input: MatchInput;
  /** Null: must not match. */
  pid: string | null;
}

/** Texts by the forms of the tests; one in eight is of an address that does not exist. */
function questions(state: SyntheticState, count: number): Asked[] {
  const random: Random = seededRandom(13, 'queries');
  const forms = [...Object.values(KNOWN_FORMS), ...Object.values(HELD_OUT_FORMS)];
  const { other_name, other_state, two_units } = absentForms(() => false);
  const absent = [other_name!, other_state!, two_units!];
  const asked: Asked[] = [];
  for (const { row, street, locality } of state.sample(count)) {
    const subject: Subject = {
      pid: row.gnaf_pid,
      unit: row.flat_number,
      first: row.number_first!,
      last: row.number_last,
      name: street.name,
      type: street.type,
      suffix: null,
      locality: locality.name,
      state: 'VIC',
      postcode: locality.code,
    };
    const isAbsent = random.chance(0.125);
    const input = random.pick(isAbsent ? absent : forms)(subject, random);
    if (input !== null) asked.push({ input, pid: isAbsent ? null : row.gnaf_pid });
  }
  return asked;
}

/** The index of a state as it is stored. */
async function storedChunks(state: SyntheticState): Promise<{ chunks: Chunk[]; bytes: number }> {
  const chunks = chunksOf(await buildSections(state.source()));
  return { chunks, bytes: chunks.reduce((sum, chunk) => sum + chunk.bytes.length, 0) };
}

/** The index of chunks, which are let go of one after the other. */
function openChunks(chunks: Chunk[]): AddressIndex {
  const reader = new SectionsReader();
  while (chunks.length > 0) reader.add(chunks.pop()!);
  return openIndex(reader.finish()!);
}

async function synthetic(addresses: number, queries: number): Promise<void> {
  const state = new SyntheticState(addresses);
  const asked = questions(state, queries);
  collectGarbage();
  const before = process.memoryUsage();
  const started = processorMs();
  const { chunks, bytes } = await storedChunks(state);
  const built = processorMs() - started;
  const opened = processorMs();
  const index = openChunks(chunks);
  const open = processorMs() - opened;
  collectGarbage();
  const after = process.memoryUsage();
  const held = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  console.log(
    `${addresses.toLocaleString('en')} addresses, ${index.streets.size.toLocaleString('en')} streets: built in ${(built / 1000).toFixed(1)} s of processor time (rows generated meanwhile), ${megabytes(bytes)} in chunks, put together and opened in ${Math.round(open)} ms, index ${megabytes(held)}, process ${megabytes(after.rss)}, peak ${megabytes(process.resourceUsage().maxRSS * 1024)}`,
  );
  for (let round = 0; round < ROUNDS; round++) {
    const counts = { right: 0, wrong: 0, parent: 0, ambiguous: 0, no_match: 0 };
    const start = performance.now();
    const cpu = processorMs();
    for (const { input, pid } of asked) {
      const { status, gnaf_pid } = matchAddress(index, input);
      if (status !== 'matched') counts[status]++;
      else counts[gnaf_pid === pid ? 'right' : 'wrong']++;
    }
    const ms = performance.now() - start;
    const used = processorMs() - cpu;
    const absent = asked.filter(({ pid }) => pid === null).length;
    console.log(
      `${asked.length} texts (${absent} of no address): ${perSecond(asked.length, ms)} by the clock, ${perSecond(asked.length, used)} of processor time`,
      JSON.stringify(counts),
    );
  }
}

async function trigram(url: string, rows: Awaited<ReturnType<typeof gnafRows>>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_trgm');
    await client.query('CREATE TEMP TABLE a (pid text, label text)');
    const live = rows.addresses.filter(({ is_live }) => is_live) as unknown as {
      gnaf_pid: string;
      label: string;
    }[];
    const principal = new Map(rows.address_aliases.map((each) => [each.alias_pid, each.principal_pid]));
    await client.query('INSERT INTO a SELECT * FROM unnest($1::text[], $2::text[])', [
      live.map(({ gnaf_pid }) => principal.get(gnaf_pid) ?? gnaf_pid),
      live.map(({ label }) => label.replaceAll(',', '')),
    ]);
    await client.query('CREATE INDEX ON a USING gin (label gin_trgm_ops)');
    await client.query('ANALYZE a');
    await client.query(`SET pg_trgm.similarity_threshold = ${TRIGRAM_THRESHOLDS[0]}`);
    const texts = sharedCsv('listing_match/yarra.csv').filter((_, i) => i % TRIGRAM_EVERY === 0);
    const found: ({ pid: string; s: number } | undefined)[] = [];
    const start = performance.now();
    for (const { text } of texts) {
      const sql = 'SELECT pid, similarity(label, $1) AS s FROM a WHERE label % $1 ORDER BY 2 DESC, 1 LIMIT 1';
      found.push((await client.query(sql, [text!.toUpperCase().replaceAll(',', '')])).rows[0]);
    }
    const ms = performance.now() - start;
    console.log(
      `\npg_trgm, the most similar label by a GIN index: ${perSecond(texts.length, ms)} on ${rows.addresses.length} addresses`,
    );
    for (const threshold of TRIGRAM_THRESHOLDS) {
      const answers = found.map((each) => (each !== undefined && each.s >= threshold ? each.pid : null));
      const matched = answers.filter((pid) => pid !== null).length;
      const right = answers.filter((pid, i) => pid !== null && pid === texts[i]!.expected_gnaf_pid).length;
      const absent = texts.filter((each) => !each.expected_gnaf_pid).length;
      const invented = answers.filter((pid, i) => pid !== null && !texts[i]!.expected_gnaf_pid).length;
      console.log(
        `  similarity ≥ ${threshold}: precision ${((100 * right) / matched).toFixed(1)} %, recall ${((100 * right) / (texts.length - absent)).toFixed(1)} %, non-existent matched ${((100 * invented) / absent).toFixed(1)} %`,
      );
    }
  } finally {
    await client.end();
  }
}

async function yarra(): Promise<void> {
  if (!hasSharedData('the accuracy on labelled texts')) return;
  const folder = sharedPath('yarra/gnaf/');
  const rows = await gnafRows(folder + readdirSync(folder).find((name) => name.endsWith('.zip'))!);
  const index = await buildAddressIndex(rows);
  const texts = sharedCsv('listing_match/yarra.csv');
  const tally: KindTally = tallyKinds(
    texts.map(({ text, kind, expected_gnaf_pid }) => ({
      kind: kind!,
      expected: expected_gnaf_pid || null,
      result: matchAddress(index, { text: text! }),
    })),
  );
  printKinds('\nLabelled texts of Yarra', tally);
  const url = process.env.TEST_EXTERNAL_DATABASE_URL;
  if (url === undefined)
    console.log(
      '\npg_trgm: not compared, TEST_EXTERNAL_DATABASE_URL is not set (source tools/scripts/ci_postgres.sh).',
    );
  else await trigram(url, rows);
}

await synthetic(Number(process.argv[2] ?? 1_000_000), Number(process.argv[3] ?? 100_000));
await yarra();

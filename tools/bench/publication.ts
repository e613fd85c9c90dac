/**
 * What it takes to publish a new model of the whole country: every value, comparable and finder row of a database that tools/bench/nights.ts left
 * is another. Prints the changed rows a second with nobody reading, then with eight readers: how long their reads took during publications and
 * between them, errors, and answers that mix two publications. Each asks for a profile, and whether the finder shows the value that the
 * valuation has. Readers are a process of their own; all is on one machine. The database is only good for this bench afterwards.
 * Run: npx tsx tools/bench/publication.ts <folder of tools/bench/nights.ts> [times]
 */

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import pg from 'pg';
import { loadConfig } from '../../cli/load_config.ts';
import { ask } from '../../contract/answers/ask.ts';
import { ENDPOINTS } from '../../contract/index.ts';
import { graph } from '../../pipelines/graph.ts';
import { publish } from '../../pipelines/publish/publish.ts';
import { startEmbedded } from '../../store/embedded/server.ts';
import { openServing } from '../../store/read/serving.ts';
import { NEW_MODEL_GATES, stageModel } from './new_model.ts';

const READERS = 8;
const SUBJECTS = 5000;

/** What the readers saw; a read is its start (milliseconds since 1970) and how long it took, milliseconds. */
interface Seen {
  reads: [start: number, ms: number][];
  mixed: number;
  errors: string[];
}

const now = (): number => performance.timeOrigin + performance.now();

/** Reads until the standard input ends, then prints what was seen. */
async function read(url: string): Promise<void> {
  const db = openServing(url, READERS);
  const seen: Seen = { reads: [], mixed: 0, errors: [] };
  const profile = ENDPOINTS.find(({ subpath }) => subpath === 'profile')!;
  const { rows: subjects } = await sql<{ gnaf_pid: string }>`
    SELECT gnaf_pid FROM serving.property ORDER BY md5(gnaf_pid) LIMIT ${SUBJECTS}`.execute(db);
  let isOver = false;
  process.stdin.on('end', () => {
    isOver = true;
  });
  process.stdin.resume();
  const isMixed = async (gnaf_pid: string): Promise<boolean> => {
    const { rows } = await sql<{ mixed: boolean }>`
      SELECT f.price IS DISTINCT FROM a.predicted_price AS mixed
      FROM serving.property_finder f JOIN serving.property_avm a USING (gnaf_pid) WHERE gnaf_pid = ${gnaf_pid}`.execute(
      db,
    );
    return rows.some(({ mixed }) => mixed);
  };
  let next = 0;
  const reader = async (): Promise<void> => {
    while (!isOver) {
      const { gnaf_pid } = subjects[next++ % subjects.length]!;
      const started = now();
      try {
        if (next % 2 === 0) await ask(profile, db, gnaf_pid, {});
        else if (await isMixed(gnaf_pid)) seen.mixed++;
      } catch (error) {
        seen.errors.push((error as Error).message);
      }
      seen.reads.push([started, now() - started]);
    }
  };
  await Promise.all(Array.from({ length: READERS }, reader));
  await db.destroy();
  process.stdout.write(JSON.stringify(seen));
}

/** The number below which a share of them lies. */
const at = (sorted: readonly number[], share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1);

function print(title: string, reads: Seen['reads']): void {
  const sorted = reads.map(([, ms]) => ms).sort((a, b) => a - b);
  console.log(
    `${title}: ${sorted.length} reads, median ${at(sorted, 0.5)} ms, 99 in 100 below ${at(sorted, 0.99)} ms, longest ${at(sorted, 1)} ms`,
  );
}

async function measure(folder: string, times: number): Promise<void> {
  const { config } = await loadConfig({ config: join(folder, 'config.yaml'), set: [...NEW_MODEL_GATES] }, {});
  const server = await startEmbedded({ dataDir: join(folder, 'db', 'postgres') });
  const url = server.connectionString;
  const client = new pg.Client(url);
  try {
    await client.connect();
    const run = await client.query<{ id: number }>('SELECT max(run_id) AS id FROM control.run');
    const once = async (): Promise<[number, number]> => {
      await stageModel(client);
      const started = now();
      const { tables, outcome } = await publish(client, graph(config), config, {
        runId: run.rows[0]!.id,
        kind: 'refresh',
        accepted: { gates: [], reason: '' },
        tables: null,
        hold: false,
      });
      if (outcome !== 'published') throw new Error(outcome);
      const ended = now();
      const rows = tables.reduce((sum, each) => sum + each.inserted + each.updated + each.deleted, 0);
      const s = (ended - started) / 1000;
      const journal = await client.query<{ bytes: string }>(
        'SELECT journal_bytes AS bytes FROM control.publication ORDER BY publication_id DESC LIMIT 1',
      );
      console.log(
        `publication of ${rows} changed rows: ${s.toFixed(1)} s, ${Math.round(rows / s)} rows a second, journal ${Math.round(Number(journal.rows[0]!.bytes) / rows)} bytes a row`,
      );
      return [started, ended];
    };
    for (let i = 0; i < times; i++) await once();
    const self = fileURLToPath(import.meta.url);
    const child = spawn(process.execPath, ['--import', 'tsx', self, '--read', url], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
    const windows: [number, number][] = [];
    await wait(5000);
    const warm = now();
    for (let i = 0; i < times; i++) {
      await wait(3000);
      windows.push(await once());
    }
    await wait(3000);
    child.stdin.end();
    await ended;
    const seen = JSON.parse(output) as Seen;
    const reads = seen.reads.filter(([start]) => start >= warm);
    const isInside = ([start, ms]: [number, number]): boolean =>
      windows.some(([from, to]) => start < to && start + ms > from);
    print('during publications', reads.filter(isInside));
    print(
      'between them',
      reads.filter((each) => !isInside(each)),
    );
    console.log(`${seen.errors.length} errors, ${seen.mixed} mixed answers`);
  } finally {
    await client.end();
    await server.release();
  }
}

const [first, second] = process.argv.slice(2);
if (first === undefined) throw new Error('usage: npx tsx tools/bench/publication.ts <folder> [times]');
if (first === '--read') await read(second!);
else await measure(first, Number(second ?? 2));

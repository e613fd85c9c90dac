import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../cli/load_config.ts';
import { ask } from '../../../contract/answers/ask.ts';
import { ENDPOINTS } from '../../../contract/index.ts';
import { explain, explainCandidate } from '../../../pipelines/explain/explain.ts';
import { exportTables } from '../../../pipelines/export/export.ts';
import { silent } from '../../../pipelines/report/progress.ts';
import type { RunReport } from '../../../pipelines/report/report.ts';
import { discardCandidate, publishCandidate } from '../../../pipelines/run/publish_candidate.ts';
import { diffCandidate } from '../../../pipelines/views/candidate_diff.ts';
import { diff } from '../../../pipelines/views/journal_view.ts';
import type { Serving } from '../../../schema/serving/database.ts';
import { SERVING_TABLES } from '../../../schema/serving/index.ts';
import { openPool } from '../../../store/database.ts';
import { CANDIDATE_SCHEMA, heldCandidate, withCandidate } from '../../../store/journal/candidate.ts';
import type { JournalChange } from '../../../store/journal/journal.ts';
import { largestDifferences } from '../../../store/journal/largest_differences.ts';
import { numericColumns } from '../../../store/journal/table_facts.ts';
import { servingIn, servingOnClient } from '../../../store/read/serving.ts';
import { WHOLE } from '../../countries.ts';
import { onClient, type TestDatabase } from '../../database.ts';
import { publishedSample } from '../../published_sample.ts';
import { until } from '../../waiting.ts';
import { copySample, editTable } from '../damage.ts';
import { digestOf, OPEN_GATES, refreshSample } from '../sample_run.ts';

const START = fileURLToPath(new URL('../../../cli/start.mjs', import.meta.url));
/** Leaves out every address whose line number has this remainder. */
const withoutEvery = (divisor: number, remainder: number) => (lines: string[]) =>
  lines.filter((_, i) => i === 0 || i % divisor !== remainder);

/** How much the most changed number of an update changed, relative to the larger of both values; null: no number did. */
function moveOf({ change, before, after }: JournalChange, numbers: readonly string[]): number | null {
  if (change !== 'update') return null;
  const shares = numbers.flatMap((name) => {
    const [old, now] = [before![name], after![name]];
    if (typeof old !== 'number' || typeof now !== 'number' || old === now) return [];
    return [Math.abs(old - now) / Math.max(Math.abs(old), Math.abs(now))];
  });
  return shares.length === 0 ? null : Math.max(...shares);
}

/** Answers of all endpoints for some properties and all suburbs, as one text each. */
async function answersOf(db: Serving, pids: readonly string[]): Promise<Record<string, string>> {
  const homes = await db.selectFrom('serving.property').select('sal').distinct().orderBy('sal').execute();
  const suburbs = homes.map(({ sal }) => sal).filter((sal) => sal !== null);
  const answers: Record<string, string> = {};
  for (const endpoint of ENDPOINTS)
    for (const id of endpoint.subject === 'property' ? pids : suburbs)
      answers[`${endpoint.subpath} ${id}`] = JSON.stringify(await ask(endpoint, db, id));
  return answers;
}

describe('the candidate of a held run', () => {
  let parent: string;
  let dir: string;
  let changed: string;
  let published: TestDatabase;

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'candidate-'));
    ({ database: published, dir } = await publishedSample(WHOLE));
    changed = await copySample(dir, parent);
    await editTable(changed, 'VIC_ADDRESS_DETAIL', withoutEvery(9, 4));
  });

  afterAll(async () => {
    await published?.drop();
    for (const folder of [dir, parent]) await rm(folder, { recursive: true, force: true });
  });

  const hold = (database: TestDatabase, set: readonly string[] = OPEN_GATES): Promise<RunReport> =>
    refreshSample(database, changed, set, { hold: true });

  const optionsOf = async (database: TestDatabase, set: readonly string[] = OPEN_GATES) => {
    const { config, base } = await loadConfig(
      {
        config: join(changed, 'config.yaml'),
        set: [`database.url=${database.url}`, 'workers=1', 'audit.sample=20', ...set],
      },
      {},
    );
    return { url: database.url, config, base, accepted: { gates: [] as string[], reason: '' } };
  };

  it('answers every endpoint as the publication does afterwards, while readers of the served data see no change', async () => {
    const database = await published.copy();
    try {
      const served = await digestOf(database);
      const report = await hold(database);
      expect([report.state, report.publication, report.error]).toEqual(['held', null, null]);
      expect(await digestOf(database)).toBe(served);
      const rows = await database.query<{ gnaf_pid: string }>(
        'SELECT gnaf_pid FROM candidate.property ORDER BY hashtext(gnaf_pid) LIMIT 25',
      );
      const gone = await database.query<{ gnaf_pid: string }>(
        'SELECT gnaf_pid FROM serving.property EXCEPT SELECT gnaf_pid FROM candidate.property ORDER BY 1 LIMIT 3',
      );
      expect(gone).toHaveLength(3);
      const pids = [...rows, ...gone].map(({ gnaf_pid }) => gnaf_pid);
      for (const table of SERVING_TABLES) {
        const changes = await database.query<JournalChange>(
          `SELECT change, key, before, after FROM candidate.change WHERE publication_id = 2 AND table_name = $1`,
          [table.name],
        );
        const numbers = numericColumns(table);
        const ranked = changes
          .map((change) => ({ change, move: moveOf(change, numbers) ?? -1 }))
          .sort((a, b) => b.move - a.move || (a.change.key < b.change.key ? -1 : 1))
          .map(({ change: { change, key, before, after } }) => ({ change, key, before, after }));
        for (const limit of [3, 40, 1_000_000])
          expect(await onClient(database, (client) => largestDifferences(client, table, limit))).toEqual(
            ranked.slice(0, limit),
          );
      }
      const [before, differences, explained] = await onClient(database, async (client) => [
        await withCandidate(client, () => answersOf(servingIn(client, CANDIDATE_SCHEMA), pids)),
        await diffCandidate(client, null, 1_000_000),
        await explainCandidate(client, (await optionsOf(database)).config, pids[0]!),
      ]);
      await expect(database.query('SET ROLE api_reader; SELECT FROM candidate.property')).rejects.toThrow(
        /denied/,
      );

      const publication = await publishCandidate(await optionsOf(database));
      expect([publication.state, publication.publication, publication.error]).toEqual(['published', 2, null]);
      const [after, journal, explainedAfter, candidate] = await onClient(database, async (client) => [
        await answersOf(servingOnClient(client), pids),
        await diff(client, { from: 1, to: 2 }, null, 1_000_000),
        await explain(client, (await optionsOf(database)).config, pids[0]!),
        await heldCandidate(client),
      ]);
      expect(after).toEqual(before);
      expect(candidate).toBeNull();
      expect(explainedAfter.serving).toEqual(explained.serving);
      const counts = ({ tables }: typeof journal) =>
        tables
          .map(({ equal: _equal, states: _states, ...table }) => table)
          .sort((a, b) => (a.table < b.table ? -1 : 1));
      expect(counts(differences)).toEqual(counts(journal));
      const [{ n }] = (await database.query(
        'SELECT count(*)::int AS n FROM serving.property WHERE state = $1',
        ['VIC'],
      )) as [{ n: number }];
      const { deleted, states } = differences.tables.find(({ table }) => table === 'property')!;
      expect(states).toEqual([{ state: 'VIC', before: n + deleted, after: n }]);
      expect(deleted).toBeGreaterThanOrEqual(gone.length);
      const keysOf = ({ changes }: typeof journal) =>
        changes.map(({ table, change, key }) => JSON.stringify([table, change, key])).sort();
      expect(keysOf(differences)).toEqual(keysOf(journal));
      expect(keysOf(journal).length).toBeGreaterThan(100);

      const direct = await published.copy();
      try {
        expect((await refreshSample(direct, changed, OPEN_GATES)).state).toBe('published');
        expect(await digestOf(database)).toBe(await digestOf(direct));
      } finally {
        await direct.drop();
      }
    } finally {
      await database.drop();
    }
  });

  it('is computed, read and published while eight readers of the served data read one publication or the next, without an error', async () => {
    const database = await published.copy();
    const pool = openPool(database.url, 8);
    const state =
      'SELECT count(*)::int AS homes, (SELECT max(publication_id) FROM serving.publication) AS publication FROM serving.property';
    const seen = new Set<string>();
    let isOver = false;
    const readers = Array.from({ length: 8 }, async () => {
      while (!isOver) seen.add(JSON.stringify((await pool.query(state)).rows[0]));
    });
    try {
      const before = JSON.stringify((await pool.query(state)).rows[0]);
      await hold(database);
      await onClient(database, (client) => diffCandidate(client, null, 10));
      expect([...seen]).toEqual([before]);
      await publishCandidate(await optionsOf(database));
      const after = JSON.stringify((await pool.query(state)).rows[0]);
      isOver = true;
      await Promise.all(readers);
      expect([...seen].sort()).toEqual([before, after].sort());
    } finally {
      isOver = true;
      await Promise.allSettled(readers);
      await pool.end();
      await database.drop();
    }
  });

  it('exports the same files as the publication afterwards', async () => {
    const database = await published.copy();
    try {
      await hold(database, [...OPEN_GATES, 'database.candidate_readers=true']);
      await database.query('SET ROLE api_reader; SELECT FROM candidate.property LIMIT 1; RESET ROLE');
      const written = (out: string, candidate: boolean) =>
        onClient(database, (client) =>
          exportTables(client, {
            all: SERVING_TABLES,
            publication: null,
            candidate,
            since: null,
            tables: ['property', 'property_neighbour'],
            format: 'csv',
            out: join(parent, out),
            signKey: null,
            progress: silent,
          }),
        );
      const held = await written('held', true);
      await publishCandidate(await optionsOf(database));
      const afterwards = await written('afterwards', false);
      expect(held.publication).toBe(afterwards.publication);
      expect(held.files).toEqual(afterwards.files);
    } finally {
      await database.drop();
    }
  });

  it('stays after a refused run and a refused publish, until publish accepts its gates', async () => {
    const database = await published.copy();
    const closed = ['gates.rows_change_max=0.001'];
    try {
      const report = await refreshSample(database, changed, closed);
      const failed = report.audit.filter(({ status }) => status === 'fail').map(({ check }) => check);
      expect([report.state, report.publication]).toEqual(['refused', null]);
      expect(failed).toContain('rows:property');
      const options = await optionsOf(database, closed);
      expect((await publishCandidate(options)).state).toBe('refused');
      expect(await onClient(database, heldCandidate)).toMatchObject({ publication_id: 2, selected: null });
      const accepted = { gates: failed, reason: 'fewer addresses' };
      const publication = await publishCandidate({ ...options, accepted });
      expect([publication.state, publication.publication]).toEqual(['published', 2]);
      expect(
        await database.query('SELECT kind, reason FROM control.publication WHERE publication_id = 2'),
      ).toEqual([{ kind: 'refresh', reason: 'fewer addresses' }]);
    } finally {
      await database.drop();
    }
  });

  it('is not published if an input or a setting changed since', async () => {
    const database = await published.copy();
    try {
      await expect(publishCandidate(await optionsOf(database))).rejects.toMatchObject({
        code: 'no_candidate',
      });
      await hold(database);
      const settings = await optionsOf(database, [...OPEN_GATES, 'neighbours.tolerance_m=0.3']);
      await expect(publishCandidate(settings)).rejects.toMatchObject({
        code: 'candidate_outdated',
        message: expect.stringMatching(/stage .*neighbour/),
      });
      const next = await copySample(changed, parent);
      await editTable(next, 'VIC_ADDRESS_DETAIL', withoutEvery(11, 3));
      await expect(publishCandidate({ ...(await optionsOf(database)), base: next })).rejects.toMatchObject({
        code: 'candidate_outdated',
        message: expect.stringContaining('dataset gnaf'),
      });
      expect((await publishCandidate(await optionsOf(database))).state).toBe('published');
    } finally {
      await database.drop();
    }
  });

  it('publishes the selected tables alone, although a run would compute others too', async () => {
    const database = await published.copy();
    const set = [...OPEN_GATES, 'hazards.radius_m=900'];
    try {
      const part = await refreshSample(database, dir, set, { hold: true, tables: ['property_risk'] });
      expect([part.state, part.error]).toEqual(['held', null]);
      const candidate = (await onClient(database, heldCandidate))!;
      expect(candidate.selected).toContain('property_risk');
      expect(candidate.pending.join()).toContain('hazards.radius_m 1000 → 900');
      const options = { ...(await optionsOf(database, set)), base: dir };
      const publication = await publishCandidate(options);
      expect([publication.state, publication.error]).toEqual(['published', null]);
      const updatedTables = publication.tables.filter(({ updated }) => updated > 0).map(({ table }) => table);
      expect(updatedTables).toEqual(['property_risk']);
    } finally {
      await database.drop();
    }
  });

  it('is replaced by the next refresh, and computed again after a discard', async () => {
    const database = await published.copy();
    try {
      const served = await digestOf(database);
      await hold(database);
      const { url, config } = await optionsOf(database);
      await discardCandidate(url, config);
      expect(await onClient(database, heldCandidate)).toBeNull();
      expect(await digestOf(database)).toBe(served);
      await expect(discardCandidate(url, config)).rejects.toMatchObject({ code: 'no_candidate' });
      expect((await hold(database)).state).toBe('held');
      // The first release again: nothing differs from what is served, so nothing is held.
      const back = await refreshSample(database, dir, OPEN_GATES);
      expect([back.state, await digestOf(database)]).toEqual(['unchanged', served]);
      expect(await onClient(database, heldCandidate)).toBeNull();
    } finally {
      await database.drop();
    }
  });

  it('is still held if the process that publishes it is killed', async () => {
    const database = await published.copy();
    try {
      await hold(database);
      const blocker = new pg.Client({ connectionString: database.url });
      await blocker.connect();
      await blocker.query('BEGIN; LOCK TABLE control.change IN ACCESS EXCLUSIVE MODE');
      const set = [`database.url=${database.url}`, 'workers=1', 'audit.sample=20', ...OPEN_GATES];
      const child = spawn(
        process.execPath,
        [
          START,
          'publish',
          '--config',
          join(changed, 'config.yaml'),
          ...set.flatMap((each) => ['--set', each]),
        ],
        { stdio: 'ignore' },
      );
      const ended = new Promise((resolve) => child.on('close', resolve));
      await until('the publication to wait for the lock', async () => {
        const waiting = await database.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%control.change%'`,
        );
        return waiting.length > 0;
      });
      child.kill('SIGKILL');
      await ended;
      await blocker.query('ROLLBACK');
      await blocker.end();
      expect(await onClient(database, heldCandidate)).toMatchObject({ publication_id: 2 });
      expect((await publishCandidate(await optionsOf(database))).state).toBe('published');
    } finally {
      await database.drop();
    }
  });
});

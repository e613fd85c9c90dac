import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect } from 'vitest';
import { writeEvidence } from '../../../pipelines/export/write_evidence.ts';
import { WHOLE } from '../../countries.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { loadedDatabase } from '../../published_sample.ts';
import { digestOf, refreshSample } from '../sample_run.ts';
import { EVENT_TABLES } from './events.ts';
import type { Scene } from './night.ts';

/** How a database is made. */
interface Way {
  /** Datasets that did not change since the country was made are loaded in it before; otherwise it is empty. */
  isLoaded?: true;
  set: readonly string[];
  /** Tables that are published before the others. */
  first?: readonly string[];
}

/** The ways of the first rebuilds: the rows are the same whoever computes them, and in whichever order. */
const WAYS: readonly Way[] = [
  { set: ['workers=1', 'batch_rows=37'] },
  { set: ['workers=4', 'batch_rows=1000000'] },
  { set: ['workers=2', 'batch_rows=41'] },
];
const LATER: Way = { set: [], isLoaded: true };
/** The way of the last one. */
const LAST: Way = { set: [], first: EVENT_TABLES };

/** What the books say of every partition; the sales of models are counted as they were in the month, or as they are in the file given. */
const accountsOf = (of: TestDatabase) =>
  of.query(
    `SELECT stage, cell, rows, account, output_digest::text FROM control.partition
     WHERE stage <> 'model_evidence' ORDER BY stage COLLATE "C", cell`,
  );

/** What the books say of the rows that each partition has in each cell where they belong. */
const homesOf = (of: TestDatabase) =>
  of.query(
    `SELECT stage, cell, home, rows, digest::text, extent FROM control.home
     WHERE stage <> 'model_evidence' ORDER BY stage COLLATE "C", cell, home`,
  );

/** Writes the sales that the models of a database are made from. */
async function evidenceOf(database: TestDatabase, folder: string): Promise<string> {
  const file = join(folder, 'model_evidence.csv');
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await writeEvidence(client, file).finally(() => client.end());
  return file;
}

/** Compares a database with one made from nothing from the same deliveries, settings and sales of its models. */
export function rebuilder({
  database,
  dir,
}: Scene): (set: readonly string[], isLast: boolean) => Promise<void> {
  let rebuilds = 0;
  return async (set, isLast) => {
    const way = isLast ? LAST : (WAYS[rebuilds++] ?? LATER);
    const fresh = way.isLoaded ? await loadedDatabase(WHOLE) : await createDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'evidence-'));
    try {
      const evidence = await evidenceOf(database, folder);
      const refresh = async (tables?: readonly string[]): Promise<void> => {
        const options = tables === undefined ? { evidence } : { evidence, tables };
        const { state, error, audit } = await refreshSample(fresh, dir, [...way.set, ...set], options);
        expect(error).toBeNull();
        expect(audit.filter(({ status }) => status === 'fail')).toEqual([]);
        expect(state).toBe('published');
      };
      if (way.first !== undefined) {
        await refresh(way.first);
        expect(await fresh.query('SELECT 1 FROM serving.property_event LIMIT 1')).toHaveLength(1);
        expect(await fresh.query('SELECT 1 FROM serving.property_finder LIMIT 1')).toEqual([]);
      }
      await refresh();
      expect((await digestOf(database)).split('\n')).toEqual((await digestOf(fresh)).split('\n'));
      expect(await accountsOf(database)).toEqual(await accountsOf(fresh));
      expect(await homesOf(database)).toEqual(await homesOf(fresh));
    } finally {
      await rm(folder, { recursive: true, force: true });
      await fresh.drop();
    }
  };
}

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect } from 'vitest';
import { writeEvidence } from '../../pipelines/export/evidence.ts';
import type { TestDatabase } from '../database.ts';
import { loadedDatabase } from '../published_sample.ts';
import { digestOf, refreshSample, type SampleDatasets } from './sample_run.ts';

/** After how many nights a database is held against one that is made anew; REBUILD_EVERY=1: after each. */
const EVERY = Number(process.env.REBUILD_EVERY ?? 3);

/** File of the sales that the models of a database are made from; null: it has none. */
export async function evidenceOf(database: TestDatabase): Promise<string | null> {
  const [found] = await database.query('SELECT 1 FROM asset.model_evidence LIMIT 1');
  if (found === undefined) return null;
  const file = join(await mkdtemp(join(tmpdir(), 'evidence-')), 'model_evidence.csv');
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await writeEvidence(client, file).finally(() => client.end());
  return file;
}

/** The nights of a country, one after the other, in a database that is to be at any time as one that is made anew. */
export interface Nights {
  /** Digest of a database made from the folder as it is now, given the sales that the models of this one are made from; what did not change is loaded in it before, unless one is given. */
  rebuilt(set?: readonly string[], fresh?: TestDatabase): Promise<string>;
  /** A night is over: every third is held against a database that is made anew. What went wrong in one before it shows there too. */
  over(): Promise<void>;
  /** Holds the database against one that is made anew, where that was not done after the last night. */
  compared(): Promise<void>;
  drop(): Promise<void>;
  /** The database that was made last. */
  readonly last: TestDatabase;
}

export function nightsOf(
  country: readonly [properties: number, seed: number, datasets?: SampleDatasets],
  database: TestDatabase,
  dir: string,
): Nights {
  const made: TestDatabase[] = [];
  let nights = 0;
  const rebuilt: Nights['rebuilt'] = async (set = [], fresh) => {
    const anew = fresh ?? (await loadedDatabase(...country));
    made.push(anew);
    const evidence = await evidenceOf(database);
    expect((await refreshSample(anew, dir, set, evidence === null ? {} : { evidence })).error).toBeNull();
    return digestOf(anew);
  };
  const compared = async (): Promise<void> => {
    if (nights === 0) return;
    nights = 0;
    expect(await digestOf(database)).toBe(await rebuilt());
  };
  return {
    rebuilt,
    over: async () => {
      nights++;
      if (nights >= EVERY) await compared();
    },
    compared,
    drop: async () => {
      for (const one of made) await one.drop();
    },
    get last() {
      return made.at(-1)!;
    },
  };
}

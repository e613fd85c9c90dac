import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WHOLE } from '../../countries.ts';
import { type PublishedSample, publishedSample } from '../../published_sample.ts';
import { ROOT } from '../../source_tree.ts';
import { pipeline } from '../child_run.ts';

/** SQL blocks of a page, in order. */
const blocksOf = (page: string): string[] =>
  [...page.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql]) => sql!);

describe('examples of docs/query.md', () => {
  let sample: PublishedSample;
  let blocks: string[];

  beforeAll(async () => {
    sample = await publishedSample(WHOLE);
    blocks = blocksOf(await readFile(join(ROOT, 'docs/query.md'), 'utf8'));
  });
  afterAll(async () => {
    await sample?.database.drop();
    await rm(sample.dir, { recursive: true, force: true });
  });

  it('for psql run on the server', async () => {
    expect(blocks).toHaveLength(2);
    for (const statement of blocks[0]!.split(';').filter((text) => text.trim() !== ''))
      await expect(sample.database.query(statement)).resolves.toBeInstanceOf(Array);
  });

  it('for DuckDB run on exported files', async () => {
    const out = join(sample.dir, 'out');
    const exported = pipeline(
      ['export', '--format', 'parquet', '--out', out, '-c', join(sample.dir, 'config.yaml')],
      { DATABASE_URL: sample.database.url },
    );
    expect((await exported.ended).code, exported.output()).toBe(0);
    const duck = await (await DuckDBInstance.create()).connect();
    for (const statement of blocks[1]!.replaceAll("'out/", `'${out}/`).split(';')) {
      if (statement.trim() === '') continue;
      const rows = (await duck.runAndReadAll(statement)).getRowObjects();
      expect(rows.length, statement).toBeGreaterThan(0);
    }
    duck.closeSync();
  });
});

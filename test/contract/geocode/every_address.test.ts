import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { find } from '../../../contract/answers/ask.ts';
import { geocode } from '../../../contract/geocode/geocode.ts';
import type { Serving } from '../../../schema/serving/database.ts';
import { openServing } from '../../../store/read/serving.ts';
import { LARGE } from '../../countries.ts';
import type { TestDatabase } from '../../database.ts';
import { publishedSample } from '../../published_sample.ts';

describe('the geocoder', () => {
  let database: TestDatabase;
  let db: Serving;
  let dir: string;

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(LARGE));
    db = openServing(database.url);
  });
  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('finds the property of every address that is served', async () => {
    const rows = await database.query<{ gnaf_pid: string; address: string; shared: boolean }>(
      'SELECT gnaf_pid, address, count(*) OVER (PARTITION BY address) > 1 AS shared FROM serving.property ORDER BY gnaf_pid',
    );
    const ofKind = (kind: RegExp): number => rows.filter(({ address }) => kind.test(address)).length;
    expect(ofKind(/^LEVEL \d/)).toBeGreaterThan(100);
    expect(ofKind(/^LOT \d+ VIA /)).toBeGreaterThan(0);
    const lost: string[] = [];
    for (const { gnaf_pid, address, shared } of rows) {
      const found = await find(geocode, db, { address });
      const isFound = shared
        ? found.status === 'ambiguous' && found.candidates.some((each) => each.gnaf_pid === gnaf_pid)
        : found.status === 'matched' && found.gnaf_pid === gnaf_pid;
      if (!isFound) lost.push(`${address}: ${found.status} ${found.rule}`);
    }
    expect(lost).toEqual([]);
  });
});

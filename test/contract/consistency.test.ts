import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { WHOLE } from '../countries.ts';
import { publishedSample } from '../published_sample.ts';
import { disagreementsIn } from './shared_facts.ts';

describe('each fact that two answers share', () => {
  it('is the same in both, of every home and suburb of the sample country', async () => {
    const { database, dir } = await publishedSample(WHOLE);
    const { found, compared } = await disagreementsIn(database.url, 1);
    // One value that is another says so.
    const [changed] = await database.query<{ pid: string }>(
      `UPDATE serving.property_finder SET beds = beds + 1 WHERE gnaf_pid =
         (SELECT min(gnaf_pid) FROM serving.property_finder WHERE beds IS NOT NULL) RETURNING gnaf_pid AS pid`,
    );
    const { found: then } = await disagreementsIn(database.url, changed!.pid);
    await database.drop();
    await rm(dir, { recursive: true, force: true });
    expect(found).toEqual([]);
    expect(compared).toBeGreaterThan(20_000);
    expect(then).toHaveLength(1);
    expect(then[0]).toContain(`${changed!.pid} finder beds`);
  });
});

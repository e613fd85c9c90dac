import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { silent } from '../../pipelines/report/progress.ts';
import { refresh } from '../../pipelines/run/refresh.ts';
import { openServing } from '../../store/read/serving.ts';
import { WHOLE } from '../countries.ts';
import { createDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';
import { hasSharedData } from '../shared_data.ts';
import { disagreements } from './shared_facts.ts';

const YARRA = fileURLToPath(new URL('../../config/yarra.yaml', import.meta.url));
/** Of the homes of Yarra one in so many is looked at. */
const STEP = 40;

/** Of one home, or of every so many. */
async function compare(url: string, which: number | string): Promise<{ found: string[]; compared: number }> {
  const db = openServing(url);
  try {
    const homes = await db.selectFrom('serving.property').select('gnaf_pid').orderBy('gnaf_pid').execute();
    const some = homes
      .map(({ gnaf_pid }) => gnaf_pid)
      .filter((pid, i) => (typeof which === 'string' ? pid === which : i % which === 0));
    return await disagreements(db, some);
  } finally {
    await db.destroy();
  }
}

describe('each fact that two answers share', () => {
  it('is the same in both, of every home and suburb of the sample country', async () => {
    const { database, dir } = await publishedSample(WHOLE);
    const { found, compared } = await compare(database.url, 1);
    // One value that is another says so.
    const [changed] = await database.query<{ pid: string }>(
      `UPDATE serving.property_finder SET beds = beds + 1 WHERE gnaf_pid =
         (SELECT min(gnaf_pid) FROM serving.property_finder WHERE beds IS NOT NULL) RETURNING gnaf_pid AS pid`,
    );
    const { found: then } = await compare(database.url, changed!.pid);
    await database.drop();
    await rm(dir, { recursive: true, force: true });
    expect(found).toEqual([]);
    expect(compared).toBeGreaterThan(20_000);
    expect(then).toHaveLength(1);
    expect(then[0]).toContain(`${changed!.pid} finder beds`);
  });

  it.skipIf(!hasSharedData('the City of Yarra consistency'))(
    'is the same in both, of homes of the City of Yarra',
    async () => {
      const database = await createDatabase();
      const { config, base } = await loadConfig({ config: YARRA, set: [`database.url=${database.url}`] }, {});
      const report = await refresh({ url: database.url, config, base, progress: silent, command: 'test' });
      expect(report.error).toBeNull();
      const { found, compared } = await compare(database.url, STEP);
      await database.drop();
      expect(found).toEqual([]);
      expect(compared).toBeGreaterThan(10_000);
    },
  );
});

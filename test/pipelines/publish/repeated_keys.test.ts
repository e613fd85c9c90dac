import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SMALL } from '../../countries.ts';
import { createDatabase } from '../../database.ts';
import { makeSample, refreshSample } from '../sample_run.ts';

it('refuses the first publication of a table with a repeated key, names it, and publishes once it is gone', async () => {
  const database = await createDatabase();
  const dir = await mkdtemp(join(tmpdir(), 'repeated-'));
  try {
    await makeSample(dir, SMALL);
    const held = ['gates.tables.property.null_share_max.building_name=0', 'gates.judged_rows_min=0'];
    const first = await refreshSample(database, dir, held);
    expect(first.state).toBe('refused');
    const [{ gnaf_pid }] = (await database.query(
      'INSERT INTO staged.property SELECT * FROM staged.property ORDER BY gnaf_pid LIMIT 1 RETURNING gnaf_pid',
    )) as [{ gnaf_pid: string }];
    const repeated = await refreshSample(database, dir);
    expect(repeated.state).toBe('refused');
    expect(repeated.audit.filter(({ status }) => status === 'fail')).toMatchObject([
      {
        check: 'keys:property',
        table: 'property',
        message: `keys are repeated, for example ${gnaf_pid}.`,
      },
    ]);
    expect(await database.query('SELECT FROM serving.property')).toEqual([]);
    await database.query(
      `DELETE FROM staged.property a USING staged.property b WHERE a.gnaf_pid = b.gnaf_pid AND a.ctid > b.ctid`,
    );
    expect((await refreshSample(database, dir)).state).toBe('published');
  } finally {
    await database.drop();
    await rm(dir, { recursive: true, force: true });
  }
});

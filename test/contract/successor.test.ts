import { rm } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerOf, ask } from '../../contract/answers/ask.ts';
import { successor } from '../../contract/answers/successor.ts';
import { ENDPOINTS } from '../../contract/index.ts';
import { profile } from '../../contract/suburb/profile.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { openPool, withClient } from '../../store/database.ts';
import { readAsOf } from '../../store/read/past_serving.ts';
import { openServing } from '../../store/read/serving.ts';
import { editTable } from '../pipelines/damage.ts';
import { OPEN_GATES, refreshSample } from '../pipelines/sample_run.ts';
import { type PublishedSample, publishedSample } from '../published_sample.ts';

const NEW_OF_MARKED = 'GAVIC910000001';
const NEW_OF_LEFT_OUT = 'GAVIC910000002';

describe('the successor of an id', () => {
  let sample: PublishedSample;
  let db: Serving;
  /** Properties that the second release marks as retired, leaves out, and leaves out without a new id at the address. */
  let [marked, leftOut, gone] = ['', '', ''];
  /** Address of each id in the first publication. */
  const addresses = new Map<string, string>();

  beforeAll(async () => {
    sample = await publishedSample();
    const { database, dir } = sample;
    for (const row of await database.query<{ gnaf_pid: string; address: string }>(
      'SELECT gnaf_pid, address FROM serving.property',
    ))
      addresses.set(row.gnaf_pid, row.address);
    const homes = await database.query<{ gnaf_pid: string }>(
      `SELECT min(gnaf_pid) AS gnaf_pid FROM serving.property WHERE state = 'VIC' AND number_first IS NOT NULL AND street IS NOT NULL
         AND primary_secondary IS NULL GROUP BY address HAVING count(*) = 1 ORDER BY 1 LIMIT 3`,
    );
    [marked, leftOut, gone] = homes.map(({ gnaf_pid }) => gnaf_pid) as [string, string, string];
    await editTable(dir, 'VIC_ADDRESS_DETAIL', (lines) => {
      const at = lines[0]!.split('|').indexOf('DATE_RETIRED');
      return lines.flatMap((line) => {
        const fields = line.split('|');
        if (fields[0] === marked)
          return [fields.with(at, '2026-01-01').join('|'), fields.with(0, NEW_OF_MARKED).join('|')];
        if (fields[0] === leftOut) return [fields.with(0, NEW_OF_LEFT_OUT).join('|')];
        return fields[0] === gone ? [] : [line];
      });
    });
    // The sample has rejects by design, a larger share of fewer rows.
    const gates = [...OPEN_GATES, 'gates.rejects_share_max=1'];
    const { error, publication } = await refreshSample(database, dir, gates);
    expect(error).toBeNull();
    expect(publication).toBe(2);
    db = openServing(database.url);
    await sql`SET ROLE api_reader`.execute(db);
  });

  afterAll(async () => {
    await db?.destroy();
    await sample?.database.drop();
    await rm(sample.dir, { recursive: true, force: true });
  });

  it('is the property at its address, if the release marks it as retired or leaves it out', async () => {
    for (const [id, gnaf_pid] of [
      [marked, NEW_OF_MARKED],
      [leftOut, NEW_OF_LEFT_OUT],
    ] as const)
      expect(await ask(successor, db, id)).toEqual({
        data: { gnaf_pid, address: addresses.get(id), evidence: 'address' },
      });
  });

  it('is named by every endpoint of a property that does not know the id', async () => {
    for (const endpoint of ENDPOINTS.filter(({ subject }) => subject === 'property')) {
      if (endpoint === successor) continue;
      for (const [id, gnaf_pid] of [
        [marked, NEW_OF_MARKED],
        [leftOut, NEW_OF_LEFT_OUT],
      ] as const)
        expect(await ask(endpoint, db, id), endpoint.path).toMatchObject({
          no_data: 'unknown_property',
          message: `There is no property with this id. It is retired; ${gnaf_pid} is at its address: ${addresses.get(id)}.`,
        });
    }
    const message = 'There is no property with this id.';
    for (const id of ['GANONE', '', 'a\0b'])
      expect(await ask(profile, db, id)).toMatchObject({ no_data: 'unknown_property', message });
  });

  it('is the id of a property itself, and the principal of an alias', async () => {
    for (const [gnaf_pid, address] of addresses) {
      if ([marked, leftOut, gone].some((id) => id === gnaf_pid)) continue;
      expect((await ask(successor, db, gnaf_pid)).data).toEqual({ gnaf_pid, address, evidence: 'current' });
    }
    const [alias] = await sample.database.query<{ alias_pid: string; principal_pid: string }>(
      'SELECT alias_pid, principal_pid FROM serving.property_alias JOIN serving.property ON gnaf_pid = principal_pid LIMIT 1',
    );
    const { body, principal } = await answerOf(successor, db, alias!.alias_pid, {});
    expect(principal).toBe(alias!.principal_pid);
    expect(body).toMatchObject({ data: { gnaf_pid: principal, evidence: 'current' } });
  });

  it('is the row of property_successor for every retired address, or the reason why it has none', async () => {
    const rows = await sample.database.query<{
      retired_pid: string;
      successor_pid: string | null;
      evidence: string | null;
    }>('SELECT * FROM serving.property_successor');
    const [retired] = await sample.database.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM record.address WHERE NOT is_live',
    );
    expect(rows).toHaveLength(retired!.n);
    const counts: Record<string, number> = {};
    for (const { retired_pid, successor_pid, evidence } of rows) {
      const { data, ...none } = await ask(successor, db, retired_pid);
      if (evidence === null)
        expect(none, retired_pid).toMatchObject({
          no_data: 'not_matched',
          reason: `no_successor_for_${retired_pid}`,
        });
      else expect(data, retired_pid).toMatchObject({ gnaf_pid: successor_pid, evidence });
      counts[evidence ?? 'none'] = (counts[evidence ?? 'none'] ?? 0) + 1;
    }
    expect(counts.place).toBeGreaterThan(0);
    expect(counts.address).toBeGreaterThan(0);
  });

  it('is unknown for an id that was never served, and missing for a removed home without a replacement', async () => {
    expect(await ask(successor, db, 'GANONE')).toMatchObject({ no_data: 'unknown_property' });
    const [parcel] = await sample.database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM serving.property WHERE parcel_id = (SELECT before->>'parcel_id' FROM serving.change
         WHERE table_name = 'property' AND key = $1 AND change = 'delete')`,
      [gone],
    );
    const answer = await ask(successor, db, gone);
    if (parcel!.n === 1) expect(answer.data).toMatchObject({ evidence: 'place' });
    else expect(answer).toMatchObject({ data: null, no_data: 'not_matched' });
  });

  it('is the id itself in an earlier publication that had it', async () => {
    const pool = openPool(sample.database.url, 1);
    try {
      await withClient(pool, (client) =>
        readAsOf(client, 1, async (db) => {
          for (const id of [marked, leftOut, gone])
            expect((await ask(successor, db, id)).data).toMatchObject({
              gnaf_pid: id,
              evidence: 'current',
            });
        }),
      );
    } finally {
      await pool.end();
    }
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../../schema/read_contract/answer.ts';
import type { Serving } from '../../schema/read_contract/database.ts';
import { ENDPOINTS } from '../../schema/read_contract/index.ts';
import { landArea } from '../../schema/read_contract/land_area.ts';
import { neighbours } from '../../schema/read_contract/neighbours.ts';
import { zoningCode } from '../../schema/read_contract/zoning_code.ts';
import { openServing } from '../../store/serving.ts';
import { createDatabase, type TestDatabase } from '../database.ts';
import { makeSample, refreshSample } from './sample_run.ts';

describe('the read contract over published tables', () => {
  let database: TestDatabase;
  let db: Serving;
  let dir: string;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'contract-'));
    await makeSample(dir, 600, 2, 'all');
    database = await createDatabase();
    expect((await refreshSample(database, dir)).error).toBeNull();
    db = openServing(database.url);
    // The one connection reads as the API does.
    await sql`SET ROLE api_reader`.execute(db);
  });

  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('answers every endpoint for every property with a payload or a typed reason', async () => {
    const pids = await database.query<{ gnaf_pid: string }>('SELECT gnaf_pid FROM serving.property');
    expect(pids).toHaveLength(600);
    for (const { gnaf_pid } of pids) {
      for (const endpoint of ENDPOINTS.filter((each) => each.subject === 'property')) {
        const envelope = await ask(endpoint, db, gnaf_pid);
        if (envelope.data === null) {
          expect(envelope).toMatchObject({
            available: false,
            reason: `no_${endpoint.thing}_for_${gnaf_pid}`,
          });
        }
      }
    }
  });

  it('answers every suburb endpoint for every suburb with a payload or a typed reason', async () => {
    const suburbs = await database.query<{ sal: string }>('SELECT sal FROM serving.suburb');
    expect(suburbs.length).toBeGreaterThan(5);
    const answered = new Set<string>();
    for (const { sal } of suburbs) {
      for (const endpoint of ENDPOINTS.filter((each) => each.subject === 'suburb')) {
        if ((await ask(endpoint, db, sal)).data !== null) answered.add(endpoint.path);
      }
    }
    expect([...answered]).toEqual(
      expect.arrayContaining(['suburb/profile', 'suburb/demographics', 'suburb/hazards', 'suburb/shape']),
    );
  });

  it.each(ENDPOINTS.map((endpoint) => [endpoint.path, endpoint] as const))(
    '%s says that there is no such property',
    async (_, endpoint) => {
      expect(await ask(endpoint, db, 'GAVIC000000000')).toMatchObject({
        data: null,
        no_data: `unknown_${endpoint.subject}`,
      });
    },
  );

  it('tells a place without a zoning source from an address without a position', async () => {
    const [covered] = await database.query<{ pid: string }>(
      `SELECT gnaf_pid AS pid FROM serving.property_coverage c JOIN serving.property p USING (gnaf_pid)
       WHERE 'zoning' = ANY (covered) AND parcel_id IS NULL
         AND NOT EXISTS (SELECT 1 FROM serving.property_zoning z WHERE z.gnaf_pid = c.gnaf_pid) LIMIT 1`,
    );
    const [uncovered] = await database.query<{ pid: string }>(
      `SELECT gnaf_pid AS pid FROM serving.property WHERE state = 'QLD' AND is_parcel_position LIMIT 1`,
    );
    if (covered)
      expect(['not_matched', 'none_found']).toContain(
        ((await ask(zoningCode, db, covered.pid)) as { no_data: string }).no_data,
      );
    expect(await ask(zoningCode, db, uncovered!.pid)).toMatchObject({ no_data: 'not_covered' });
  });

  it('gives a unit of a shared parcel no land area, and lists no neighbour twice', async () => {
    const [unit] = await database.query<{ pid: string }>(
      `SELECT gnaf_pid AS pid FROM serving.property WHERE land_area_reason = 'unit_on_shared_parcel' LIMIT 1`,
    );
    expect(await ask(landArea, db, unit!.pid)).toMatchObject({ no_data: 'none_found' });
    const envelope = await ask(neighbours, db, unit!.pid);
    const pids = envelope.data!.neighbours.map((neighbour) => neighbour.gnaf_pid);
    expect(new Set(pids).size).toBe(pids.length);
    expect(pids).not.toContain(unit!.pid);
  });

  it('reads without a sequential scan', async () => {
    const reader = openServing(database.url);
    try {
      await sql`SET enable_seqscan = off`.execute(reader);
      for (const table of ['property', 'property_profile', 'property_neighbour', 'property_zoning']) {
        const plan = await sql<{
          'QUERY PLAN': string;
        }>`EXPLAIN SELECT * FROM ${sql.table(`serving.${table}`)} WHERE gnaf_pid = 'x'`.execute(reader);
        const text = plan.rows.map((row) => row['QUERY PLAN']).join('\n');
        expect(text, table).not.toContain('Seq Scan');
      }
    } finally {
      await reader.destroy();
    }
  });

  it('lets the role read nothing but serving', async () => {
    for (const table of ['control.run', 'record.address', 'asset.address_parcel', 'staged.property']) {
      await expect(sql`SELECT * FROM ${sql.table(table)}`.execute(db), table).rejects.toThrow(
        /permission denied/,
      );
    }
    await expect(sql`DELETE FROM serving.property`.execute(db)).rejects.toThrow(/permission denied/);
  });
});

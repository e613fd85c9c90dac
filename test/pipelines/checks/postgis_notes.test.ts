import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgisNotes } from '../../../pipelines/checks/postgis_notes.ts';
import type { RunReport } from '../../../pipelines/report/report.ts';
import { openPool } from '../../../store/database.ts';
import { WHOLE } from '../../countries.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { sampleFolder } from '../../published_sample.ts';
import { refreshSample } from '../sample_run.ts';

/** Of every kind of shape more than a hundred. */
const COUNTRY = { ...WHOLE, properties: 1000, seed: 5 };
const SERVER = process.env.TEST_EXTERNAL_DATABASE_URL;
if (!SERVER)
  console.warn('SKIPPED: PostGIS. Set TEST_EXTERNAL_DATABASE_URL, or source tools/scripts/ci_postgres.sh.');

/** A bow tie: a ring that crosses itself. */
const BOW_TIE =
  '010300000001000000050000000000000000000000000000000000000000000000000000400000000000000040000000000000004000000000000000000000000000000000000000000000004000000000000000000000000000000000';

describe.skipIf(!SERVER)('the check by PostGIS', () => {
  let dir: string;
  let database: TestDatabase;
  let report: RunReport;
  let isThere = false;

  beforeAll(async () => {
    database = await createDatabase(SERVER);
    const [found] = await database.query(`SELECT 1 FROM pg_available_extensions WHERE name = 'postgis'`);
    isThere = found !== undefined;
    if (!isThere) return console.warn('SKIPPED: PostGIS is not installed on the external server.');
    await database.query('CREATE EXTENSION postgis');
    dir = await sampleFolder(COUNTRY);
    report = await refreshSample(database, dir);
  });
  afterAll(async () => {
    await database?.drop();
    if (dir) await rm(dir, { recursive: true, force: true });
  });

  it('accepts every stored shape', async (context) => {
    if (!isThere) return context.skip();
    expect(report.state).toBe('published');
    expect(report.notes.filter((note) => note.includes('PostGIS'))).toEqual([]);
    for (const table of ['parcel', 'zone_piece', 'hazard_piece', 'overlay_piece', 'region_piece']) {
      const [count] = await database.query<{ n: number; invalid: number }>(
        `SELECT count(*)::int AS n, count(*) FILTER (WHERE NOT ST_IsValid(ST_GeomFromWKB(geom)))::int AS invalid FROM record.${table}`,
      );
      expect(count!.n, table).toBeGreaterThan(100);
      expect(count!.invalid, table).toBe(0);
    }
  });

  it('reports an invalid shape, with its key', async (context) => {
    if (!isThere) return context.skip();
    const [zone] = await database.query<{ zone_id: string }>(
      `UPDATE record.zone_piece SET geom = '\\x${BOW_TIE}' WHERE (cell, zone_id) = (SELECT cell, zone_id FROM record.zone_piece ORDER BY 1, 2 LIMIT 1) RETURNING zone_id`,
    );
    const pool = openPool(database.url, 1);
    const client = await pool.connect();
    try {
      const notes = await postgisNotes(client, report.run_id);
      expect(notes).toEqual([
        expect.stringMatching(/^PostGIS ST_IsValid rejects 1 of \d+ shapes of zone_piece, for example /),
      ]);
      expect(notes[0]).toContain(zone!.zone_id);
    } finally {
      client.release();
      await pool.end();
    }
  });
});

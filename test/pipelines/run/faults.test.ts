import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../cli/load_config.ts';
import { rollback } from '../../../pipelines/run/rollback.ts';
import { health } from '../../../pipelines/views/health.ts';
import { openPool } from '../../../store/database.ts';
import { startEmbedded } from '../../../store/embedded/server.ts';
import { VICTORIA } from '../../countries.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { embeddedStatus, stopEmbedded } from '../../embedded_status.ts';
import { publishedSample } from '../../published_sample.ts';
import { pipeline, refreshInChild, until } from '../child_run.ts';
import { copySample, editTable } from '../damage.ts';
import { digestOf, OPEN_GATES, refreshSample } from '../sample_run.ts';

describe('faults around a run', () => {
  let parent: string;
  let sample: string;
  let other: string;
  let whole: string;
  let otherWhole: string;
  const databases: TestDatabase[] = [];
  const fresh = async (server?: string): Promise<TestDatabase> => {
    const database = await createDatabase(server);
    databases.push(database);
    return database;
  };

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'faults-'));
    await chmod(parent, 0o755);
    const { database: undisturbed, ...published } = await publishedSample(VICTORIA);
    databases.push(undisturbed);
    sample = published.dir;
    await chmod(sample, 0o755);
    other = await copySample(sample, parent);
    await editTable(other, 'VIC_ADDRESS_DETAIL', (lines) => lines.filter((_, i) => i % 4 !== 3));
    whole = await digestOf(undisturbed);
    expect((await refreshSample(undisturbed, other, OPEN_GATES)).state).toBe('published');
    otherWhole = await digestOf(undisturbed);
  });

  afterAll(async () => {
    for (const database of databases) await database.drop();
    await rm(sample, { recursive: true, force: true });
    await rm(parent, { recursive: true, force: true });
  });

  it('serves what it served after the server is killed while a publication is written', async () => {
    const dataDir = join(parent, 'own', 'postgres');
    const server = await startEmbedded({ dataDir });
    try {
      const database = await createDatabase(server.connectionString);
      expect((await refreshSample(database, sample)).state).toBe('published');
      // Holds the publication up in the middle of its transaction.
      await database.query(`CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_sleep(20); RETURN NULL; END $$`);
      await database.query(
        'CREATE TRIGGER wait AFTER INSERT ON control.change FOR EACH STATEMENT EXECUTE FUNCTION public.wait()',
      );
      const run = refreshInChild(
        database.url,
        other,
        OPEN_GATES.flatMap((gate) => ['--set', gate]),
      );
      const publishing = async (): Promise<boolean> =>
        (await database.query(`SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'`)).length > 0;
      expect(await until(run, publishing), run.output()).toBe(true);
      process.kill(embeddedStatus(dataDir).pid!, 'SIGKILL');
      const { code } = await run.ended;
      expect(code, run.output()).toBe(1);
      expect(run.output()).toContain('database_lost');
      const again = await startEmbedded({ dataDir });
      const url = new URL(again.connectionString);
      url.pathname = new URL(database.url).pathname;
      const restarted = { ...database, url: url.toString() };
      expect(await digestOf(restarted)).toBe(whole);
      const pool = openPool(restarted.url, 1);
      await pool.query('DROP TRIGGER wait ON control.change');
      await pool.end();
      const report = await refreshSample(restarted, other, OPEN_GATES);
      expect(report).toMatchObject({ state: 'published', publication: 2 });
      expect(report.stages.every((stage) => stage.partitions_run === 0)).toBe(true);
      expect(await digestOf(restarted)).toBe(otherWhole);
      await again.release();
    } finally {
      await server.release();
      await stopEmbedded(dataDir);
    }
  });

  it('goes by numbers and not by clocks where a clock is set back', async () => {
    const database = await fresh();
    expect((await refreshSample(database, sample)).state).toBe('published');
    // As if both clocks had been a year ahead until just now.
    await database.query(`UPDATE control.publication SET published_at = published_at + interval '1 year'`);
    await database.query(
      `UPDATE control.run SET started_at = started_at + interval '1 year', finished_at = finished_at + interval '1 year'`,
    );
    await database.query(`UPDATE control.partition SET computed_at = computed_at + interval '1 year'`);
    await database.query(`UPDATE control.load SET loaded_at = loaded_at + interval '1 year'`);
    const back = `data:text/javascript,${encodeURIComponent('const now = Date.now; Date.now = () => now() - 4e10;')}`;
    const run = pipeline(
      [
        'refresh',
        '-c',
        join(other, 'config.yaml'),
        '--json',
        ...OPEN_GATES.flatMap((gate) => ['--set', gate]),
      ],
      { DATABASE_URL: database.url, NODE_OPTIONS: `--import ${back}` },
    );
    expect((await run.ended).code, run.output()).toBe(0);
    expect(JSON.parse(run.stdout())).toMatchObject({ state: 'published', publication: 2 });
    expect(await digestOf(database)).toBe(otherWhole);
    const pool = openPool(database.url, 1);
    const client = await pool.connect();
    try {
      expect(await health(client, 1)).toMatchObject({ status: 'ok', publication: 2 });
    } finally {
      client.release();
      await pool.end();
    }
    const { config } = await loadConfig({ config: join(sample, 'config.yaml') }, {});
    await rollback({ url: database.url, config, to: null, reason: 'test' });
    expect(await digestOf(database)).toBe(whole);
  });

  it('says that the disk is full, and goes on when there is room', async (context) => {
    const disk = join(parent, 'disk');
    spawnSync('mkdir', ['-p', disk]);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=700m,mode=0777', 'tmpfs', disk]);
    if (mounted.status !== 0) {
      console.warn('SKIPPED: full disk. No file system of a limited size can be mounted here.');
      context.skip();
    }
    const dataDir = join(disk, 'data');
    const args = ['-c', join(sample, 'config.yaml'), '--data-dir', dataDir, '--workers', '1'];
    const filler = join(disk, 'filler');
    try {
      expect((await pipeline(['status', ...args]).ended).code).toBe(0);
      const { bavail, bsize } = await statfs(disk);
      spawnSync('fallocate', ['-l', String(bavail * bsize - 2 * 1024 * 1024), filler]);
      const first = pipeline(['refresh', ...args]);
      expect((await first.ended).code, first.output()).toBe(1);
      expect(first.output()).toContain('disk_full');
      console.log(`full disk: ${/error \w+: .*/.exec(first.output())?.[0]}`);
      await rm(filler);
      const second = pipeline(['refresh', ...args]);
      expect((await second.ended).code, second.output()).toBe(0);
      const digest = pipeline(['digest', ...args, '--json']);
      expect((await digest.ended).code).toBe(0);
      const lines = JSON.parse(digest.stdout()) as { table: string; rows: number; digest: string }[];
      expect(lines.map((line) => `${line.table} ${line.rows} ${line.digest}`).join('\n')).toBe(whole);
    } finally {
      await stopEmbedded(join(dataDir, 'postgres')).catch(() => undefined);
      spawnSync('umount', ['-l', disk]);
    }
  });
});

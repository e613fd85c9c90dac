import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChildRun, isOver, pipeline } from '../pipelines/child_run.ts';
import { editTable } from '../pipelines/damage.ts';
import { sampleFolder } from '../published_sample.ts';
import { HANG_MS, until } from '../waiting.ts';

/** A disk of its own for the embedded server. */
const DISK = '220m';
const dir = mkdtempSync(join(tmpdir(), 'full-disk-'));
const disk = join(dir, 'disk');
mkdirSync(disk);
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'none', disk]).status === 0;
if (!isMounted) console.warn('SKIPPED: a disk that fills, because this user may mount none.');

describe.skipIf(!isMounted)('a disk that fills', () => {
  let sample: string;
  const ballast = join(disk, 'ballast');
  const running: ChildRun[] = [];

  beforeAll(async () => {
    sample = await sampleFolder();
  });
  afterAll(() => {
    for (const run of running) run.child.kill('SIGKILL');
    spawnSync('umount', ['-l', disk]);
    rmSync(dir, { recursive: true, force: true });
    if (sample) rmSync(sample, { recursive: true, force: true });
  });

  const command = (...args: string[]): ChildRun => {
    const run = pipeline([
      ...args,
      '--config',
      join(sample, 'config.yaml'),
      '--data-dir',
      join(disk, 'data'),
    ]);
    running.push(run);
    return run;
  };
  /** Fills the disk up to some bytes. */
  const fill = (leftBytes: number): void => {
    const { bavail, bsize } = statfsSync(disk);
    execFileSync('fallocate', ['-l', String(Math.max(1, bavail * bsize - leftBytes)), ballast]);
  };
  const free = (): void => rmSync(ballast, { force: true });
  const ended = async (run: ChildRun): Promise<number | null> => (await run.ended).code;

  it(
    'ends a refresh with an error that names the disk; the next refresh publishes once space is free',
    async () => {
      const first = command('refresh', '--set', 'workers=1');
      expect(await ended(first), first.output()).toBe(0);
      await editTable(sample, 'VIC_STREET_LOCALITY', (lines) => {
        const at = lines[0]!.split('|').indexOf('STREET_NAME');
        return lines.map((line, i) =>
          i === 0
            ? line
            : line
                .split('|')
                .with(at, `${line.split('|')[at]}X`)
                .join('|'),
        );
      });
      fill(2_000_000);
      const full = command('refresh', '--set', 'workers=1', '--set', 'retry.attempts=1');
      expect(await ended(full)).not.toBe(0);
      expect(full.output()).toMatch(/disk|space/i);
      expect(full.output()).not.toMatch(/error internal|\n\s+at /);
      free();
      const next = command('refresh', '--set', 'workers=1', '--set', 'gates.rows_change_max=1000');
      expect(await ended(next), next.output()).toBe(0);
      expect(next.output()).toMatch(/publication 2/i);
    },
    HANG_MS,
  );

  it(
    'under a service: no answer without its charge, and no charge without its answer, once there is room',
    async () => {
      const made = command('admin', 'keys', 'create', '--account', 'disk', '--label', 'test', '--json');
      expect(await ended(made), made.output()).toBe(0);
      const { key } = JSON.parse(made.stdout()) as { key: string };
      expect(key).toMatch(/^pk_/);
      const credit = command('admin', 'keys', 'topup', '--account', 'disk', '--cents', '1000000');
      expect(await ended(credit), credit.output()).toBe(0);
      const serve = async (): Promise<{ run: ChildRun; base_url: string }> => {
        const run = command(
          'serve',
          '--port',
          '0',
          '--json',
          '--set',
          'service.rate_per_s=100000',
          '--set',
          'service.rate_burst=100000',
        );
        const line = await until('the service', () =>
          run.stdout().includes('base_url') ? run.stdout() : isOver(run) && run.output(),
        );
        return { run, base_url: (JSON.parse(line) as { base_url: string }).base_url };
      };
      const received = new Set<string>();
      const statuses = new Map<number, number>();
      const { run, base_url } = await serve();
      let isEnough = false;
      const callers = Array.from({ length: 8 }, async () => {
        while (!isEnough && !isOver(run)) {
          try {
            const answer = await fetch(`${base_url}/v1/properties/GAVIC900000001/profile`, {
              headers: { authorization: `Bearer ${key}` },
            });
            const text = await answer.text();
            statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
            if (answer.status === 200 && text.startsWith('{"data":{'))
              received.add(answer.headers.get('x-request-id')!);
            else await sleep(20);
          } catch {
            await sleep(20);
          }
        }
      });
      await until('answers', () => received.size > 200);
      fill(0);
      // The server fails as soon as it needs another file for its log.
      await until('a failure', () => isOver(run) || (statuses.get(503) ?? 0) > 50 || received.size > 20_000);
      free();
      isEnough = true;
      await Promise.all(callers);
      run.child.kill('SIGTERM');
      await ended(run);
      expect([...statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
      const again = await serve();
      const answer = await fetch(`${again.base_url}/v1/properties/GAVIC900000001/profile`, {
        headers: { authorization: `Bearer ${key}` },
      });
      expect(answer.status).toBe(200);
      received.add(answer.headers.get('x-request-id')!);
      const db = command('db', '--json');
      const url = await until('the database', () => /postgresql:[^"]+/.exec(db.stdout())?.[0]);
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await until('refunds', async () => (await client.query('SELECT 1 FROM account.unsent')).rowCount === 0);
      const { rows } = await client.query<{ request_id: string; cents: number }>(
        `SELECT request_id, sum(cents)::int AS cents FROM account.ledger WHERE kind IN ('charge', 'adjustment') GROUP BY 1`,
      );
      await client.end();
      const paid = new Set(rows.filter(({ cents }) => cents < 0).map(({ request_id }) => request_id));
      console.log(
        `${received.size} answers, statuses ${JSON.stringify([...statuses])}, service ended: ${isOver(run)}`,
      );
      expect([...received].filter((id) => !paid.has(id))).toEqual([]);
      expect([...paid].filter((id) => !received.has(id)).length).toBeLessThanOrEqual(8);
      for (const one of [again.run, db]) {
        one.child.kill('SIGTERM');
        await ended(one);
      }
    },
    HANG_MS,
  );
});

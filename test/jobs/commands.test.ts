import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddedStatus, stopEmbedded } from '../embedded_status.ts';
import { until } from '../waiting.ts';
import { makeSample, type Sample } from './sample.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A command under way, what it has printed, and its exit code once it ended. */
interface Command {
  child: ChildProcess;
  out: Record<string, unknown>[];
  err: string;
  exit: number | null | undefined;
}

describe('commands of the queue, on the embedded server', () => {
  let sample: Sample;
  let dataDir: string;
  const commands: Command[] = [];

  beforeAll(async () => {
    sample = await makeSample();
    dataDir = await mkdtemp(join(tmpdir(), 'jobs-data-'));
  });
  afterAll(async () => {
    for (const { child } of commands) child.kill('SIGKILL');
    await stopEmbedded(join(dataDir, 'postgres'));
    await rm(dataDir, { recursive: true, force: true });
    await sample.remove();
  });

  function run(...args: string[]): Command {
    const { DATABASE_URL: _, REDIS_URL: __, ...env } = process.env;
    const all = ['cli/start.mjs', ...args, '--config', sample.file, '--data-dir', dataDir, '--json'];
    const child = spawn(process.execPath, all, { cwd: ROOT, env, stdio: 'pipe' });
    const command: Command = { child, out: [], err: '', exit: undefined };
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop()!;
      command.out.push(...lines.map((line) => JSON.parse(line) as Record<string, unknown>));
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      command.err += chunk;
    });
    child.on('close', (code) => {
      command.exit = code;
    });
    commands.push(command);
    return command;
  }
  const over = async (command: Command): Promise<Command> => {
    await until('the end of a command', () => command.exit !== undefined);
    return command;
  };
  const seen = (command: Command, event: string) =>
    until(event, () => command.out.find((each) => each.event === event)).catch((error) => {
      throw new Error(`${error.message}; ${JSON.stringify(command.out)} ${command.err}`);
    });

  it('a worker whose configuration no refresh could read does not wait for work', async () => {
    const { exit, out } = await over(run('worker', '--set', 'datasets.gnaf.adapter=gnfa'));
    expect(exit).toBe(2);
    expect(out).toEqual([{ error: expect.objectContaining({ message: expect.stringContaining('gnfa') }) }]);
  });

  it('a worker that is stopped hands its job to the next one, which drains', async () => {
    const first = run('worker', '--drain', '0');
    expect(await seen(first, 'ready')).toMatchObject({
      backend: 'postgres',
      schedules: [
        { cron: '0 2 * * *', timezone: 'Australia/Sydney' },
        { cron: '0 6-18/4 * * *', job: 'avm' },
        { cron: '30 6 * * 1-5', job: 'cma', distribute: true },
      ],
    });
    const { out } = await over(run('worker', '--now'));
    expect(out).toEqual([{ job_id: expect.stringMatching(/^refresh-/), joined: false, workers: 1 }]);
    await seen(first, 'started');
    first.child.kill('SIGTERM');
    await over(first);
    expect([first.exit, first.out.at(-1)]).toEqual([
      130,
      expect.objectContaining({ event: 'stopped', drained: false }),
    ]);

    const second = run('worker');
    expect(await seen(second, 'started')).toMatchObject({ job_id: out[0]!.job_id });
    second.child.kill('SIGTERM');
    await over(second);
    expect(second.out.map(({ event }) => event)).toEqual(['ready', 'started', 'finished', 'stopped']);
    expect(second.out[2]).toMatchObject({ state: 'published' });
    expect([second.exit, second.out[3]]).toEqual([0, expect.objectContaining({ drained: true })]);

    expect(embeddedStatus(join(dataDir, 'postgres')).running).toBe(false);
    expect((await over(run('schedule', '--tz', 'Australia/Perth'))).out).toMatchObject([
      { schedule: { cron: '0 2 * * *', timezone: 'Australia/Perth' } },
    ]);
    const avm = ['schedule', 'avm'];
    expect((await over(run(...avm))).out).toMatchObject([{ schedule: { cron: '0 6-18/4 * * *' } }]);
    expect((await over(run('schedule', 'cma', '--remove'))).out).toEqual([{ schedule: null }]);
    const ofAvm = {
      schedule: expect.objectContaining({ cron: '0 13 * * *', job: 'avm' }),
    };
    expect((await over(run(...avm, '--cron', '0 13 * * *'))).out).toEqual([ofAvm]);
    expect((await over(run('schedule'))).out).toEqual([
      { schedule: expect.objectContaining({ cron: '0 2 * * *', timezone: 'Australia/Perth' }) },
      ofAvm,
    ]);
    expect((await over(run('schedule', '--remove'))).out).toEqual([{ schedule: null }]);
    expect((await over(run('schedule'))).out).toEqual([ofAvm]);
    const nameless = await over(run('worker', '--now', 'avn'));
    expect([nameless.exit, nameless.out[0]]).toMatchObject([2, { error: { code: 'config_invalid' } }]);
    const unknown = await over(run('worker', '--now', '--tables', 'property_amv'));
    expect([unknown.exit, unknown.out[0]]).toMatchObject([
      2,
      { error: { code: 'config_invalid', message: expect.stringContaining('Did you mean property_avm?') } },
    ]);
    const wrong = await over(run('schedule', '--cron', 'nightly'));
    expect([wrong.exit, wrong.out[0]]).toEqual([
      2,
      { error: expect.objectContaining({ code: 'config_invalid' }) },
    ]);
  });
});

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { RefreshOptions } from '../../pipelines/run/refresh.ts';
import { startProxy } from '../../test/pipelines/tcp_proxy.ts';
import { refreshWatched } from '../kills/walk_run.ts';
import type { Scene } from '../kills/walk_scene.ts';
import { seededRandom } from '../sample/random.ts';
import type { Fault } from './plan.ts';

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url));

/** What came of a run. */
export interface Outcome {
  /** State of the run, code of its error, or `killed`. */
  end: string;
  message: string;
  /** Where the fault struck; null: the run ended before. */
  struckAt: string | null;
  /** Failed gates of a refused run of this process. */
  failed?: string[];
}

export const gotThrough = ({ end }: Outcome): boolean => end === 'published' || end === 'unchanged';

/** Runs in a process of its own, which the fault ends or stops, or gives a wrong clock. */
async function runInChild(scene: Scene, set: readonly string[], fault: Fault): Promise<Outcome> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', CHILD, JSON.stringify({ run: scene.run(set), fault })],
    {
      stdio: 'pipe',
    },
  );
  let said = '';
  const isStopped = (): boolean => /\) T /.test(readFileSync(`/proc/${child.pid}/stat`, 'utf8'));
  const resume = async (ms: number): Promise<void> => {
    while (child.exitCode === null && !isStopped()) await sleep(2);
    await sleep(ms);
    child.kill('SIGCONT');
  };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (fault.kind === 'freeze' && text.includes('"point"')) void resume(fault.ms);
    });
  const signal = await new Promise((resolve) => child.once('close', (_, by) => resolve(by)));
  const struckAt = /"point":"([^"]*)"/.exec(said)?.[1] ?? null;
  if (signal === 'SIGKILL' && fault.kind === 'kill') return { end: 'killed', message: '', struckAt };
  const last = /^\{"state".*$/m.exec(said)?.[0];
  if (last === undefined) return { end: 'internal', message: said.slice(-800), struckAt };
  const { state, code, message } = JSON.parse(last) as {
    state: string;
    code: string | null;
    message?: string;
  };
  return { end: code ?? state, message: message ?? '', struckAt };
}

/** Runs in this process, which stands still while the fault strikes; a faulty link is a proxy between it and the server. */
async function runHere(
  scene: Scene,
  set: readonly string[],
  fault: Fault | null,
  more: Partial<RefreshOptions>,
): Promise<Outcome> {
  const others = new Set(scene.sessions());
  const { next, int } = seededRandom(fault?.kind === 'slow_link' ? fault.seed : 0, 'link');
  let stallMs = 0;
  const wait = (): number => {
    const ms = stallMs;
    stallMs = 0;
    if (fault?.kind === 'slow_link' && next() < 0.01) return 1 + int(20);
    return ms;
  };
  const run = scene.run(set);
  const url = new URL(run.url);
  const proxy = fault?.kind.endsWith('_link') ? await startProxy(url.hostname, Number(url.port), wait) : null;
  if (proxy !== null) url.port = String(proxy.port);
  const strike = (): void => {
    if (fault?.kind === 'cut_link') proxy!.cut();
    if (fault?.kind === 'stalled_link') stallMs = fault.ms;
    if (fault?.kind !== 'kill') return;
    if (fault.victim === 'server') scene.killServer();
    const own = scene.sessions().filter((pid) => !others.has(pid));
    const at = fault.point % (own.length || 1);
    const cut = { sessions: own, session: own.slice(at, at + 1), process: [], server: [] }[fault.victim];
    for (const pid of cut) process.kill(pid, 'SIGTERM');
  };
  let points = 0;
  let struckAt: string | null = null;
  const onPoint = (point: string): void => {
    points++;
    if (fault === null || !('point' in fault) || points !== fault.point) return;
    struckAt = point;
    strike();
  };
  try {
    const report = await refreshWatched({ ...run, url: url.toString() }, onPoint, more);
    const failed = report.audit.filter(({ status }) => status === 'fail').map(({ check }) => check);
    return {
      end: report.error?.code ?? report.state,
      message: report.error?.message ?? '',
      struckAt,
      failed,
    };
  } catch (error) {
    return { end: (error as { code?: string }).code ?? 'internal', message: String(error), struckAt };
  } finally {
    await proxy?.close();
  }
}

/** Does one refresh, with a fault or none. */
export function runOnce(
  scene: Scene,
  set: readonly string[],
  fault: Fault | null,
  more: Partial<RefreshOptions> = {},
): Promise<Outcome> {
  const isOfProcess =
    fault?.kind === 'freeze' ||
    fault?.kind === 'clock' ||
    (fault?.kind === 'kill' && fault.victim === 'process');
  return isOfProcess ? runInChild(scene, set, fault) : runHere(scene, set, fault, more);
}

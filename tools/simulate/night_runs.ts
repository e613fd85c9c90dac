import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadedConfig, loadConfig } from '../../cli/load_config.ts';
import { publishCandidate } from '../../pipelines/run/publish_candidate.ts';
import type { RefreshOptions } from '../../pipelines/run/refresh.ts';
import { rollback } from '../../pipelines/run/rollback.ts';
import { digests } from '../../pipelines/views/status.ts';
import { OPEN_GATES } from '../../test/pipelines/sample_run.ts';
import { withClient } from '../kills/kill_checks.ts';
import type { Scene } from '../kills/walk_scene.ts';
import { damage } from './deliveries.ts';
import type { Fault, Night } from './plan.ts';
import { gotThrough, type Outcome, runOnce } from './runs.ts';

/** Settings of every run. */
export const SET = ['workers=1', 'batch_rows=20', 'retry.backoff_ms=10', 'audit.sample=5', ...OPEN_GATES];
/** With these most deliveries are refused: rows must not change, and the generator writes rows that must be rejected. */
const REFUSING = [
  ...SET,
  ...OPEN_GATES.map((gate) => gate.replace(/=.*/, '=0')),
  'gates.datasets.gnaf.rejects_share_max=0',
  'gates.datasets.listings.rejects_share_max=0',
];
/** Codes with which a run may end that something was done to. */
const EXCUSED = new Set([
  'killed',
  'database_lost',
  'database_unreachable',
  'run_superseded',
  'locked',
  'partition_failed',
  'stopped',
]);
/** Runs without a fault until one gets through: sessions of the one before may still hold its lock. */
const TRIES = 4;
const nameOf = (fault: Fault): string => (fault.kind === 'kill' ? `kill ${fault.victim}` : fault.kind);
const digestOf = (url: string): Promise<string> =>
  withClient(url, async (client) =>
    (await digests(client)).map(({ table, rows, digest }) => `${table} ${rows} ${digest}`).join('\n'),
  );

/** The runs of a night on the database that is served: those that faults strike, and those of operators. */
export class NightRuns {
  readonly #scene: Scene;
  /** Folder of the deliveries. */
  readonly #files: string;
  readonly #note: (event: string) => void;
  /** How often each fault struck; those of runs that ended before their point are `not met`. */
  readonly faults: Record<string, number> = {};

  constructor(scene: Scene, files: string, note: (event: string) => void) {
    this.#scene = scene;
    this.#files = files;
    this.#note = note;
  }

  /** Refreshes with a fault; the run may end for it, with a code that says so. */
  async runFaulty(scene: Scene, fault: Fault, more: Partial<RefreshOptions> = {}): Promise<Outcome> {
    const outcome = await runOnce(scene, SET, fault, more);
    await scene.serve();
    const name = outcome.struckAt === null && 'point' in fault ? `${nameOf(fault)}, not met` : nameOf(fault);
    this.faults[name] = (this.faults[name] ?? 0) + 1;
    this.#note(
      `run with ${JSON.stringify(fault)}: ${outcome.end}${outcome.struckAt === null ? '' : ` after ${outcome.struckAt}`}`,
    );
    const mayEnd = fault.kind === 'kill' || fault.kind === 'cut_link';
    const isExcused = mayEnd && outcome.struckAt !== null && EXCUSED.has(outcome.end);
    if (!gotThrough(outcome) && !isExcused)
      throw new Error(`a run ended with ${outcome.end}: ${outcome.message}`);
    return outcome;
  }

  /** Refreshes until a run gets through. */
  async runThrough(scene: Scene, set: readonly string[], more: Partial<RefreshOptions> = {}): Promise<void> {
    for (let tries = 1; ; tries++) {
      const outcome = await runOnce(scene, set, null, more);
      this.#note(`run: ${outcome.end}`);
      if (gotThrough(outcome)) return;
      if (tries === TRIES || !EXCUSED.has(outcome.end))
        throw new Error(`a run without a fault ended with ${outcome.end}: ${outcome.message}`);
      await sleep(200);
    }
  }

  /** A run that meets a damaged file serves what was served. */
  async meetDamage({ damaged }: Night): Promise<void> {
    if (damaged === null) return;
    const before = await digestOf(this.#scene.url);
    const mend = await damage(this.#files, damaged);
    const { end, message } = await runOnce(this.#scene, SET, null);
    this.#note(`run with a damaged file of ${damaged}: ${end}`);
    await mend();
    if (end === 'internal') throw new Error(`a damaged file of ${damaged}: ${message}`);
    if (end !== 'published' && (await digestOf(this.#scene.url)) !== before)
      throw new Error(`a damaged file of ${damaged} changed what is served`);
  }

  /** An operator computes a stage again, or goes back and takes it back. */
  async operate(night: Night): Promise<void> {
    const { url } = this.#scene;
    const { operator, backfilled } = night;
    if (operator === 'backfill') await this.runThrough(this.#scene, SET, { backfill: { stage: backfilled } });
    if (operator !== 'rollback') return;
    const { config } = await this.#config(SET);
    const id = await rollback({ url, config, to: null, reason: 'simulated' }).then(
      ({ publication }) => publication,
      (error: { code?: string }) => {
        if (error.code === 'unknown_publication' || error.code === 'journal_pruned') return error.code;
        throw error;
      },
    );
    this.#note(`rollback: ${id}`);
    const { end } = await runOnce(this.#scene, SET, null);
    if (end === 'refused') await this.#accept(SET, ['rollback']);
    else await this.runThrough(this.#scene, SET);
  }

  #config(set: readonly string[]): Promise<LoadedConfig> {
    const { url } = this.#scene;
    return loadConfig({ config: join(this.#files, 'config.yaml'), set: [`database.url=${url}`, ...set] }, {});
  }

  /** An operator publishes what a refused run holds. */
  async #accept(set: readonly string[], gates: readonly string[]): Promise<void> {
    const accepted = { gates, reason: 'simulated' };
    const { state, error } = await publishCandidate({
      url: this.#scene.url,
      ...(await this.#config(set)),
      accepted,
    });
    this.#note(`accepted ${gates.join(', ')}: ${state}`);
    if (state !== 'published') throw new Error(`accepted gates end with ${state}: ${error?.message}`);
  }

  /** Refreshes with gates that refuse; an operator accepts them, or puts the files of before back. */
  async decide({ operator }: Night, bringBack: () => Promise<void>): Promise<void> {
    if (operator !== 'accept' && operator !== 'reject') return;
    const before = await digestOf(this.#scene.url);
    const { end, message, failed } = await runOnce(this.#scene, REFUSING, null);
    this.#note(`run with gates that refuse: ${end}`);
    // No gate looks at what was delivered.
    if (end === 'published' || end === 'unchanged') return;
    if (end !== 'refused') throw new Error(`gates that refuse: ${end} ${message}`);
    if ((await digestOf(this.#scene.url)) !== before) throw new Error('a refused run changed what is served');
    if (operator === 'accept') {
      await this.#accept(REFUSING, failed!);
      return;
    }
    await bringBack();
    await this.runThrough(this.#scene, SET);
    this.#note('rejected: the files of before are back');
    if ((await digestOf(this.#scene.url)) !== before) throw new Error('rejected changes are served');
  }
}

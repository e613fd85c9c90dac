import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { loadConfig } from '../../cli/load_config.ts';
import type { RefreshOptions } from '../../pipelines/run/refresh.ts';
import { rollback } from '../../pipelines/run/rollback.ts';
import { digests } from '../../pipelines/views/status.ts';
import { OPEN_GATES } from '../../test/pipelines/sample_run.ts';
import { withClient, wrongBooks } from '../kills/kill_checks.ts';
import { Scene } from '../kills/walk_scene.ts';
import { Customer } from './customer.ts';
import { copyDeliveries, damage, deliver, writeCountry } from './deliveries.ts';
import { type Fault, type Night, planNights } from './plan.ts';
import { type Seen, startReaders } from './readers.ts';
import { rebuildDiffers } from './rebuild.ts';
import { gotThrough, type Outcome, runOnce } from './runs.ts';

const SET = ['workers=1', 'batch_rows=20', 'retry.backoff_ms=10', 'audit.sample=5', ...OPEN_GATES];
/** With these every change of rows is refused. */
const REFUSING = [...SET, ...OPEN_GATES.map((gate) => gate.replace(/=.*/, '=0'))];
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
/** How long sessions of a run that is over may take to notice. */
const GONE_MS = 20_000;

export interface Settings {
  seed: number;
  nights: number;
  /** Nights between two rebuilds. */
  rebuildEvery: number;
  log(line: string): void;
  /** Does something behind the pipeline's back after a night, before the check. */
  tamper?(client: pg.Client, night: number): Promise<void>;
}

/** What a night found wrong, with what happened in it. */
export class NightFailed extends Error {
  constructor(
    { seed, nights, rebuildEvery }: Settings,
    { number }: Night,
    events: readonly string[],
    wrong: string,
  ) {
    super(
      `seed ${seed}, night ${number}: ${wrong}\n${events.map((event) => `  ${event}`).join('\n')}\n` +
        `Reproduce: npm run simulate -- --seed ${seed} --nights ${Math.max(number, nights)} --rebuild-every ${rebuildEvery}`,
    );
  }
}

export interface Summary {
  nights: number;
  rebuilds: number;
  /** Faults that struck, by kind and victim; those of runs that ended before their point are `not met`. */
  faults: Record<string, number>;
  publications: number;
  /** Calls of customers that were answered. */
  answered: number;
  seconds: number;
}

const nameOf = (fault: Fault): string => (fault.kind === 'kill' ? `kill ${fault.victim}` : fault.kind);
const digestOf = (url: string): Promise<string> =>
  withClient(url, async (client) =>
    (await digests(client)).map(({ table, rows, digest }) => `${table} ${rows} ${digest}`).join('\n'),
  );

/** A country, its database and everybody around it, night after night. */
class Simulation {
  readonly #settings: Settings;
  readonly #dir: string;
  readonly #scene: Scene;
  /** Where rebuilds are made, on a server of their own. */
  readonly #other: Scene;
  readonly #seen: Seen = new Map();
  readonly #faults: Record<string, number> = {};
  #customer: Customer | null = null;
  #events: string[] = [];
  #rebuilds = 0;

  private constructor(settings: Settings, dir: string, scene: Scene, other: Scene) {
    this.#settings = settings;
    this.#dir = dir;
    this.#scene = scene;
    this.#other = other;
  }

  static async run(settings: Settings): Promise<Summary> {
    const began = performance.now();
    const dir = mkdtempSync(join(tmpdir(), 'simulate-'));
    const file = join(dir, 'files', 'config.yaml');
    await writeCountry(join(dir, 'files'), settings.seed);
    const [scene, other] = await Promise.all(
      ['served', 'rebuilt'].map((name) => Scene.open(join(dir, name), file)),
    );
    const simulation = new Simulation(settings, dir, scene!, other!);
    try {
      await simulation.#begin();
      for (const night of planNights(settings.seed, settings.nights, settings.rebuildEvery))
        await simulation.#live(night);
      return await simulation.#summary(began);
    } finally {
      await scene!.close();
      await other!.close();
      await rm(dir, { recursive: true, force: true });
    }
  }

  get #files(): string {
    return join(this.#dir, 'files');
  }

  async #begin(): Promise<void> {
    await this.#scene.fresh('simulated');
    const first = await runOnce(this.#scene, SET, null);
    if (first.end !== 'published') throw new Error(`the first refresh: ${first.end} ${first.message}`);
    this.#customer = await Customer.open(this.#scene.url);
  }

  async #summary(began: number): Promise<Summary> {
    const publications = await withClient(
      this.#scene.url,
      async (client) =>
        (await client.query<{ n: number }>('SELECT max(publication_id)::int AS n FROM control.publication'))
          .rows[0]!.n,
    );
    const { nights } = this.#settings;
    const seconds = (performance.now() - began) / 1000;
    return {
      nights,
      rebuilds: this.#rebuilds,
      faults: this.#faults,
      publications,
      answered: this.#customer!.answered,
      seconds,
    };
  }

  #note(event: string): void {
    this.#events.push(event);
  }

  /** Refreshes with a fault; the run may end for it, with a code that says so. */
  async #runFaulty(
    scene: Scene,
    set: readonly string[],
    fault: Fault,
    more: Partial<RefreshOptions> = {},
  ): Promise<Outcome> {
    const outcome = await runOnce(scene, set, fault, more);
    await scene.serve();
    const name = outcome.struckAt === null && 'point' in fault ? `${nameOf(fault)}, not met` : nameOf(fault);
    this.#faults[name] = (this.#faults[name] ?? 0) + 1;
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
  async #runThrough(scene: Scene, set: readonly string[], more: Partial<RefreshOptions> = {}): Promise<void> {
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
  async #meetDamage({ damaged }: Night): Promise<void> {
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

  async #operate(night: Night): Promise<void> {
    const { url } = this.#scene;
    const { operator, backfilled } = night;
    if (operator === 'backfill')
      await this.#runThrough(this.#scene, SET, { backfill: { stage: backfilled } });
    if (operator !== 'rollback') return;
    const { config } = await loadConfig(
      { config: join(this.#files, 'config.yaml'), set: [`database.url=${url}`, ...SET] },
      {},
    );
    const id = await rollback({ url, config, to: null, reason: 'simulated' }).then(
      ({ publication }) => publication,
      (error: { code?: string }) => {
        if (error.code === 'unknown_publication' || error.code === 'journal_pruned') return error.code;
        throw error;
      },
    );
    this.#note(`rollback: ${id}`);
    await this.#runThrough(this.#scene, SET, { accepted: { gates: ['rollback'], reason: 'simulated' } });
  }

  /** Refreshes with gates that refuse; an operator accepts them, or puts the files of before back. */
  async #decide({ operator }: Night, bringBack: () => Promise<void>): Promise<void> {
    if (operator !== 'accept' && operator !== 'reject') return;
    const before = await digestOf(this.#scene.url);
    const { end, message, failed } = await runOnce(this.#scene, REFUSING, null);
    this.#note(`run with gates that refuse: ${end}`);
    // Nothing was delivered, or nothing that a gate looks at.
    if (end === 'published' || end === 'unchanged') return;
    if (end !== 'refused') throw new Error(`gates that refuse: ${end} ${message}`);
    if ((await digestOf(this.#scene.url)) !== before) throw new Error('a refused run changed what is served');
    if (operator === 'accept') {
      await this.#runThrough(this.#scene, REFUSING, { accepted: { gates: failed!, reason: 'simulated' } });
      return;
    }
    await bringBack();
    await this.#runThrough(this.#scene, REFUSING);
    this.#note('rejected: the files of before are back');
    if ((await digestOf(this.#scene.url)) !== before) throw new Error('rejected changes are served');
  }

  async #live(night: Night): Promise<void> {
    this.#events = [`plan: ${JSON.stringify(night)}`];
    const began = performance.now();
    try {
      await this.#spend(night);
    } catch (error) {
      throw new NightFailed(this.#settings, night, this.#events, (error as Error).stack ?? String(error));
    }
    this.#settings.log(
      `night ${night.number} ${((performance.now() - began) / 1000).toFixed(1)} s: ${this.#events.slice(1).join('; ')}`,
    );
  }

  async #spend(night: Night): Promise<void> {
    const { edits, faults, readers, calls, number } = night;
    const bringBack = await copyDeliveries(this.#files, `${this.#dir}/before`);
    const endReaders = startReaders(() => this.#scene.url, readers, this.#seen);
    let wrong: string[];
    try {
      await deliver(this.#files, this.#settings.seed, night);
      this.#note(`delivered: ${edits.join(', ') || 'nothing'}`);
      await this.#meetDamage(night);
      // The service is not the program under fault: where the server is killed, the customer comes afterwards.
      const isServerKilled = faults.some((fault) => fault.kind === 'kill' && fault.victim === 'server');
      const customer = async (): Promise<void> => {
        if (calls > 0) await this.#customer!.call(this.#scene.url, calls);
      };
      const calling = isServerKilled ? null : customer();
      let isThrough = false;
      for (const fault of faults)
        if (!isThrough) isThrough = gotThrough(await this.#runFaulty(this.#scene, SET, fault));
      await this.#decide(night, bringBack);
      if (!isThrough) await this.#runThrough(this.#scene, SET);
      await this.#operate(night);
      await (calling ?? customer());
    } finally {
      wrong = await endReaders();
    }
    const { tamper } = this.#settings;
    if (tamper) await withClient(this.#scene.url, (client) => tamper(client, number));
    wrong.push(...(await this.#check(night)));
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
  }

  async #check(night: Night): Promise<string[]> {
    const { url } = this.#scene;
    for (const until = Date.now() + GONE_MS; this.#scene.sessions().length > 0 && Date.now() < until; )
      await sleep(10);
    const left = this.#scene.sessions().length;
    const wrong = left > 0 ? [`${left} sessions are left`] : [];
    wrong.push(
      ...(await withClient(url, (client) => wrongBooks(client))),
      ...(await this.#customer!.wrong(url)),
    );
    if (night.rebuild === null) return wrong;
    this.#rebuilds++;
    await this.#other.fresh(`rebuilt_${this.#rebuilds}`);
    const evidence = join(this.#dir, `evidence_${this.#rebuilds}.csv`);
    const differs = await rebuildDiffers(this.#scene, this.#other, evidence, async (more) => {
      for (const fault of night.rebuild!) await this.#runFaulty(this.#other, SET, fault, more);
      await this.#runThrough(this.#other, SET, more);
    });
    return [...wrong, ...differs];
  }
}

/** Lives through nights; the seed decides what happens in them. @throws NightFailed */
export const simulate = (settings: Settings): Promise<Summary> => Simulation.run(settings);

import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { withClient, wrongBooks } from '../kills/kill_checks.ts';
import { Scene } from '../kills/walk_scene.ts';
import { Customer } from './customer.ts';
import { copyDeliveries, deliver, writeCountry } from './deliveries.ts';
import { NightRuns, SET } from './night_runs.ts';
import { type Night, planNights } from './plan.ts';
import { type Seen, startReaders } from './readers.ts';
import { rebuildDiffers } from './rebuild.ts';
import { gotThrough, runOnce } from './runs.ts';

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

/** A country, its database and everybody around it, night after night. */
class Simulation {
  readonly #settings: Settings;
  readonly #dir: string;
  readonly #scene: Scene;
  /** Where rebuilds are made, on a server of their own. */
  #other: Scene | null = null;
  readonly #seen: Seen = new Map();
  readonly #runs: NightRuns;
  #customer: Customer | null = null;
  #events: string[] = [];
  #rebuilds = 0;

  private constructor(settings: Settings, dir: string, scene: Scene) {
    this.#settings = settings;
    this.#dir = dir;
    this.#scene = scene;
    this.#runs = new NightRuns(scene, this.#files, (event) => this.#events.push(event));
  }

  static async run(settings: Settings): Promise<Summary> {
    const began = performance.now();
    const dir = mkdtempSync(join(tmpdir(), 'simulate-'));
    await writeCountry(join(dir, 'files'), settings.seed);
    const scene = await Scene.open(join(dir, 'served'), join(dir, 'files', 'config.yaml'));
    const simulation = new Simulation(settings, dir, scene);
    try {
      await simulation.#begin();
      for (const night of planNights(settings.seed, settings.nights, settings.rebuildEvery))
        await simulation.#live(night);
      return await simulation.#summary(began);
    } finally {
      await scene.close();
      await simulation.#other?.close();
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
      faults: this.#runs.faults,
      publications,
      answered: this.#customer!.answered,
      seconds,
    };
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
      this.#events.push(`delivered: ${edits.join(', ') || 'nothing'}`);
      await this.#runs.meetDamage(night);
      // The service is not the program under fault: where the server is killed, the customer comes afterwards.
      const isServerKilled = faults.some((fault) => fault.kind === 'kill' && fault.victim === 'server');
      const customer = async (): Promise<Error | null> =>
        calls === 0
          ? null
          : this.#customer!.call(this.#scene.url, calls).then(
              () => null,
              (error: Error) => error,
            );
      const calling = isServerKilled ? null : customer();
      let isThrough = false;
      for (const fault of faults)
        if (!isThrough) isThrough = gotThrough(await this.#runs.runFaulty(this.#scene, fault));
      await this.#runs.decide(night, bringBack);
      if (!isThrough) await this.#runs.runThrough(this.#scene, SET);
      await this.#runs.operate(night);
      const failed = await (calling ?? customer());
      if (failed !== null) throw failed;
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
    if (night.rebuild === null || wrong.length > 0) return wrong;
    this.#rebuilds++;
    this.#other ??= await Scene.open(join(this.#dir, 'rebuilt'), join(this.#files, 'config.yaml'));
    const other = this.#other;
    await other.fresh(`rebuilt_${this.#rebuilds}`);
    const evidence = join(this.#dir, `evidence_${this.#rebuilds}.csv`);
    const differs = await rebuildDiffers(this.#scene, other, evidence, async (more) => {
      for (const fault of night.rebuild!) await this.#runs.runFaulty(other, fault, more);
      await this.#runs.runThrough(other, SET, more);
    });
    return [...wrong, ...differs];
  }
}

/** Lives through nights; the seed decides what happens in them. @throws NightFailed */
export const simulate = (settings: Settings): Promise<Summary> => Simulation.run(settings);

import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import type { Release } from '../../sources/adapter.ts';
import { adapterNamed } from '../../sources/index.ts';
import { openPool, withClient } from '../../store/database.ts';
import type { PartToLoad } from './load_part.ts';
import type { PartToRead } from './load_records.ts';
import { type FoundDataset, findDataset, fingerprintOf, partToLoad } from './plan_datasets.ts';

/** A part that a run wants loaded, identified without its files. */
export interface PartWanted {
  runId: number;
  loadId: number;
  dataset: string;
  part: string;
  fingerprint: string;
}

/** A configured dataset as found on this machine. */
interface DatasetHere extends Pick<FoundDataset, 'stamps'> {
  adapter: string;
  release: Release;
  parts: readonly PartToRead[];
}

const notHere = (message: string, cause?: unknown): EtlError =>
  new EtlError('part_not_here', message, { cause });

/** Finds parts for other processes' runs among the datasets configured here. */
export class PartsHere {
  readonly #url: string;
  readonly #session: string;
  readonly #config: Config;
  readonly #base: string;
  #runId = 0;
  /** Datasets found for the run, or the error for a missing one; cached, so each is found once for all its parts. */
  #discoveries = new Map<string, Promise<DatasetHere>>();

  constructor(url: string, session: string, config: Config, base: string) {
    this.#url = url;
    this.#session = session;
    this.#config = config;
    this.#base = base;
  }

  /** Returns the task that loads the part from files of this machine. @throws EtlError part_not_here */
  async find({ runId, loadId, dataset, part, fingerprint }: PartWanted): Promise<PartToLoad> {
    if (this.#runId !== runId) {
      this.#runId = runId;
      this.#discoveries = new Map();
    }
    const discovery = this.#discoveries.get(dataset) ?? this.#look(dataset);
    this.#discoveries.set(dataset, discovery);
    const planned = await discovery;
    const one = planned.parts.find((each) => each.part.id === part);
    if (one?.fingerprint !== fingerprint)
      throw notHere(`Part ${part} of dataset ${dataset} has other files or settings here.`);
    return partToLoad(runId, loadId, planned, one);
  }

  async #look(id: string): Promise<DatasetHere> {
    if (!Object.hasOwn(this.#config.datasets, id))
      throw notHere(`Dataset ${id} is not in the configuration of this worker.`);
    const adapter = adapterNamed(this.#config.datasets[id]!.adapter);
    const pool = openPool(this.#url, 1, { name: this.#session });
    try {
      const { dataset, stamps } = await withClient(pool, (client) =>
        findDataset(client, this.#config, id, this.#base, false),
      );
      const { release, parts } = await adapter.discover(dataset);
      const readParts = parts.map((part) => ({
        part,
        fingerprint: fingerprintOf(adapter, dataset, part.files ?? null),
      }));
      return { adapter: adapter.name, release, stamps, parts: readParts };
    } catch (error) {
      throw notHere(`Dataset ${id} cannot be read here: ${(error as Error).message}`, error);
    } finally {
      await pool.end();
    }
  }
}

import type { ClientBase } from 'pg';
import { DeclaredReader } from './declared_reader.ts';
import type { PlannedPartition } from './plan.ts';
import type { Stage } from './stage.ts';

/** Resources of one worker: at most one for each stage, since they are large. A different key or changed input tables replace it. */
export class ResourceCache {
  readonly #cache = new Map<string, { key: string; value: unknown }>();

  /** Returns the resource that a partition needs, read over `client`; undefined: its stage declares none. */
  async get(client: ClientBase, stage: Stage, partition: PlannedPartition): Promise<unknown> {
    if (stage.resource === null || partition.resource === null) return undefined;
    const inputs = Object.entries(stage.inputs)
      .filter(([, input]) => input.scope.kind === 'resource')
      .map(([name]) => partition.fingerprint.inputs[name]);
    const which = partition.resource;
    const key = JSON.stringify([which, inputs]);
    const cached = this.#cache.get(stage.name);
    if (cached?.key === key) return cached.value;
    this.#cache.delete(stage.name);
    const value = await stage.resource.build(new DeclaredReader(client, stage), which);
    if (!stage.isBatchedAlone) this.#cache.set(stage.name, { key, value });
    return value;
  }
}

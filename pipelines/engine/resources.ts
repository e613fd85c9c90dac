import type { ClientBase } from 'pg';
import { DeclaredReader } from './declared_reader.ts';
import type { PlannedPartition } from './plan.ts';
import type { Stage } from './stage.ts';

/**
 * The resources that one worker holds: one for each stage at a time, since they are large. Another key, or another state of its
 * tables, replaces it.
 */
export class ResourceCache {
  readonly #held = new Map<string, { key: string; value: unknown }>();

  /** The resource that a partition needs, read over `client`; undefined where its stage declares none. */
  async get(client: ClientBase, stage: Stage, partition: PlannedPartition): Promise<unknown> {
    if (stage.resource === null || partition.resource === null) return undefined;
    const inputs = Object.entries(stage.inputs)
      .filter(([, input]) => input.scope.kind === 'resource')
      .map(([name]) => partition.fingerprint.inputs[name]);
    const which = partition.resource;
    const key = JSON.stringify([which, inputs]);
    const held = this.#held.get(stage.name);
    if (held?.key === key) return held.value;
    this.#held.delete(stage.name);
    const value = await stage.resource.build(new DeclaredReader(client, stage), which);
    if (!stage.resource.isPassing) this.#held.set(stage.name, { key, value });
    return value;
  }
}

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { makeSample } from '../../test/pipelines/sample_run.ts';

interface Dataset {
  adapter: string;
  options?: { state?: string; layer?: string };
}

/**
 * Writes a sample country with its configuration: of all datasets, or of one for each adapter and hazard, that of New South Wales where
 * there is a choice. A refresh of the latter has every stage and every way to load.
 */
export async function makeWalkSample(dir: string, properties: number, all: boolean): Promise<void> {
  await makeSample(dir, { properties, seed: 1, datasets: 'all' });
  if (all) return;
  const path = join(dir, 'config.yaml');
  const config = parse(await readFile(path, 'utf8')) as { datasets: Record<string, Dataset> };
  const kinds = new Map<string, [string, Dataset]>();
  for (const [name, dataset] of Object.entries(config.datasets)) {
    const kind = `${dataset.adapter} ${dataset.options?.layer}`;
    if (!kinds.has(kind) || dataset.options?.state === 'NSW') kinds.set(kind, [name, dataset]);
  }
  await writeFile(path, stringify({ ...config, datasets: Object.fromEntries(kinds.values()) }));
}

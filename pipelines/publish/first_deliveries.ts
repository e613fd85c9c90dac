import type pg from 'pg';
import { recordedName } from '../../schema/table.ts';
import { tablesRead } from '../engine/reads.ts';
import type { Stage } from '../engine/stage.ts';

/** SQL for record tables of loaded datasets that the last publication did not have; none before the first publication. */
const NEW_DATASETS = `WITH last AS (SELECT datasets FROM control.publication ORDER BY publication_id DESC LIMIT 1)
  SELECT DISTINCT l.dataset, d.table_name AS "table" FROM control.load l JOIN control.load_digest d USING (load_id), last
  WHERE l.state = 'active'
    AND NOT EXISTS (SELECT FROM jsonb_array_elements(last.datasets) e WHERE e->>'dataset' = l.dataset)
  ORDER BY 1, 2`;

/**
 * Finds datasets about to be published for the first time, by the serving tables that depend on them, directly or indirectly. Tables
 * without a new dataset are missing. Must be called before the publication is recorded.
 */
export async function firstDeliveries(
  client: pg.ClientBase,
  stages: readonly Stage[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await client.query<{ dataset: string; table: string }>(NEW_DATASETS);
  const fedBy = new Map<string, Set<string>>();
  for (const { dataset, table } of rows) {
    const of = fedBy.get(table);
    if (of) of.add(dataset);
    else fedBy.set(table, new Set([dataset]));
  }
  const served = new Map<string, readonly string[]>();
  for (const stage of stages) {
    const feeds = new Set(tablesRead(stage).flatMap((table) => [...(fedBy.get(recordedName(table)) ?? [])]));
    if (feeds.size === 0) continue;
    fedBy.set(recordedName(stage.output), feeds);
    if (stage.output.schema === 'serving') served.set(stage.output.name, [...feeds].sort());
  }
  return served;
}

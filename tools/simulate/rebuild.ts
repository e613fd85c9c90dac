import { writeEvidence } from '../../pipelines/export/write_evidence.ts';
import type { RefreshOptions } from '../../pipelines/run/refresh.ts';
import { digests } from '../../pipelines/views/status.ts';
import { withClient } from '../kills/kill_checks.ts';
import type { Scene } from '../kills/walk_scene.ts';

/** What a database serves, and what its control tables say of each computed partition but the sales of models, which are of their month. */
const contentOf = ({ url }: Scene): Promise<string[]> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ line: string }>(
      `SELECT concat_ws(' ', stage, cell, rows, account, output_digest) AS line FROM control.partition
       WHERE stage <> 'model_evidence' ORDER BY stage COLLATE "C", cell`,
    );
    const served = (await digests(client)).map(
      ({ table, rows, digest }) => `table ${table} ${rows} rows ${digest}`,
    );
    return [...served, ...rows.map(({ line }) => `partition ${line}`)];
  });

/** Rebuilds from nothing what is served, from the same deliveries and sales of models; gives the first lines that differ. */
export async function rebuildDiffers(
  served: Scene,
  rebuilt: Scene,
  evidence: string,
  rebuild: (more: Partial<RefreshOptions>) => Promise<void>,
): Promise<string[]> {
  const written = await withClient(served.url, (client) => writeEvidence(client, evidence)).then(
    () => true,
    (error: { code?: string }) => {
      if (error.code === 'no_evidence') return false;
      throw error;
    },
  );
  await rebuild(written ? { evidence } : {});
  const [ours, theirs] = [await contentOf(served), await contentOf(rebuilt)];
  const [inOurs, inTheirs] = [new Set(ours), new Set(theirs)];
  return [
    ...ours
      .filter((line) => !inTheirs.has(line))
      .slice(0, 4)
      .map((line) => `only served: ${line}`),
    ...theirs
      .filter((line) => !inOurs.has(line))
      .slice(0, 4)
      .map((line) => `only rebuilt: ${line}`),
  ];
}

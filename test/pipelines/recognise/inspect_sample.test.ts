import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { viewFiles } from '../../../pipelines/recognise/file_view.ts';
import { findFiles } from '../../../store/loads/files.ts';
import { WHOLE } from '../../countries.ts';
import { sampleFolder } from '../../published_sample.ts';

interface Dataset {
  adapter: string;
  path: string | string[];
  options?: { state?: string; layer?: string; field_map?: unknown };
}

/** Tables and layers whose columns are a publisher's own, which no named map has. */
const OWN_MAPS = new Set(['places_nt', 'sales_tas']);

describe('inspect of the sample country', () => {
  let dir: string;
  let datasets: [string, Dataset][];

  beforeAll(async () => {
    dir = await sampleFolder(WHOLE);
    const config = parse(await readFile(join(dir, 'config.yaml'), 'utf8')) as {
      datasets: Record<string, Dataset>;
      gates?: { datasets: Record<string, unknown> };
    };
    // what a small country has no feature of cannot be told
    datasets = Object.entries(config.datasets).filter(
      ([id]) => !(id in (config.gates?.datasets ?? {})) && !OWN_MAPS.has(id),
    );
  });

  afterAll(() => rm(dir, { recursive: true, force: true }));

  it('proposes the configured adapter, state and layer of each dataset', async () => {
    const wrong: string[] = [];
    for (const [id, { adapter, path, options }] of datasets) {
      const files = await findFiles(path, dir);
      // one delivery of many is enough
      const views = await viewFiles(
        files.filter((file) => !/_councils|\.(dbf|shx|prj|cpg)$/.test(file)).slice(0, 1),
      );
      const fits = views.some(({ proposals }) =>
        proposals.some(
          (proposal) =>
            proposal.adapter === adapter &&
            (options?.state === undefined || [options.state, '…'].includes(`${proposal.options.state}`)) &&
            (options?.layer === undefined || proposal.options.layer === options.layer),
        ),
      );
      if (!fits) wrong.push(`${id}: ${JSON.stringify(views.map(({ proposals }) => proposals))}`);
    }
    expect(wrong).toEqual([]);
  });
});

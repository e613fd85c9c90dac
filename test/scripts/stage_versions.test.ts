import { expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { graph } from '../../pipelines/graph.ts';
import { advice, changes, readCode, readRecord } from '../../scripts/stage_versions.ts';

it('no stage computes by other code than its version stands for', async () => {
  const there = await readCode();
  const { config } = await loadConfig({}, {});
  expect(Object.keys(there.stages)).toEqual(
    graph(config)
      .map((stage) => stage.name)
      .sort(),
  );
  const recorded = readRecord();
  expect(changes(there, recorded).map(advice)).toEqual([]);
  expect(Object.keys(recorded.stages)).toEqual(Object.keys(there.stages));

  // A change below a stage is seen, with the file; one elsewhere is not.
  const file = 'transforms/primary_zone.ts';
  expect(there.of.serve_property_zoning).toContain(file);
  const edited = structuredClone(recorded);
  edited.files[file] = 'other';
  edited.stages.serve_property_zoning!.code = 'other';
  expect(changes(there, edited).map(advice)).toEqual([
    expect.stringContaining(`stage serve_property_zoning: code changed (${file}), version is still`),
  ]);
  edited.stages.serve_property_zoning!.version--;
  expect(changes(there, edited).map(advice)).toEqual([expect.stringMatching(/version \d+ → \d+: run npm/)]);
});

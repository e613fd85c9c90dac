import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { meshBlockNotes, unplacedNotes } from '../../pipelines/checks/mesh_block_notes.ts';
import { modelNotes } from '../../pipelines/checks/model_notes.ts';
import { planStage } from '../../pipelines/engine/plan.ts';
import type { PlanView } from '../../pipelines/engine/plan_view.ts';
import { RecordedState } from '../../pipelines/engine/recorded_state.ts';
import { graph } from '../../pipelines/graph.ts';
import { servePropertyAvmStage } from '../../pipelines/stages/valuation/serve_property_avm.ts';
import { servePropertyComparableStage } from '../../pipelines/stages/valuation/serve_property_comparable.ts';
import { configSchema } from '../../schema/config.ts';
import { modelOfPartition, modelPartition } from '../../schema/model_partition.ts';
import { TRADED } from '../countries.ts';
import { createDatabase, onClient, type TestDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';
import { writeFeed } from './market_feed.ts';
import { MODELLED } from './sale_history.ts';
import { digestOf, OPEN_GATES, refreshSample } from './sample_run.ts';

describe('runs of the whole sample country', () => {
  let dir: string;
  let database: TestDatabase;
  let other: TestDatabase | undefined;

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(TRADED));
  });

  afterAll(async () => {
    await other?.drop();
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('gives the same bytes with two workers and small batches', async () => {
    other = await createDatabase();
    const report = await refreshSample(other, dir, ['workers=2', 'batch_rows=300']);
    expect(report.error).toBeNull();
    expect(await digestOf(other)).toBe(await digestOf(database));
    // Among them what the models of two states value, each trained in a partition of its own.
    const models = `SELECT model_partition AS cell, kind, region, model_id, md5(artefact) AS artefact FROM asset.avm_model ORDER BY 1 DESC`;
    const made = await other.query<{ cell: number; kind: string; region: string }>(models);
    const partitions = made.map(({ cell }) => modelOfPartition(cell));
    expect(partitions).toEqual(made.map(({ kind, region }) => ({ kind, state: region })));
    for (const state of MODELLED) expect(partitions).toContainEqual({ kind: 'sale', state });
    expect(await database.query(models)).toEqual(made);
  });

  it('computes nothing the second time', async () => {
    const report = await refreshSample(database, dir);
    expect(report.stages.filter((stage) => stage.partitions_run > 0).map((stage) => stage.stage)).toEqual([]);
    expect(report.state).toBe('unchanged');
  });

  it('notes in the report which newest models do not serve, and why', async () => {
    const notes = await onClient(database, async (client) => {
      await client.query('BEGIN');
      await client.query(
        `UPDATE asset.avm_pooled_model SET outcome = 'kept', failures = '["cod 20.00 is above 12.00."]' WHERE kind = 'sale' AND region = 'AU'`,
      );
      const found = await modelNotes(client);
      await client.query('ROLLBACK');
      return found;
    });
    expect(notes).toEqual([
      expect.stringMatching(
        /^The newest model of sales in AU failed its gates; the model of .* stays in service\. cod 20\.00 is above/,
      ),
    ]);
    expect(await onClient(database, (client) => modelNotes(client))).toEqual([]);
  });

  it('notes in the report where addresses name mesh blocks of an edition that is not loaded', async () => {
    const notes = await onClient(database, async (client) => {
      expect(await meshBlockNotes(client)).toEqual([]);
      await client.query('BEGIN');
      await client.query(
        'UPDATE record.address SET mesh_block_year = 2026 WHERE mesh_block_year IS NOT NULL',
      );
      const found = await meshBlockNotes(client);
      await client.query('ROLLBACK');
      return found;
    });
    expect(notes).toEqual([
      expect.stringMatching(/^Addresses name mesh blocks of 2026, .* edition 3\. .* ASGS edition 4/),
    ]);
  });

  it('gives homes without coordinates the suburb of their mesh block, and notes how many have none', async () => {
    const [homes] = await database.query<{ n: number; suburbs: number }>(
      `SELECT count(*)::int AS n, count(sal_code)::int AS suburbs FROM serving.property JOIN serving.property_profile USING (gnaf_pid)
       WHERE lon IS NULL AND mesh_block IS NOT NULL`,
    );
    expect(homes!.n).toBeGreaterThan(0);
    expect(homes!.suburbs).toBe(homes!.n);
    const notes = await onClient(database, async (client) => {
      const none = await unplacedNotes(client);
      await client.query('BEGIN');
      await client.query('UPDATE asset.address_region SET sal = NULL WHERE cell = -1');
      const some = await unplacedNotes(client);
      await client.query('ROLLBACK');
      return [...none, ...some];
    });
    expect(notes).toEqual([
      expect.stringMatching(new RegExp(`^Homes without coordinates .* LGA: ${homes!.n}\\. .*SAL_2021_AUST`)),
    ]);
  });

  it('plans valuations only in the cells of a state whose model changed', async () => {
    const config = configSchema.parse({ datasets: {} });
    const stages = graph(config);
    const books = await onClient(database, (client) => RecordedState.read(client, stages));
    const stateHomes = await database.query<{ cell: number; states: string[] }>(
      'SELECT cell, array_agg(DISTINCT state ORDER BY state) AS states FROM asset.valuation_home GROUP BY cell',
    );
    for (const [kind, stage, runs] of [
      ['sale', servePropertyAvmStage, true],
      ['sale', servePropertyComparableStage, true],
      ['rent', servePropertyAvmStage, true],
      ['rent', servePropertyComparableStage, false],
    ] as const) {
      const home = modelPartition(kind, 'NSW');
      const choices = new Map(books.homes('asset.avm_choice'));
      expect(choices.has(home)).toBe(true);
      choices.set(home, { ...choices.get(home)!, digest: 'another model' });
      const view: PlanView = {
        keyChanges: () => new Map(),
        cells: (table) => books.cells(table),
        homes: (table) => (table === 'asset.avm_choice' ? choices : books.homes(table)),
        recorded: (name) => books.recorded(name),
        madeIn: (table) => books.madeIn(table),
        homesOf: (table) => books.homesOf(table),
        published: (table) => books.published(table),
      };
      const { partitions } = planStage(stage, stage.params(config), view);
      const expected = stateHomes.filter(({ states }) => runs && states.includes('NSW'));
      expect(partitions.map(({ cell }) => cell)).toEqual(
        expected.map(({ cell }) => cell).sort((a, b) => a - b),
      );
      if (!runs) continue;
      expect(partitions.length).toBeLessThan(stateHomes.length);
      expect([...new Set(partitions.map(({ reason }) => reason))]).toEqual(['changed: model']);
      const needed = new Map(stateHomes.map(({ cell, states }) => [cell, states.join(',')]));
      for (const { cell, resource } of partitions) expect(resource).toBe(needed.get(cell));
    }
  });

  it('trains no state model after a night of listings, and revalues only listed homes', async () => {
    const homes = await database.query<{ gnaf_pid: string; address: string; state: string }>(
      `SELECT gnaf_pid, address, state FROM serving.property WHERE lon IS NOT NULL AND number_first IS NOT NULL
       ORDER BY gnaf_pid LIMIT 20`,
    );
    const night = homes.map(({ gnaf_pid, address, state }, i) => ({
      source: 'night',
      source_id: `N${i}`,
      event_type: 'listed',
      channel: i % 2 === 0 ? 'sale' : 'rent',
      event_date: '2026-06-30',
      gnaf_pid,
      address,
      state,
      price: i % 2 === 0 ? 700_000 : 600,
      bedrooms: 2 + (i % 4),
      bathrooms: 1 + (i % 2),
    }));
    await writeFeed(dir, 'events_2026-07-01.csv', night, 'listings');
    const valuations = 'SELECT gnaf_pid, md5(a::text) AS row FROM serving.property_avm a';
    const before = new Map((await database.query(valuations)).map(({ gnaf_pid, row }) => [gnaf_pid, row]));
    const report = await refreshSample(database, dir, OPEN_GATES);
    expect(report.state).toBe('published');
    expect(report.stages.find(({ stage }) => stage === 'avm_model')!.partitions_run).toBe(0);
    const after = await database.query<{ gnaf_pid: string; row: string }>(valuations);
    const moved = after.filter(({ gnaf_pid, row }) => before.get(gnaf_pid) !== row);
    const listed = new Set(homes.map(({ gnaf_pid }) => gnaf_pid));
    expect(moved.length).toBeGreaterThan(0);
    expect(moved.filter(({ gnaf_pid }) => !listed.has(gnaf_pid))).toEqual([]);
    const [found] = await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM serving.property_event WHERE 'night' = ANY (sources)`,
    );
    expect(found!.n).toBe(homes.length);
  });

  it('trains the sale models on a late sale only when requested, and leaves the rent models unchanged', async () => {
    const models = `SELECT kind, region, model_id, md5(artefact) AS artefact
      FROM (SELECT * FROM asset.avm_model UNION ALL SELECT * FROM asset.avm_pooled_model) every_model ORDER BY kind, region`;
    const before = await database.query<{ kind: string; region: string; model_id: string }>(models);
    expect(before.filter(({ region }) => region === 'AU').map(({ kind }) => kind)).toEqual(['rent', 'sale']);
    const [home] = await database.query<{ gnaf_pid: string }>(
      `SELECT gnaf_pid FROM asset.valuation_sale WHERE kind = 'sale' AND state = 'NSW' ORDER BY gnaf_pid LIMIT 1`,
    );
    const late = { source: 'late', source_id: 'L1', event_type: 'sold', channel: 'sale', state: 'NSW' };
    await writeFeed(
      dir,
      'events_2026-07-02.csv',
      [{ ...late, gnaf_pid: home!.gnaf_pid, event_date: '2025-09-17', price: 905_000 }],
      'listings',
    );
    await refreshSample(database, dir, OPEN_GATES);
    expect(await database.query(models)).toEqual(before);
    const report = await refreshSample(database, dir, OPEN_GATES, { retrain: true });
    expect(report.state).toBe('published');
    for (const name of ['avm_model', 'avm_pooled_model']) {
      const stage = report.stages.find((one) => one.stage === name)!;
      expect(stage.partitions_run, name).toBe(1);
      expect(stage.reasons, name).toEqual({
        [name === 'avm_model' ? 'changed: sale' : 'changed: sale, model']: 1,
      });
    }
    const after = await database.query<{ kind: string; region: string; model_id: string }>(models);
    const changed = after.filter(({ model_id }, i) => model_id !== before[i]!.model_id);
    expect(changed.map(({ kind, region }) => `${kind} ${region}`)).toEqual(['sale AU', 'sale NSW']);
    const rents = (rows: typeof after) => rows.filter(({ kind }) => kind === 'rent');
    expect(rents(after)).toEqual(rents(before));
  });
});

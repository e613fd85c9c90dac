import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderAvm } from '../../cli/render_valuation.ts';
import { ask } from '../../contract/answers/ask.ts';
import { ENDPOINTS } from '../../contract/index.ts';
import { suburbForecast } from '../../contract/suburb/suburb_market.ts';
import { meshBlockNotes, unplacedNotes } from '../../pipelines/checks/mesh_block_notes.ts';
import { modelNotes } from '../../pipelines/checks/model_notes.ts';
import { planStage } from '../../pipelines/engine/plan.ts';
import type { PlanView } from '../../pipelines/engine/plan_view.ts';
import { RecordedState } from '../../pipelines/engine/recorded_state.ts';
import { evaluateStored } from '../../pipelines/evaluate/stored.ts';
import { explain } from '../../pipelines/explain/explain.ts';
import { explainAvm } from '../../pipelines/explain/explain_avm.ts';
import { writeModels } from '../../pipelines/export/models.ts';
import { graph } from '../../pipelines/graph.ts';
import { type HomeTableRow, homeTable } from '../../pipelines/stages/valuation/home_columns.ts';
import { servePropertyAvmStage } from '../../pipelines/stages/valuation/serve_property_avm.ts';
import { servePropertyComparableStage } from '../../pipelines/stages/valuation/serve_property_comparable.ts';
import { configSchema } from '../../schema/config.ts';
import { modelOfPartition, modelPartition } from '../../schema/model_partition.ts';
import { marketFigureColumns } from '../../schema/serving/region_market.ts';
import { UNUSED_REASONS } from '../../schema/serving/unused_sale.ts';
import { openPool } from '../../store/database.ts';
import { openServing } from '../../store/read/serving.ts';
import { unpackEvidence } from '../../transforms/avm/day_evidence.ts';
import { Calibrator, valueHomes } from '../../transforms/avm/predict.ts';
import { dayNumber } from '../../transforms/stats/calendar.ts';
import type { Country } from '../countries.ts';
import { createDatabase, type TestDatabase } from '../database.ts';
import { sampleFolder } from '../published_sample.ts';
import { readModelJson } from '../transforms/avm/read_model_json.ts';
import { QUICK } from '../transforms/avm/synthetic_city.ts';
import { writeFeed } from './market_feed.ts';
import { MARKET_FIGURES_SQL, ROUNDED } from './market_sql.ts';
import { digestOf, OPEN_GATES, refreshSample } from './sample_run.ts';

/** Of its own: the least with sales enough for figures of every level and pocket, of which two databases are made from nothing. */
const COUNTRY: Country = { properties: 1500, seed: 21, datasets: 'all' };

const FIGURES = Object.keys(marketFigureColumns);

/** States with sales and rents enough for models of their own. */
const MODELLED = ['NSW', 'VIC'] as const;

/** Ten years of sales and rents of some houses of two states, for figures that a young market has not, and models. */
async function writeHistory(dir: string): Promise<void> {
  const [header, ...lines] = (await readFile(join(dir, 'truth/properties.csv'), 'utf8')).trim().split('\n');
  const names = header!.split(',');
  const houses = lines
    .map((line) => Object.fromEntries(line.split(',').map((value, i) => [names[i]!, value])))
    .filter((row) => row.alias_principal === 'P' && row.is_live === 'true')
    .filter((row) => row.flat_type === '' && row.primary_secondary === '' && row.lon !== '');
  const some = MODELLED.flatMap((state) => houses.filter((row) => row.state === state).slice(0, 24));
  expect(some).toHaveLength(48);
  const rows = some.flatMap(({ gnaf_pid, state }, i) =>
    Array.from({ length: 11 }, (_, year) => {
      const home = { source: 'history', state: state!, gnaf_pid: gnaf_pid! };
      const price = Math.round((600_000 + 10_000 * i) * 1.05 ** year);
      const date = `${2016 + year}-03-${10 + (i % 9)}`;
      return [
        { ...home, source_id: `S${i}-${year}`, event_type: 'sold', channel: 'sale', event_date: date, price },
        {
          ...home,
          source_id: `R${i}-${year}`,
          event_type: 'leased',
          channel: 'rent',
          event_date: date,
          price: 700,
        },
      ];
    }).flat(),
  );
  await writeFeed(dir, 'events_2026-04-01.csv', rows, 'listings');
}

describe('the sample country with every dataset', () => {
  let dir: string;
  let database: TestDatabase;
  const open: TestDatabase[] = [];

  beforeAll(async () => {
    dir = await sampleFolder(COUNTRY);
    await writeHistory(dir);
    database = await createDatabase();
    open.push(database);
    const report = await refreshSample(database, dir);
    expect(report.error).toBeNull();
    expect(report.state).toBe('published');
  });

  afterAll(async () => {
    for (const one of open) await one.drop();
    await rm(dir, { recursive: true, force: true });
  });

  const withOne = async <T>(work: (client: import('pg').ClientBase) => Promise<T>): Promise<T> => {
    const pool = openPool(database.url, 1);
    const client = await pool.connect();
    try {
      return await work(client);
    } finally {
      client.release();
      await pool.end();
    }
  };

  it('gives the same bytes with two workers and small batches', async () => {
    const other = await createDatabase();
    open.push(other);
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

  it('values every property, or states why not', async () => {
    const [count] = await database.query<{ properties: number; valued: number; rows: number }>(
      `SELECT (SELECT count(*)::int FROM serving.property) AS properties, count(*)::int AS rows,
         count(predicted_price)::int AS valued FROM serving.property_avm`,
    );
    expect(count!.rows).toBe(count!.properties);
    expect(count!.valued).toBeGreaterThan(count!.properties * 0.2);
    const [odd] = await database.query(
      `SELECT * FROM serving.property_avm WHERE (predicted_price IS NULL) = (reason IS NULL)
         OR predicted_price_low > predicted_price OR predicted_price_high < predicted_price`,
    );
    expect(odd).toBeUndefined();
  });

  it('judges the valuation on its own sales, with what it knows of their homes', async () => {
    const small = { ...QUICK, min_boost_sales: 60 };
    const request = { kind: 'sale', split: 0.3, folds: 1, lag_days: 14, groups: false } as const;
    const { report, evaluatedSales } = await withOne((client) => evaluateStored(client, request, small));
    const [sales] = await database.query<{ n: number; states: number }>(
      `SELECT count(*)::int AS n, count(DISTINCT state)::int AS states FROM asset.valuation_sale WHERE kind = 'sale'`,
    );
    const excluded = Object.values(report.input.excluded).reduce((sum, n) => sum + n, 0);
    expect(report.input.valid + excluded).toBe(sales!.n);
    expect(report.methods.map(({ method }) => method)).toContain('comparables');
    expect(report.by_state.reduce((sum, { n }) => sum + n, 0)).toBe(evaluatedSales.length);
    expect(report.by_sa4.length).toBeGreaterThan(0);
    const groups = report.feature_gain.map(({ group }) => group);
    for (const group of ['school', 'transport', 'hazard', 'zoning', 'overlay', 'parcel', 'shape', 'strata'])
      expect(groups).toContain(group);
    const [schemes] = await database.query<{ n: number; least: number; wrong: number }>(
      `SELECT count(*)::int AS n, min(strata_addresses)::int AS least,
         count(*) FILTER (WHERE p.land_area_sqm IS NOT NULL)::int AS wrong
       FROM asset.valuation_home h JOIN serving.property p USING (gnaf_pid) WHERE strata_addresses IS NOT NULL`,
    );
    expect(schemes!.n).toBeGreaterThan(10);
    expect(schemes!.least).toBeGreaterThan(0);
    expect(schemes!.wrong).toBe(0);
    // Of its own parcel alone, and a frontage is a part of the boundary.
    const [shapes] = await database.query<{ n: number; units: number; wrong: number }>(
      `SELECT count(compactness)::int AS n, count(compactness) FILTER (WHERE strata_addresses IS NOT NULL)::int AS units,
         count(*) FILTER (WHERE frontage_m > 0.1 + sqrt(4 * pi() * land_area_sqm / compactness) + 1 OR width_m <= 0)::int AS wrong
       FROM asset.valuation_home WHERE land_area_sqm IS NOT NULL OR compactness IS NULL`,
    );
    expect(shapes!.n).toBeGreaterThan(100);
    expect(shapes).toMatchObject({ units: 0, wrong: 0 });
    const rents = await withOne((client) => evaluateStored(client, { ...request, kind: 'rent' }));
    expect(rents.report.kind).toBe('rent');
    expect(rents.evaluatedSales[0]!.price).toBeLessThan(10_000);
  });

  it('notes in the report which newest models do not serve, and why', async () => {
    const notes = await withOne(async (client) => {
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
    expect(await withOne((client) => modelNotes(client))).toEqual([]);
  });

  it('notes in the report where addresses name mesh blocks of an edition that is not loaded', async () => {
    const notes = await withOne(async (client) => {
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

  it('lists only sales and rents that are no evidence, each with a true reason', async () => {
    const models = await database.query<{ kind: string; region: string; evidence: Uint8Array }>(
      'SELECT kind, region, evidence FROM asset.avm_pooled_model UNION ALL SELECT kind, region, evidence FROM asset.avm_model',
    );
    // The evidence kept with a model is the part of its sales that values homes on the valuation day.
    const kept = new Map(
      models.map(({ kind, region, evidence }) => {
        const { property, day, price } = unpackEvidence(evidence).index.sales;
        return [`${kind} ${region}`, new Set(property.map((pid, i) => `${pid} ${day[i]} ${price[i]}`))];
      }),
    );
    const sales = await database.query<{
      kind: string;
      state: string;
      gnaf_pid: string;
      date: string;
      price: number;
      reason: string | null;
    }>(
      `SELECT kind, state, gnaf_pid, date::text AS date, price, reason
       FROM asset.valuation_sale LEFT JOIN serving.unused_sale USING (kind, gnaf_pid, event_id)`,
    );
    let found = 0;
    for (const { kind, state, gnaf_pid, date, price, reason } of sales) {
      const evidence = kept.get(`${kind} ${state}`) ?? kept.get(`${kind} AU`)!;
      if (!evidence.has(`${gnaf_pid} ${dayNumber(date)} ${price}`)) continue;
      found++;
      expect(reason, `${gnaf_pid} ${date}`).toBeNull();
    }
    expect(found).toBeGreaterThan(sales.length / 10);
    const reasons = await database.query<{ reason: string; n: number; right: number }>(
      `SELECT reason, count(*)::int AS n, (count(*) FILTER (WHERE CASE reason
           WHEN 'too_recent' THEN date > as_of - 14
           WHEN 'type_not_valued' THEN dwelling_type IS NULL OR dwelling_type NOT IN ('house', 'unit', 'townhouse', 'villa', 'duplex')
           WHEN 'no_place' THEN lon IS NULL AND area IS NULL ELSE true END))::int AS right
       FROM serving.unused_sale JOIN asset.valuation_sale USING (kind, gnaf_pid, event_id) CROSS JOIN asset.valuation_day GROUP BY reason`,
    );
    expect(reasons.map(({ reason }) => reason)).toEqual(
      expect.arrayContaining(['too_recent', 'type_not_valued']),
    );
    for (const { reason, n, right } of reasons) expect(right, reason).toBe(n);
    for (const { reason } of reasons) expect(Object.keys(UNUSED_REASONS)).toContain(reason);
    const [row] = await database.query<{ gnaf_pid: string; event_id: string; reason: string }>(
      'SELECT gnaf_pid, event_id, reason FROM serving.unused_sale ORDER BY 1, 2 LIMIT 1',
    );
    const { events } = await withOne((client) =>
      explain(client, configSchema.parse({ datasets: {} }), row!.gnaf_pid),
    );
    expect(events.find(({ event_id }) => event_id === row!.event_id)?.unused).toBe(row!.reason);
    expect(events.some(({ unused }) => unused === null)).toBe(true);
  });

  it('exports each model as JSON, from which alone homes get the values that are served', async () => {
    const folder = join(dir, 'models');
    const files = await withOne((client) => writeModels(client, folder));
    const models = new Map<string, ReturnType<typeof readModelJson>>();
    for (const file of files)
      models.set(basename(file, '.json'), readModelJson(await readFile(file, 'utf8')));
    expect([...models.keys()]).toEqual(
      expect.arrayContaining(['rent_NSW', 'rent_VIC', 'sale_AU', 'sale_NSW', 'sale_VIC']),
    );
    const homes = await database.query<HomeTableRow & { served: number | null; rent: number | null }>(
      `SELECT h.*, a.predicted_price AS served, a.rent_aud_pw AS rent
       FROM asset.valuation_home h JOIN serving.property_avm a USING (gnaf_pid) ORDER BY md5(gnaf_pid) LIMIT 100`,
    );
    let valued = 0;
    for (const home of homes)
      for (const [kind, served] of [
        ['sale', home.served],
        ['rent', home.rent],
      ] as const) {
        const { model, evidence } = models.get(`${kind}_${home.state}`) ?? models.get(`${kind}_AU`)!;
        const calibrator = new Calibrator(model);
        const [valuation] = valueHomes(model, evidence, homeTable([home]), model.as_of, calibrator);
        expect(valuation!.estimate?.price ?? null, `${kind} of ${home.gnaf_pid}`).toBe(served);
        if (served !== null) valued++;
      }
    expect(valued).toBeGreaterThan(100);
    await expect(withOne((client) => writeModels(client, folder))).rejects.toMatchObject({
      code: 'output_not_ours',
    });
  });

  it('gives homes without coordinates the suburb of their mesh block, and notes how many have none', async () => {
    const [homes] = await database.query<{ n: number; suburbs: number }>(
      `SELECT count(*)::int AS n, count(sal_code)::int AS suburbs FROM serving.property JOIN serving.property_profile USING (gnaf_pid)
       WHERE lon IS NULL AND mesh_block IS NOT NULL`,
    );
    expect(homes!.n).toBeGreaterThan(0);
    expect(homes!.suburbs).toBe(homes!.n);
    const notes = await withOne(async (client) => {
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

  it('takes valuations apart into what sums to the served values', async () => {
    const served = await database.query<{ gnaf_pid: string }>(
      `SELECT gnaf_pid FROM serving.property_avm ORDER BY (predicted_price IS NULL), md5(gnaf_pid) LIMIT 3`,
    );
    let compared = 0;
    for (const { gnaf_pid } of served) {
      const explained = await withOne((client) => explainAvm(client, gnaf_pid));
      const [sale, rent] = explained.values;
      expect([sale!.is_served, rent!.is_served]).toEqual([true, true]);
      const logs = sale!.contributions.map((own) => own.log_effect);
      const price = sale!.start! * Math.exp(logs.reduce((sum, own) => sum + own, 0));
      expect(Math.abs(price - explained.served!.predicted_price!)).toBeLessThanOrEqual(0.51);
      expect(sale!.low).toBe(explained.served!.predicted_price_low);
      expect(explained.comparables.map(({ rank }) => rank)).toEqual(
        explained.comparables.map((_, i) => i + 1),
      );
      for (const { parts, dist_score } of explained.comparables) {
        const distance2 = Object.values(parts!).reduce((sum, part) => sum + part, 0);
        expect(Math.exp(-0.25 * Math.sqrt(distance2))).toBeCloseTo(dist_score, 12);
        compared++;
      }
      expect(renderAvm(explained)).toContain(`tier ${explained.served!.tier}`);
    }
    expect(compared).toBeGreaterThan(0);
    await expect(withOne((client) => explainAvm(client, "'; DROP"))).rejects.toMatchObject({
      code: 'config_invalid',
    });
  });

  it('compares a property with sales of its type before the day, never with its own', async () => {
    const [odd] = await database.query(
      `SELECT e.* FROM serving.property_comparable c, unnest(sale_pids, sale_days, prices) e (sale_pid, sale_day, price)
         LEFT JOIN serving.sale s ON s.gnaf_pid = e.sale_pid AND s.date = DATE '1970-01-01' + e.sale_day AND s.price = e.price
       WHERE e.sale_pid = c.gnaf_pid OR s.date >= c.as_of OR s.event_id IS NULL`,
    );
    expect(odd).toBeUndefined();
    const [ranks] = await database.query<{ wrong: number }>(
      `SELECT count(*)::int AS wrong FROM serving.property_comparable
       WHERE dist_scores <> ARRAY(SELECT score FROM unnest(dist_scores) score ORDER BY score DESC)`,
    );
    expect(ranks!.wrong).toBe(0);
  });

  it('has the market figures that plain SQL makes of the same events', async () => {
    const rows = await database.query<{
      area: string;
      market: string;
      served: number | null;
      made: number;
      n: number;
    }>(
      `WITH day AS (SELECT as_of FROM asset.valuation_day), made AS (
         SELECT sal AS area, market, count(*)::int AS n, percentile_cont(0.5) WITHIN GROUP (ORDER BY price) AS median
         FROM asset.market_fact, day WHERE kind = 'sale' AND sal IS NOT NULL AND date >= as_of - interval '12 months' GROUP BY 1, 2)
       SELECT m.area, m.market, r.median_price AS served, round(m.median)::int AS made, m.n
       FROM made m JOIN serving.region_market r ON r.level = 'SAL' AND r.area = m.area AND r.market = m.market
       WHERE r.price_sample = m.n`,
    );
    expect(rows.length).toBeGreaterThan(3);
    for (const { area, market, served, made, n } of rows) {
      if (n < 10) expect(served, `${area} ${market}`).toBeNull();
      else expect(Math.abs(served! - made), `${area} ${market}`).toBeLessThanOrEqual(1);
    }
  });

  it('has every market figure that plain SQL has, at every level and in every pocket', async () => {
    const made = await database.query<Record<string, string | number | null>>(MARKET_FIGURES_SQL);
    const served = await database.query<Record<string, string | number | null>>(
      `SELECT * FROM (SELECT level, area, market, ${FIGURES.join(', ')} FROM serving.region_market
         UNION ALL SELECT 'SA1', sa1, market, ${FIGURES.join(', ')} FROM serving.pocket_market) all_areas
       ORDER BY level COLLATE "C", area COLLATE "C", market`,
    );
    const nameOf = ({ level, area, market }: (typeof made)[number]): string => `${level} ${area} ${market}`;
    expect(served.map(nameOf)).toEqual(made.map(nameOf));
    const filled: Record<string, number> = {};
    for (const [i, row] of served.entries()) {
      for (const name of FIGURES) {
        const [is, be] = [row[name] as number | null, made[i]![name] as number | null];
        const what = `${name} of ${nameOf(row)}: ${is}, in SQL ${be}`;
        if (is === null || be === null) expect(is, what).toBe(be);
        else expect(Math.abs(is - be), what).toBeLessThanOrEqual((ROUNDED[name] ?? 0) + 1e-9);
        if (is !== null) filled[name] = (filled[name] ?? 0) + 1;
      }
    }
    // Nowhere in a country this small are a hundred dwellings of a kind rented.
    expect(FIGURES.filter((name) => !filled[name])).toEqual(['vacancy_percent']);
  });

  it('has a repeat-sales index where enough homes sold twice', async () => {
    const [state] = await database.query<{ month: string; index_series: { month: string; index: number }[] }>(
      `SELECT month::text AS month, index_series FROM serving.region_market WHERE level = 'STE' AND area = 'NSW' AND market = 'house'`,
    );
    const index = state!.index_series;
    expect(index[0]!.index).toBe(100);
    expect(index.at(-1)!.month).toBe(state!.month);
    // Its homes rise by 5 % a year.
    expect(index.at(-1)!.index).toBeGreaterThan(140);
    const [thin] = await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM serving.region_market WHERE index_series IS NOT NULL AND jsonb_array_length(index_series) < 2`,
    );
    expect(thin!.n).toBe(0);
  });

  it('has pockets that add up to their country, named by their commonest street', async () => {
    const [sums] = await database.query<{ pockets: number; states: number; named: number; n: number }>(
      `SELECT (SELECT sum(price_sample)::int FROM serving.pocket_market) AS pockets,
         (SELECT sum(price_sample)::int FROM serving.region_market WHERE level = 'STE') AS states,
         (SELECT count(*)::int FROM serving.pocket_market WHERE name IS NOT NULL) AS named,
         (SELECT count(*)::int FROM serving.pocket_market) AS n`,
    );
    expect(sums!.pockets).toBe(sums!.states);
    expect(sums!.n).toBeGreaterThan(5);
    expect(sums!.named).toBe(sums!.n);
    const wrong = await database.query(
      `WITH streets AS (SELECT r.sa1, p.street, row_number() OVER (PARTITION BY r.sa1 ORDER BY count(*) DESC, p.street COLLATE "C") AS place
         FROM serving.property p JOIN serving.property_profile r USING (gnaf_pid) WHERE p.street IS NOT NULL GROUP BY 1, 2)
       SELECT m.sa1, m.name, s.street FROM serving.pocket_market m JOIN streets s ON s.sa1 = m.sa1 AND s.place = 1 WHERE m.name <> s.street`,
    );
    expect(wrong).toEqual([]);
  });

  it('serves every count of the Census with its name and its share of those who answered', async () => {
    const [counts] = await database.query<{ served: number; recorded: number }>(
      `SELECT (SELECT sum((c->>'persons')::int)::int FROM serving.region_census, jsonb_array_elements(categories) c) AS served,
         (SELECT sum(persons)::int FROM record.census_count WHERE kind = 'part'
            AND level IN (SELECT DISTINCT level FROM serving.region_demographics)) AS recorded`,
    );
    expect(counts!.served).toBeGreaterThan(0);
    expect(counts!.served).toBe(counts!.recorded);
    const [birthplace] = await database.query<{
      counted: number;
      categories: { census_name: string; persons: number; share: number }[];
    }>(
      `SELECT counted, categories FROM serving.region_census WHERE subject = 'birthplace' ORDER BY counted DESC LIMIT 1`,
    );
    const [first] = birthplace!.categories;
    expect(first!.census_name).toBe('P_Australia_Tot');
    expect(first!.share).toBeCloseTo(first!.persons / birthplace!.counted, 12);
  });

  it('shows a forecast with the measured errors of such forecasts', async () => {
    const [suburb] = await database.query<{ sal: string }>(
      'SELECT sal FROM serving.suburb ORDER BY sal LIMIT 1',
    );
    const db = openServing(database.url);
    const read = async (): Promise<unknown> => (await ask(suburbForecast, db, suburb!.sal)).data;
    try {
      await database.query(
        `INSERT INTO serving.region_forecast VALUES ('SAL', $1, 'house', 'VIC', '2026-05-01', 'model', 3, -2, 8, 60, 0)`,
        [suburb!.sal],
      );
      expect(await read()).toEqual([expect.objectContaining({ growth_percent: 3, backtest: null })]);
      await database.query(
        `INSERT INTO serving.forecast_backtest VALUES ('SAL', 'house', 'AU', '2021-11-01', '2025-05-01', 90, 4.2, 5.5, 4.1, 78)`,
      );
      const backtest = expect.objectContaining({
        of: 'AU',
        forecasts: 90,
        error_points: 4.2,
        last_year_error_points: 4.1,
      });
      expect(await read()).toEqual([expect.objectContaining({ backtest })]);
    } finally {
      await database.query('DELETE FROM serving.region_forecast');
      await database.query('DELETE FROM serving.forecast_backtest');
      await db.destroy();
    }
  });

  it('answers every endpoint for some property or suburb', async () => {
    const db = openServing(database.url);
    try {
      const ids = {
        property: (
          await database.query<{ id: string }>(
            `SELECT gnaf_pid AS id FROM serving.property ORDER BY md5(gnaf_pid) LIMIT 400`,
          )
        ).map((row) => row.id),
        suburb: (await database.query<{ id: string }>('SELECT sal AS id FROM serving.suburb')).map(
          (row) => row.id,
        ),
      };
      const silent: string[] = [];
      for (const endpoint of ENDPOINTS) {
        let answered = false;
        for (const id of ids[endpoint.subject!]) {
          answered = (await ask(endpoint, db, id)).data !== null;
          if (answered) break;
        }
        if (!answered) silent.push(endpoint.subpath);
      }
      // A country this small may have too few sales for a rank or a forecast.
      const thin = ['suburb/growth-forecast', 'suburb/ranking'];
      expect(silent.filter((path) => !thin.includes(path))).toEqual([]);
    } finally {
      await db.destroy();
    }
  });

  it('plans valuations only in the cells of a state whose model changed', async () => {
    const config = configSchema.parse({ datasets: {} });
    const stages = graph(config);
    const books = await withOne((client) => RecordedState.read(client, stages));
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

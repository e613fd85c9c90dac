import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderAvm } from '../../cli/render_valuation.ts';
import { evaluateStored } from '../../pipelines/evaluate/stored.ts';
import { explain } from '../../pipelines/explain/explain.ts';
import { explainAvm } from '../../pipelines/explain/explain_avm.ts';
import { writeModels } from '../../pipelines/export/models.ts';
import { type HomeTableRow, homeTable } from '../../pipelines/stages/valuation/home_columns.ts';
import { configSchema } from '../../schema/config.ts';
import { UNUSED_REASONS } from '../../schema/serving/unused_sale.ts';
import { unpackEvidence } from '../../transforms/avm/day_evidence.ts';
import { Calibrator, valueHomes } from '../../transforms/avm/predict.ts';
import { dayNumber } from '../../transforms/stats/calendar.ts';
import { TRADED } from '../countries.ts';
import { onClient, type TestDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';
import { readModelJson } from '../transforms/avm/read_model_json.ts';
import { QUICK } from '../transforms/avm/synthetic_city.ts';

describe('valuations of the whole sample country', () => {
  let dir: string;
  let database: TestDatabase;

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(TRADED));
  });

  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
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
    const { report, evaluatedSales } = await onClient(database, (client) =>
      evaluateStored(client, request, small),
    );
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
    const rents = await onClient(database, (client) => evaluateStored(client, { ...request, kind: 'rent' }));
    expect(rents.report.kind).toBe('rent');
    expect(rents.evaluatedSales[0]!.price).toBeLessThan(10_000);
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
    const { events } = await onClient(database, (client) =>
      explain(client, configSchema.parse({ datasets: {} }), row!.gnaf_pid),
    );
    expect(events.find(({ event_id }) => event_id === row!.event_id)?.unused).toBe(row!.reason);
    expect(events.some(({ unused }) => unused === null)).toBe(true);
  });

  it('exports each model as JSON, from which alone homes get the values that are served', async () => {
    const folder = join(dir, 'models');
    const files = await onClient(database, (client) => writeModels(client, folder));
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
    await expect(onClient(database, (client) => writeModels(client, folder))).rejects.toMatchObject({
      code: 'output_not_ours',
    });
  });

  it('takes valuations apart into what sums to the served values', async () => {
    const served = await database.query<{ gnaf_pid: string }>(
      `SELECT gnaf_pid FROM serving.property_avm ORDER BY (predicted_price IS NULL), md5(gnaf_pid) LIMIT 3`,
    );
    let compared = 0;
    for (const { gnaf_pid } of served) {
      const explained = await onClient(database, (client) => explainAvm(client, gnaf_pid));
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
    await expect(onClient(database, (client) => explainAvm(client, "'; DROP"))).rejects.toMatchObject({
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
});

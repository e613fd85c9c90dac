import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { avmModelStage } from '../../../../pipelines/stages/valuation/avm_model.ts';
import { servePropertyAvmStage } from '../../../../pipelines/stages/valuation/serve_property_avm.ts';
import { servePropertyComparableStage } from '../../../../pipelines/stages/valuation/serve_property_comparable.ts';
import { serveUnusedSaleStage } from '../../../../pipelines/stages/valuation/serve_unused_sale.ts';
import { serveValuationAccuracyStage } from '../../../../pipelines/stages/valuation/valuation_accuracy.ts';
import { valuationDayStage } from '../../../../pipelines/stages/valuation/valuation_day.ts';
import { valuationHomeStage } from '../../../../pipelines/stages/valuation/valuation_home.ts';
import { ValuationModels } from '../../../../pipelines/stages/valuation/valuation_models.ts';
import { eventBucket } from '../../../../schema/event_bucket.ts';
import { modelPartition } from '../../../../schema/model_partition.ts';
import { ZONE_CATEGORIES } from '../../../../schema/records/zone.ts';
import { unpackModel } from '../../../../transforms/avm/artefact.ts';
import { unpackEvidence } from '../../../../transforms/avm/day_evidence.ts';
import { Calibrator } from '../../../../transforms/avm/predict.ts';
import { createDatabase, type TestDatabase } from '../../../database.ts';
import { computed } from '../../computed.ts';
import { statementRows } from '../../statement.ts';
import { DAY, salesOf } from './city_sales.ts';

it('is the first day of the month of the latest event; none without events', () => {
  const dates = ['2025-12-31', '2026-02-28', '2026-01-01'];
  const buckets = dates.map((date, i) => eventBucket(i === 1 ? 'NSW' : 'VIC', date));
  expect(computed(valuationDayStage, {}, -1, buckets).rows).toEqual([{ as_of: '2026-02-01' }]);
  expect(computed(valuationDayStage, {}, -1, []).rows).toEqual([]);
});

describe('a home as input of the models', () => {
  const of = { gnaf_pid: 'P1' };
  const property = {
    ...of,
    state: 'VIC',
    sal: 'Ash',
    street: 'HIGH STREET',
    dwelling_type: 'house',
    lon: 1,
    lat: -1,
    land_area_sqm: null,
    land_area_reason: null,
    parcel_id: 'P',
    parcel_addresses: 2,
  };
  const given = {
    property: [property],
    basics: [],
    proximity: [],
    risk: [],
    coverage: [],
    zoning: [],
    overlay: [],
    form: [{ parcel_id: 'P', compactness: 0.7, width_m: 20, frontage_m: 15 }],
  };
  const homeOf = (more: object = {}) => {
    const { rows, refs } = computed(valuationHomeStage, { ...given, ...more }, 4);
    expect(refs).toEqual([modelPartition('sale', 'VIC'), modelPartition('rent', 'VIC')]);
    return rows[0]!;
  };

  it('has what is stated of it before what its address says, and the shape of its parcel', () => {
    expect(homeOf()).toMatchObject({
      cell: 4,
      dwelling_type: 'house',
      bedrooms: null,
      compactness: 0.7,
      width_m: 20,
    });
    const basics = [{ ...of, dwelling_type: 'unit', bedrooms: 3, advertised_land_sqm: 400 }];
    expect(homeOf({ basics })).toMatchObject({ dwelling_type: 'unit', bedrooms: 3, land_area_sqm: 400 });
  });

  it('has 1 or 0 for a hazard that a source covers, else null', () => {
    const risk = [
      { ...of, layer: 'flood', on_property: true, nearest_distance_m: 0 },
      { ...of, layer: 'hv_power_line', on_property: false, nearest_distance_m: 70 },
      { ...of, layer: 'hv_power_line', on_property: false, nearest_distance_m: 60 },
    ];
    expect(homeOf({ risk, coverage: [{ ...of, covered: ['flood', 'bushfire'] }] })).toMatchObject({
      flood_on: 1,
      bushfire_on: 0,
      heritage_on: null,
      power_line_m: 60,
    });
  });

  it('has the number of its zone and of its overlays', () => {
    const zoning = [{ ...of, category: 'rural' }];
    expect(homeOf({ zoning, overlay: [of, of] })).toMatchObject({
      zone: ZONE_CATEGORIES.indexOf('rural'),
      overlays: 2,
    });
    expect(homeOf()).toMatchObject({ zone: null, overlays: 0 });
  });

  it('has no shape where its land is shared, and is a school where one lies in the middle of its parcel', () => {
    const unit = { ...property, land_area_reason: 'unit_on_shared_parcel' };
    expect(homeOf({ property: [unit] })).toMatchObject({ compactness: null, strata_addresses: 2 });
    expect(homeOf({ proximity: [{ ...of, school_m: 9 }] })).toMatchObject({
      dwelling_type: 'other',
      school_m: 9,
    });
    expect(homeOf({ proximity: [{ ...of, school_m: 11 }] })).toMatchObject({ dwelling_type: 'house' });
  });
});

describe('by the model of its state', () => {
  const sales = salesOf('VIC', 600);
  const model = computed(avmModelStage, { sale: sales, day: DAY }, modelPartition('sale', 'VIC')).rows[0] as {
    model_id: string;
    artefact: Uint8Array;
    evidence: Uint8Array;
  };
  const choice = { kind: 'sale', state: 'VIC', region: 'VIC', artefact: model.artefact } as const;
  const home = [...sales.slice(0, 20), { ...sales[0]!, gnaf_pid: 'elsewhere', state: 'TAS' }];
  const region = home.map(({ gnaf_pid }) => ({ gnaf_pid, sa2: '2', sa3: '20' }));

  it('has a value in its interval, or the reason why it has none', () => {
    const unpacked = unpackModel(model.artefact);
    const ready = {
      model: unpacked,
      evidence: unpackEvidence(model.evidence),
      calibrator: new Calibrator(unpacked),
    };
    const models = new ValuationModels([choice], new Map([['sale|VIC', ready]]));
    const { rows, account } = computed(servePropertyAvmStage, { home, region, day: DAY }, 4, models);
    expect(account).toEqual({ in: 21, out: 21, drops: {} });
    for (const row of rows.slice(0, 20)) {
      const { predicted_price, predicted_price_low, predicted_price_high } = row as Record<string, number>;
      expect(row).toMatchObject({
        cell: 4,
        sa2: '2',
        model_id: model.model_id,
        reason: null,
        rent_aud_pw: null,
      });
      expect(predicted_price_low).toBeLessThanOrEqual(predicted_price!);
      expect(predicted_price_high).toBeGreaterThanOrEqual(predicted_price!);
    }
    expect(rows[20]).toMatchObject({
      gnaf_pid: 'elsewhere',
      predicted_price: null,
      reason: 'no_model',
      model_id: null,
    });
    const none = computed(servePropertyAvmStage, { home, region, day: [] }, 4, models);
    expect(none.account).toEqual({ in: 21, out: 0, drops: { no_sales: 21 } });
  });

  it('is compared with sales before the valuation day, at the prices of that day where levels are known', () => {
    const levels = new Map([['VIC', unpackModel(model.artefact).levels]]);
    const sale = sales.map((row) => ({ ...row, event_id: row.event_id }));
    const { rows, account } = computed(
      servePropertyComparableStage,
      { home, region, day: DAY, sale },
      4,
      levels,
    );
    expect(account.in).toBe(21);
    expect(rows.length).toBeGreaterThan(0);
    const [first] = rows as {
      dist_scores: number[];
      sale_days: number[];
      prices: number[];
      adjusted_prices: number[];
    }[];
    expect(first!.dist_scores).toEqual(first!.dist_scores.toSorted((a, b) => b - a));
    expect(first!.adjusted_prices).toHaveLength(first!.prices.length);
    const none = computed(servePropertyComparableStage, { home, region, day: [], sale }, 4, levels);
    expect(none.account).toEqual({ in: 21, out: 0, drops: { no_comparable: 21 } });
  });

  it('counts in the accuracy of each group once for each model', () => {
    const evidence = sales.map((row) => ({ ...row, as_of: DAY[0]!.as_of }));
    const { rows, account } = computed(serveValuationAccuracyStage, {
      choice: [choice, { ...choice, state: 'TAS' }],
      evidence,
    });
    expect(account).toEqual({ in: 2, out: 2, drops: {} });
    const of = (level: string) => rows.filter((row) => row.level === level);
    const salesIn = (level: string) => of(level).reduce((sum, row) => sum + Number(row.sales), 0);
    expect(of('all')).toMatchObject([{ kind: 'sale', region: 'VIC', group_name: '' }]);
    expect(salesIn('price_third')).toBe(salesIn('all'));
    expect(
      of('price_third')
        .map(({ group_name }) => group_name)
        .sort(),
    ).toEqual(['high', 'low', 'middle']);
    expect(of('dwelling_type').length).toBeGreaterThan(1);
    expect(of('suburb').length).toBeGreaterThan(0);
    for (const { sales, level } of rows) if (level !== 'all') expect(sales).toBeGreaterThanOrEqual(5);
  });
});

describe('sales that are no evidence', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database?.drop());

  it('are served with the reason of the model that values their state', async () => {
    const sale = (state: string, event_id: string) => ({
      model_partition: modelPartition('sale', state),
      kind: 'sale',
      gnaf_pid: 'P1',
      event_id,
      date: '2026-01-01',
    });
    const all = [
      sale('VIC', 'used'),
      sale('VIC', 'outlier'),
      sale('VIC', 'late'),
      sale('TAS', 'pooled'),
      { ...sale('VIC', 'rent'), kind: 'rent', model_partition: modelPartition('rent', 'VIC') },
    ];
    const model = (state: string, left_out: string[][]) => ({
      model_partition: modelPartition('sale', state),
      kind: 'sale',
      left_out,
    });
    const rows = await statementRows(database, serveUnusedSaleStage, {
      sale: all,
      evidence: all.filter(({ event_id }) => event_id !== 'late'),
      model: [model('VIC', [['P1', 'outlier', 'outlier']])],
      pooled: [model('', [['P1', 'pooled', 'too_recent']])],
    });
    expect(rows.map(({ event_id, reason }) => [event_id, reason]).sort()).toEqual([
      ['late', 'arrived_later'],
      ['outlier', 'outlier'],
      ['pooled', 'too_recent'],
      ['rent', 'no_model'],
    ]);
  });
});

import { addressHomeAsset } from '../../../schema/assets/property.ts';
import {
  HOME_EXTRA,
  recentSaleAsset,
  VALUATION_KINDS,
  valuationDayAsset,
  valuationHomeAsset,
} from '../../../schema/assets/valuation.ts';
import { modelOfPartition } from '../../../schema/model_partition.ts';
import { propertyComparableTable } from '../../../schema/serving/property_comparable.ts';
import { COMPARABLES, comparablesFor } from '../../../transforms/cma/comparables.ts';
import type { PriceLevels } from '../../../transforms/cma/price_levels.ts';
import { buildSalesIndex, subjectOf } from '../../../transforms/cma/sales_index.ts';
import { dayNumber } from '../../../transforms/stats/calendar.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';
import { byPid } from '../addresses/by_key.ts';
import { comparedHomes, comparedSales, LIKENESS_COLUMNS } from './home_columns.ts';
import { modelInputs, readChosenModels, statesKey, statesOfKey } from './valuation_models.ts';

/**
 * Rounds an estimate to the nearest thousand dollars. The index is no more accurate, and retraining shifts every level by about 0.01 %,
 * which would change all comparables of a state.
 */
const roundedPrice = (price: number): number => Math.round(price / 1000) * 1000;

export const servePropertyComparableStage = stage({
  name: 'serve_property_comparable',
  version: 12,
  doc: 'Rows of serving.property_comparable: the sales most similar to each property before the valuation date.',
  subject: 'home',
  inputs: {
    home: input(valuationHomeAsset, LIKENESS_COLUMNS),
    region: input(addressHomeAsset, ['gnaf_pid', 'sa2', 'sa3']),
    day: input(valuationDayAsset, ['as_of'], { kind: 'all' }),
    sale: input(recentSaleAsset, [...LIKENESS_COLUMNS, 'event_id', 'date', 'price'], {
      kind: 'near',
      halo_m: COMPARABLES.max_m,
      around: addressHomeAsset,
    }),
    ...modelInputs((home) => modelOfPartition(home).kind === 'sale'),
  },
  output: propertyComparableTable,
  params: () => ({ HOME_EXTRA, VALUATION_KINDS }),
  resource: {
    keyOf: (_, homes) => statesKey(homes),
    async build(reader, key) {
      const { choices, models } = await readChosenModels(reader, statesOfKey(key), ['sale']);
      const levels = choices.map(
        ({ kind, state, region }) => [state, models.get(`${kind}|${region}`)!.levels] as const,
      );
      return new Map<string, PriceLevels | null>(levels);
    },
  },
  compute({ home, region, day, sale }, { cell, resource, emit }) {
    const as_of = day[0]?.as_of;
    let out = 0;
    if (as_of !== undefined) {
      const regions = byPid(region);
      const index = buildSalesIndex(comparedSales(sale));
      const homes = comparedHomes(home);
      home.forEach(({ gnaf_pid, state }, i) => {
        const params = { ...COMPARABLES, levels: resource.get(state) ?? null };
        const comparables = comparablesFor(index, subjectOf(homes, i), dayNumber(as_of), params);
        if (comparables.length === 0) return;
        out++;
        const { sa2, sa3 } = regions.get(gnaf_pid)!;
        const adjusted = comparables.flatMap(({ adjusted_price }) => adjusted_price ?? []);
        emit({
          gnaf_pid,
          cell,
          state,
          sa2,
          sa3,
          as_of,
          sale_pids: comparables.map(({ property }) => property),
          sale_days: comparables.map(({ day }) => day),
          dist_scores: comparables.map(({ dist_score }) => dist_score),
          distances_m: comparables.map(({ distance_m }) => Math.round(distance_m)),
          prices: comparables.map(({ price }) => price),
          // The state's price index can adjust all of them or none.
          adjusted_prices: adjusted.length < comparables.length ? null : adjusted.map(roundedPrice),
        });
      });
    }
    const none = home.length - out;
    const drops: Record<string, number> = none > 0 ? { no_comparable: none } : {};
    return { account: { in: home.length, out, drops } };
  },
});

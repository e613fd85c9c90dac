import { addressHomeAsset } from '../../../schema/assets/property.ts';
import {
  HOME_EXTRA,
  VALUATION_KINDS,
  valuationDayAsset,
  valuationHomeAsset,
} from '../../../schema/assets/valuation.ts';
import { groupBy } from '../../../schema/group_by.ts';
import { propertyAvmTable } from '../../../schema/serving/property_avm.ts';
import type { ValuationKind } from '../../../transforms/avm/model.ts';
import { type Valuation, valueHomes } from '../../../transforms/avm/predict.ts';
import { grossYieldPct } from '../../../transforms/avm/rent_yield.ts';
import { isoOfDay } from '../../../transforms/stats/calendar.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';
import { byPid } from '../addresses/by_key.ts';
import { HOME_COLUMNS, type HomeTableRow, homeTable } from './home_columns.ts';
import {
  readValuationModels,
  statesKey,
  statesOfKey,
  VALUATION_INPUTS,
  type ValuationModels,
} from './valuation_models.ts';

interface Valued {
  valuation: Valuation;
  model_id: string;
  /** Valuation date of the model: in an earlier month if the newest model failed its gates. */
  as_of: string;
}

/** Values properties of one kind, each by the model of its state, by gnaf_pid. Absent: the state has no model. */
function valueAll(
  models: ValuationModels,
  kind: ValuationKind,
  homes: readonly HomeTableRow[],
): Map<string, Valued> {
  const valued = new Map<string, Valued>();
  for (const [state, rows] of groupBy(homes, (row) => row.state)) {
    const ready = models.of(kind, state);
    if (!ready) continue;
    const { model, evidence, calibrator } = ready;
    const valuations = valueHomes(model, evidence, homeTable(rows), model.as_of, calibrator);
    const as_of = isoOfDay(model.as_of);
    rows.forEach(({ gnaf_pid }, i) => {
      valued.set(gnaf_pid, { valuation: valuations[i]!, model_id: model.id, as_of });
    });
  }
  return valued;
}

export const servePropertyAvmStage = stage({
  name: 'serve_property_avm',
  version: 8,
  doc: 'Rows of serving.property_avm: value and rent of every property at the valuation date of its models.',
  subject: 'home',
  inputs: {
    home: input(valuationHomeAsset, HOME_COLUMNS),
    region: input(addressHomeAsset, ['gnaf_pid', 'sa2', 'sa3']),
    day: input(valuationDayAsset, ['as_of'], { kind: 'all' }),
    ...VALUATION_INPUTS,
  },
  output: propertyAvmTable,
  params: () => ({ HOME_EXTRA, VALUATION_KINDS }),
  resource: {
    keyOf: (_, homes) => statesKey(homes),
    build: (reader, key) => readValuationModels(reader, statesOfKey(key)),
  },
  compute({ home, region, day }, { cell, resource, emit }) {
    const as_of = day[0]?.as_of;
    if (as_of === undefined) {
      const drops: Record<string, number> = { no_sales: home.length };
      return { account: { in: home.length, out: 0, drops } };
    }
    const regions = byPid(region);
    const prices = valueAll(resource, 'sale', home);
    const rents = valueAll(resource, 'rent', home);
    for (const { gnaf_pid, state } of home) {
      const price = prices.get(gnaf_pid);
      const rent = rents.get(gnaf_pid);
      const estimate = price?.valuation.estimate ?? null;
      const weekly = rent?.valuation.estimate ?? null;
      const { sa2, sa3 } = regions.get(gnaf_pid)!;
      emit({
        gnaf_pid,
        cell,
        state,
        sa2,
        sa3,
        prediction_date: price?.as_of ?? rent?.as_of ?? as_of,
        predicted_price: estimate?.price ?? null,
        predicted_price_low: estimate?.low ?? null,
        predicted_price_high: estimate?.high ?? null,
        confidence: estimate?.confidence ?? null,
        comparables_price: estimate?.comparables ?? null,
        fsd: estimate?.fsd ?? null,
        tier: estimate?.tier ?? null,
        reason: estimate ? null : (price?.valuation.reason ?? 'no_model'),
        model_id: price?.model_id ?? null,
        rent_aud_pw: weekly?.price ?? null,
        rent_aud_pw_low: weekly?.low ?? null,
        rent_aud_pw_high: weekly?.high ?? null,
        rent_confidence: weekly?.confidence ?? null,
        rent_model_id: rent?.model_id ?? null,
        yield_percent: grossYieldPct(weekly?.price ?? null, estimate?.price ?? null),
      });
    }
    return { account: { in: home.length, out: home.length, drops: {} } };
  },
});

import { featureGroup } from '../../transforms/avm/feature_set.ts';
import { AVM, type AvmParams } from '../../transforms/avm/params.ts';
import type { SaleTable } from '../../transforms/property/home_table.ts';
import { type EvaluateOptions, type Evaluation, evaluate, type Regions } from './evaluate.ts';
import type { ForestThreads } from './forest_threads.ts';
import { METHODS } from './trial.ts';

/** Errors of models trained without one group of extra features, compared with models trained with all. */
export interface GroupWorth {
  group: string;
  features: string[];
  median_abs_error_pct: number;
  cod: number;
  /** Rise of both errors without the group, percentage points. Below 0: the models are better without it. */
  error_rise: number;
  cod_rise: number;
}

/** How the models were evaluated with all groups, and are without one. */
interface EvaluationSetting {
  options: EvaluateOptions;
  threads: ForestThreads;
  params?: AvmParams;
  regions?: Regions;
}

const modelOf = ({ methods }: Evaluation) => methods.find(({ method }) => method === METHODS.model)!;

/**
 * Retrains and evaluates without each group of extra features (the part of their names before the dot). This shows a group's value, unlike
 * its share of the gain, because other features can replace it.
 */
export async function groupWorth(
  sales: SaleTable,
  withAll: Evaluation,
  { options, threads, params = AVM, regions }: EvaluationSetting,
): Promise<GroupWorth[]> {
  const groups = [...new Set(Object.keys(sales.extra).map(featureGroup))].sort();
  const all = modelOf(withAll);
  const worth: GroupWorth[] = [];
  for (const group of groups) {
    const names = Object.keys(sales.extra);
    const otherNames = names.filter((name) => featureGroup(name) !== group);
    const extra = Object.fromEntries(otherNames.map((name) => [name, sales.extra[name]!]));
    const { evaluation } = await evaluate({ ...sales, extra }, options, threads, params, regions);
    const without = modelOf(evaluation);
    worth.push({
      group,
      features: names.filter((name) => featureGroup(name) === group).sort(),
      median_abs_error_pct: without.median_abs_error_pct,
      cod: without.cod,
      error_rise: without.median_abs_error_pct - all.median_abs_error_pct,
      cod_rise: without.cod - all.cod,
    });
  }
  return worth;
}

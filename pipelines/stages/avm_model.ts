import { createHash } from 'node:crypto';
import { NO_CELL } from '../../schema/grid.ts';
import type { Row } from '../../schema/table.ts';
import {
  avmModelAsset,
  avmPooledModelAsset,
  VALUATION_KINDS,
  valuationDayAsset,
  valuationSaleAsset,
} from '../../schema/valuation_assets.ts';
import { packModel } from '../../transforms/avm/artefact.ts';
import type { ValuationKind } from '../../transforms/avm/model.ts';
import { promoteModel } from '../../transforms/avm/promote.ts';
import { SALE_RULES, validateSales } from '../../transforms/avm/validate_sales.ts';
import { isoOfDay } from '../../transforms/stats/calendar.ts';
import { input, stage } from '../engine/stage.ts';
import { dayNumber, POOLED, SALE_COLUMNS, saleTableOf } from './home_table.ts';

type SaleRow = Parameters<typeof saleTableOf>[0][number] & Pick<Row<typeof valuationSaleAsset>, 'kind'>;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The valid sales of a region, and how many were left out by reason. */
function validOf(kind: ValuationKind, given: readonly SaleRow[], as_of: string) {
  return validateSales(saleTableOf(given), {}, dayNumber(as_of), SALE_RULES[kind]);
}

/** The model of a region; null: its sales do not carry one. */
function trainRegion(
  kind: ValuationKind,
  region: string,
  { sales }: ReturnType<typeof validOf>,
  as_of: string,
): Omit<Row<typeof avmModelAsset>, 'cell'> | null {
  if (sales.length === 0) return null;
  const promoted = promoteModel(sales, { kind, as_of: dayNumber(as_of), digest: sha256 });
  const { model, outcome, challenger_id, figures, failures } = promoted;
  if (model.trained_sales === 0) return null;
  return {
    kind,
    region,
    model_id: model.id,
    as_of: isoOfDay(model.as_of),
    outcome,
    challenger_id,
    figures,
    failures,
    trained_sales: model.trained_sales,
    gain: model.gain,
    artefact: packModel(model),
  };
}

export const avmModelStage = stage({
  name: 'avm_model',
  version: 5,
  doc: 'A valuation model of sales and one of rents for each state with enough of them, each a partition of its own; made anew when the month of valuation changes, and serving only through its gates.',
  subject: 'sale',
  alone: true,
  inputs: {
    sale: input(valuationSaleAsset, SALE_COLUMNS, { kind: 'home' }),
    day: input(valuationDayAsset, ['as_of'], { kind: 'all' }),
  },
  output: avmModelAsset,
  compute({ sale, day }, { cell }) {
    // A partition holds sales of one kind and state.
    const { kind, state } = sale[0]!;
    const valid = validOf(kind as ValuationKind, sale, day[0]!.as_of);
    const model = trainRegion(kind as ValuationKind, state, valid, day[0]!.as_of);
    const drops = Object.fromEntries(Object.entries(valid.counts).filter(([, n]) => n > 0));
    return {
      rows: model ? [{ cell, ...model }] : [],
      account: { in: sale.length, out: valid.sales.length, drops },
    };
  },
});

export const avmPooledModelStage = stage({
  name: 'avm_pooled_model',
  version: 3,
  doc: 'The valuation models of the whole country, where a state has sales or rents and no model of its own.',
  subject: 'sale',
  by: 'whole',
  inputs: {
    sale: input(valuationSaleAsset, SALE_COLUMNS, { kind: 'all' }),
    model: input(avmModelAsset, ['kind', 'region'], { kind: 'all' }),
    day: input(valuationDayAsset, ['as_of'], { kind: 'all' }),
  },
  output: avmPooledModelAsset,
  compute({ sale, model, day }) {
    const rows: Row<typeof avmPooledModelAsset>[] = [];
    const drops: Record<string, number> = {};
    for (const kind of VALUATION_KINDS) {
      const ofKind = sale.filter((row) => row.kind === kind);
      const own = new Set(model.filter((row) => row.kind === kind).map(({ region }) => region));
      if (ofKind.every(({ state }) => own.has(state))) {
        if (ofKind.length > 0) drops.states_have_models = (drops.states_have_models ?? 0) + ofKind.length;
        continue;
      }
      const valid = validOf(kind, ofKind, day[0]!.as_of);
      for (const [name, n] of Object.entries(valid.counts)) if (n > 0) drops[name] = (drops[name] ?? 0) + n;
      const pooled = trainRegion(kind, POOLED, valid, day[0]!.as_of);
      if (pooled) rows.push({ cell: NO_CELL, ...pooled });
    }
    const dropped = Object.values(drops).reduce((sum, n) => sum + n, 0);
    return { rows, account: { in: sale.length, out: sale.length - dropped, drops } };
  },
});

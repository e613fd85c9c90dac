import { createHash } from 'node:crypto';
import { NO_CELL } from '../../schema/grid.ts';
import type { Row } from '../../schema/table.ts';
import {
  avmModelAsset,
  VALUATION_KINDS,
  valuationDayAsset,
  valuationSaleAsset,
} from '../../schema/valuation_assets.ts';
import { packModel } from '../../transforms/avm/artefact.ts';
import { promoteModel } from '../../transforms/avm/promote.ts';
import { SALE_RULES, validateSales } from '../../transforms/avm/validate_sales.ts';
import { isoOfDay } from '../../transforms/stats/calendar.ts';
import { input, stage } from '../engine/stage.ts';
import { groupBy } from './by_key.ts';
import { dayNumber, POOLED, SALE_COLUMNS, saleTableOf } from './home_table.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const avmModelStage = stage({
  name: 'avm_model',
  version: 2,
  doc: 'A valuation model of sales and one of rents for each state with enough of them, and a pooled one where a state has too few; made anew when the month of valuation changes, and serving only through its gates.',
  subject: 'sale',
  by: 'whole',
  inputs: {
    sale: input(valuationSaleAsset, SALE_COLUMNS, { kind: 'all' }),
    day: input(valuationDayAsset, ['as_of'], { kind: 'all' }),
  },
  output: avmModelAsset,
  compute({ sale, day }) {
    const rows: Row<typeof avmModelAsset>[] = [];
    const drops: Record<string, number> = {};
    let out = 0;
    const as_of = day[0]?.as_of;
    for (const kind of VALUATION_KINDS) {
      const ofKind = sale.filter((row) => row.kind === kind);
      const train = (region: string, given: readonly (typeof sale)[number][]): void => {
        const today = dayNumber(as_of!);
        const { sales, counts } = validateSales(saleTableOf(given), {}, today, SALE_RULES[kind]);
        if (region !== POOLED) {
          for (const [name, n] of Object.entries(counts)) if (n > 0) drops[name] = (drops[name] ?? 0) + n;
          out += sales.length;
        }
        if (sales.length === 0) return;
        const promoted = promoteModel(sales, { kind, as_of: today, digest: sha256 });
        const { model, outcome, challenger_id, figures, failures } = promoted;
        if (model.trained_sales === 0) return;
        rows.push({
          cell: NO_CELL,
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
        });
      };
      const regions = groupBy(ofKind, (row) => row.state);
      for (const region of [...regions.keys()].sort()) train(region, regions.get(region)!);
      // States whose own sales do not carry a model are valued by one of the whole country.
      const alone = new Set(rows.filter((row) => row.kind === kind).map((row) => row.region));
      if (regions.size > alone.size) train(POOLED, ofKind);
    }
    return { rows, account: { in: sale.length, out, drops } };
  },
});

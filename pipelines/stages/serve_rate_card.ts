import { NO_CELL } from '../../schema/grid.ts';
import { RATE_CARD, RATE_CARD_VERSION } from '../../schema/rate_card.ts';
import { rateCardTable } from '../../schema/serving/rate_card.ts';
import { searchAreaTable } from '../../schema/serving/search_area.ts';
import { input, stage } from '../engine/stage.ts';

export const serveRateCardStage = stage({
  name: 'serve_rate_card',
  version: 1,
  doc: 'Rows of serving.rate_card, as soon as there is a state to serve.',
  subject: 'area',
  by: 'whole',
  inputs: { area: input(searchAreaTable, ['code'], { kind: 'all' }, "level = 'STE'") },
  output: rateCardTable,
  params: () => ({ version: RATE_CARD_VERSION, prices: Object.entries(RATE_CARD) }),
  compute({ area }, { params: { version, prices }, emit }) {
    for (const [endpoint, price_cents] of prices) emit({ endpoint, cell: NO_CELL, version, price_cents });
    return { account: { in: area.length, out: area.length, drops: {} } };
  },
});

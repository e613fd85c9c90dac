import { RATE_CARD, RATE_CARD_VERSION } from '../../schema/rate_card.ts';
import { HAZARD_LAYERS, HAZARDS } from '../../schema/records/hazard.ts';
import { rateCardTable } from '../../schema/serving/rate_card.ts';
import { searchAreaTable } from '../../schema/serving/search_area.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';

export const serveRateCardStage = stage({
  name: 'serve_rate_card',
  version: 1,
  doc: 'Rows of serving.rate_card, as soon as there is a state to serve.',
  subject: 'area',
  by: 'whole',
  inputs: { area: input(searchAreaTable, ['code'], { kind: 'all' }, { level: 'STE' }) },
  output: rateCardTable,
  params: () => ({ RATE_CARD, RATE_CARD_VERSION, HAZARD_LAYERS, HAZARDS }),
  compute({ area }, { params, emit }) {
    const version = params.RATE_CARD_VERSION;
    for (const [endpoint, price_cents] of Object.entries(params.RATE_CARD))
      emit({ endpoint, version, price_cents });
    return { account: { in: area.length, out: area.length, drops: {} } };
  },
});

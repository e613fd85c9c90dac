import { NO_CELL } from '../../schema/grid.ts';
import { propertyEventTable } from '../../schema/serving/property_event.ts';
import { valuationDayAsset, valuationMonthAsset } from '../../schema/valuation_assets.ts';
import { input, stage } from '../engine/stage.ts';

export const valuationMonthStage = stage({
  name: 'valuation_month',
  version: 1,
  doc: 'The date of the latest sale or rent listing of each cell.',
  subject: 'event',
  inputs: {
    event: input(
      propertyEventTable,
      ['cell', 'date', 'type'],
      { kind: 'own' },
      "type IN ('Sold', 'For Rent')",
    ),
  },
  output: valuationMonthAsset,
  compute({ event }, { cell }) {
    const latest = event.reduce((max, row) => (row.date > max ? row.date : max), '');
    return {
      rows: latest === '' ? [] : [{ cell, latest }],
      account: { in: event.length, out: event.length, drops: {} },
    };
  },
});

export const valuationDayStage = stage({
  name: 'valuation_day',
  version: 1,
  doc: 'The day of valuation: the first of the month in which the latest event lies.',
  subject: 'month',
  by: 'whole',
  inputs: { month: input(valuationMonthAsset, ['latest'], { kind: 'all' }) },
  output: valuationDayAsset,
  compute({ month }) {
    const latest = month.reduce((max, row) => (row.latest > max ? row.latest : max), '');
    return {
      rows: latest === '' ? [] : [{ cell: NO_CELL, as_of: `${latest.slice(0, 7)}-01` }],
      account: { in: month.length, out: month.length, drops: {} },
    };
  },
});

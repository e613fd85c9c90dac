import { valuationDayAsset, valuationMonthAsset } from '../../schema/assets/valuation.ts';
import { propertyEventTable } from '../../schema/serving/property_event.ts';
import { input } from '../engine/input.ts';
import { sqlStage } from '../engine/sql_stage.ts';

export const valuationMonthStage = sqlStage({
  name: 'valuation_month',
  doc: 'The date of the latest sale or rent listing of each cell.',
  subject: 'event',
  inputs: {
    event: input(propertyEventTable, ['cell', 'date'], { kind: 'own' }, { type: ['Sold', 'For Rent'] }),
  },
  output: valuationMonthAsset,
  sql: 'SELECT cell, max(date) AS latest FROM event GROUP BY cell',
});

export const valuationDayStage = sqlStage({
  name: 'valuation_day',
  doc: 'The valuation date: the first day of the month of the latest event.',
  subject: 'month',
  inputs: {
    month: input(valuationMonthAsset, ['latest'], { kind: 'all' }),
  },
  output: valuationDayAsset,
  sql: "SELECT date_trunc('month', max(latest))::date AS as_of FROM month HAVING max(latest) IS NOT NULL",
});

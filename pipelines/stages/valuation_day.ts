import { valuationDayAsset, valuationMonthAsset } from '../../schema/assets/valuation.ts';
import { evidenceDayRecord } from '../../schema/records/evidence.ts';
import { propertyEventTable } from '../../schema/serving/property_event.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';

/** The latest of ISO dates; '' for none. */
function latestOf(dates: readonly string[]): string {
  let latest = '';
  for (const date of dates) if (date > latest) latest = date;
  return latest;
}

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
      { type: ['Sold', 'For Rent'] },
    ),
  },
  output: valuationMonthAsset,
  compute({ event }, { cell, emit }) {
    const latest = latestOf(event.map((row) => row.date));
    if (latest !== '') emit({ cell, latest });
    return { account: { in: event.length, out: event.length, drops: {} } };
  },
});

export const valuationDayStage = stage({
  name: 'valuation_day',
  version: 2,
  doc: 'The day of valuation: that of the evidence that was written down, else the first of the month in which the latest event lies.',
  subject: 'month',
  by: 'whole',
  inputs: {
    month: input(valuationMonthAsset, ['latest'], { kind: 'all' }),
    written: input(evidenceDayRecord, ['as_of'], { kind: 'all' }),
  },
  output: valuationDayAsset,
  compute({ month, written }, { emit }) {
    const latest = latestOf(month.map((row) => row.latest));
    if (latest !== '') emit({ as_of: written[0]?.as_of ?? `${latest.slice(0, 7)}-01` });
    return { account: { in: month.length, out: month.length, drops: {} } };
  },
});

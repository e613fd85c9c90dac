import { valuationDayAsset } from '../../../schema/assets/valuation.ts';
import { firstOfLastMonth } from '../../../schema/event_bucket.ts';
import { marketEventRecord } from '../../../schema/records/market_event.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';

export const valuationDayStage = stage({
  name: 'valuation_day',
  version: 2,
  doc: 'The valuation date: the first day of the month of the latest market event, from the recorded buckets.',
  subject: 'event',
  inputs: { event: input(marketEventRecord, ['month_partition'], { kind: 'resource' }) },
  output: valuationDayAsset,
  // Bucket numbers contain the months; there are few buckets.
  resource: { keyOf: () => '', build: (reader) => reader.cells('event') },
  compute(_, { resource, emit }) {
    const as_of = firstOfLastMonth(resource);
    if (as_of !== null) emit({ as_of });
    const months = as_of === null ? 0 : 1;
    return { account: { in: months, out: months, drops: {} } };
  },
});

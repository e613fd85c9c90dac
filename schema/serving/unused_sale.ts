import { col, table } from '../table.ts';

/** Why a sale or rent is no evidence of the valuation model of its state, and so neither trained on nor valued by. */
export const UNUSED_REASONS = {
  nominal_price: 'The price is below any market price.',
  excessive_price: 'The price is above that of any dwelling.',
  type_not_valued: 'It is not a type of dwelling that is valued, or of unknown type.',
  no_place: 'Neither coordinates nor suburb are known.',
  duplicate: 'The same property has the same price on the same day in another record.',
  outlier: 'The price is far from the one expected at that time.',
  too_recent:
    'It is dated after the last day of the model in service, or too near to it: sales are reported late.',
  arrived_later: 'It was loaded after the models of the month were trained.',
  not_newest: 'The state has enough newer sales.',
  no_model: 'The state has too few sales for a model.',
} as const;

/** One row per sale or rent before the valuation date that no model uses. Sales that are not evidence at all state it in property_event. */
export const unusedSaleTable = table({
  schema: 'serving',
  name: 'unused_sale',
  doc: 'A sale or rent of a property that the valuation models do not use, and why. Sales without a market price (property_event.no_evidence) are not listed again.',
  columns: {
    model_partition: col('int4', 'Partition of the model (schema/model_partition.ts).'),
    kind: col('text', 'sale or rent.'),
    gnaf_pid: col('text', 'Property.'),
    event_id: col('text', 'Event of the property in property_event.'),
    reason: col('text', `${Object.keys(UNUSED_REASONS).join(', ')}.`),
  },
  primaryKey: ['gnaf_pid', 'event_id'],
  partition: 'model',
  indexes: [{ columns: ['model_partition'] }],
});

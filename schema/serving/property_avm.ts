import { col, nullable, table } from '../table.ts';
import { located } from './located.ts';

/** Rows for valuation/avm; the finder uses the rent. */
export const propertyAvmTable = table({
  schema: 'serving',
  name: 'property_avm',
  doc: 'The estimated value and rent of a property, or the reason for having none.',
  columns: {
    gnaf_pid: col('text', 'Property.'),
    ...located,
    prediction_date: col(
      'date',
      'Valuation date: that of its model, from an earlier month where the newest model failed its gates.',
    ),
    predicted_price: nullable('int4', 'Estimated value, whole dollars; null: see reason.'),
    predicted_price_low: nullable('int4', 'Lower end of the 80 % interval; null with the value.'),
    predicted_price_high: nullable('int4', 'Upper end; null with the value.'),
    confidence: nullable('int2', '0 to 100, from the width of the interval; null with the value.'),
    comparables_price: nullable(
      'int4',
      'Median price of the up to eight most similar sales, indexed to the valuation date. If it differs from the value by a factor above 1.5, the error is about twice the usual; the value is still the better predictor. Null with the value, or no sale nearby.',
    ),
    fsd: nullable('float8', 'Forecast standard deviation, a fraction of the value; null with it.'),
    tier: nullable('text', 'full, masked, bare, ridge_local or area_median; null with the value.'),
    reason: nullable(
      'text',
      'Why there is no value: no_model, type_not_valued, outside_evidence (size, rooms or zone beyond those of sold homes of its type, or no similar sale nearby), not_located, too_few_sales, too_uncertain; null: there is one.',
    ),
    model_id: nullable('text', 'Model behind the estimate; null: no model for the region.'),
    rent_aud_pw: nullable('int4', 'Estimated rent, dollars per week; null: none.'),
    rent_aud_pw_low: nullable('int4', 'Lower end of its 80 % interval; null with the rent.'),
    rent_aud_pw_high: nullable('int4', 'Upper end; null with the rent.'),
    rent_confidence: nullable('int2', '0 to 100; null with the rent.'),
    rent_model_id: nullable('text', 'Model behind the estimate; null: no model for the region.'),
    yield_percent: nullable(
      'float8',
      'Annual rent divided by the value, per cent; null: one of them is unknown.',
    ),
  },
  primaryKey: ['gnaf_pid'],
  tracked: 'gnaf_pid',
  indexes: [{ columns: ['cell'] }],
  checks: {
    property_avm_reason: '(predicted_price IS NULL) = (reason IS NOT NULL)',
    property_avm_range:
      'predicted_price_low <= predicted_price AND predicted_price <= predicted_price_high AND predicted_price > 0',
    property_avm_confidence: 'confidence BETWEEN 0 AND 100',
  },
});

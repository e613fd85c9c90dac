import { shownValue } from '../contract/answers/shown_value.ts';
import type { AvmExplanation, ExplainedValue } from '../pipelines/explain/explain_avm.ts';
import { columns } from './render.ts';

/** Contributions that the text lists. */
const LISTED = 15;

const dollars = (value: number | null): string =>
  value === null ? '-' : `$${Math.round(value).toLocaleString('en-AU')}`;
const signed = (value: number): string => `${value > 0 ? '+' : ''}${value.toFixed(1)} %`;
const numberText = (value: number | null): string => (value === null ? '' : String(Number(value.toFixed(4))));

/** Says where the estimate is far from what the most alike sales sold for: what lies between is in the effects of the features. */
function disputeLines({ comparables_price, disputed_times }: ExplainedValue): string[] {
  if (disputed_times === null) return [];
  return [
    `  the median of the most similar sales is ${dollars(comparables_price)}, a factor of ${disputed_times.toFixed(2)} away; this lowers the confidence, and the effects below explain the difference`,
  ];
}

function valueLines(value: ExplainedValue): string[] {
  const what = value.kind === 'sale' ? 'value' : 'weekly rent';
  const model = `model ${value.model_id.slice(0, 16)} of ${value.trained_sales} ${value.kind}s, as of ${value.as_of}`;
  const gates =
    value.outcome === 'kept' || value.outcome === 'reduced'
      ? [`  ${value.outcome}: the newest model failed its gates: ${value.failures.join(' ')}`]
      : [];
  if (value.price === null) return [`${what}: none, ${value.reason}; ${model}`, ...gates];
  const { is_uncertain } = shownValue(value.price, value.confidence);
  const rounded = (exact: number | null): string =>
    exact === null ? '-' : dollars(shownValue(exact, value.confidence).value);
  const largest = value.contributions.slice(0, LISTED);
  const otherEffects = value.contributions.slice(LISTED).reduce((sum, own) => sum + own.log_effect, 0);
  const rows = [
    ['starts at', '', '', rounded(value.start)],
    ...largest.map((own) => [own.feature, own.group, numberText(own.value), signed(own.effect_percent)]),
    ...(value.contributions.length > LISTED
      ? [[`${value.contributions.length - LISTED} more`, '', '', signed(100 * (Math.exp(otherEffects) - 1))]]
      : []),
  ];
  return [
    `${what}: ${is_uncertain ? 'about ' : ''}${rounded(value.price)}, 80 % from ${rounded(value.low)} to ${rounded(value.high)}; confidence ${value.confidence}, FSD ${value.fsd!.toFixed(3)}`,
    `  tier ${value.tier}, ${model}${value.is_served ? '' : '; not served yet: refresh first'}`,
    ...disputeLines(value),
    ...gates,
    columns(rows),
  ];
}

/** The valuation of a property taken apart, for people. */
export function renderAvm({ gnaf_pid, home, values, comparables }: AvmExplanation): string {
  const knownFields = Object.entries(home).filter(([name, value]) => value !== null && name !== 'gnaf_pid');
  return [
    `${gnaf_pid}: ${knownFields.map(([name, value]) => `${name} ${value}`).join(', ')}`,
    ...(values.length === 0 ? ['no model for its region'] : values.flatMap(valueLines)),
    comparables.length === 0 ? 'no comparable sales' : 'comparable sales',
    ...(comparables.length === 0
      ? []
      : [
          columns([
            ['', 'score', 'metres', 'date', 'price', 'at the day', ''],
            ...comparables.map((own) => [
              String(own.rank),
              own.dist_score.toFixed(3),
              String(own.distance_m),
              own.date,
              dollars(own.price),
              dollars(own.adjusted_price),
              `${own.sale_pid} ${own.address}`,
            ]),
          ]),
        ]),
  ].join('\n');
}

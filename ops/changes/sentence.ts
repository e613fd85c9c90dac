import { shownValue } from '../../contract/answers/shown_value.ts';
import { addressTitleCase } from '../../contract/answers/title_case.ts';
import {
  type ChangeSummary,
  type EstimateChange,
  type SummarisedPublication,
  summaryText,
} from '../../pipelines/views/change_summary.ts';
import { html, type Markup } from '../html.ts';
import { propertyLink } from '../property/view.ts';

/** Formats an estimate, or a difference with its sign, as its confidence allows. Null: no estimate. */
export function estimateDollars(
  value: number | null,
  confidence: number | null,
  isDifference = false,
): string {
  if (value === null) return 'none';
  const { value: shown, is_uncertain } = shownValue(Math.abs(value), confidence);
  const sign = isDifference ? (value < 0 ? '−' : '+') : '';
  return `${is_uncertain ? 'about ' : ''}${sign}$${shown.toLocaleString('en-AU')}`;
}

/** Links to the property of a changed estimate. */
export const changedHome = ({ gnaf_pid, address }: EstimateChange): Markup =>
  propertyLink(gnaf_pid, address === null ? gnaf_pid : addressTitleCase(address));

/** Writes in sentences how many estimates a publication changed, why, and which one most. `summary` null: not known. */
export function changeSentence(publication: SummarisedPublication, summary: ChangeSummary | null): Markup {
  const text = summaryText(publication, summary);
  const most = summary?.largest[0];
  if (most === undefined || most.before === null || most.after === null) return html`${text}`;
  const { before, after, confidence, new_comparables: n } = most;
  const added = n === 0 ? 'no new comparable' : n === 1 ? 'one new comparable' : `${n} new comparables`;
  return html`${text} Largest: ${changedHome(most)}, ${estimateDollars(after - before, confidence, true)}, ${added}.`;
}

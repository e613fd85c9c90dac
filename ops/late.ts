import type { LateSource } from '../pipelines/views/late_sources.ts';
import { html, type Markup } from './html.ts';

/** Tables and themes that values of a section come from, by section. A hazard layer is its own theme. */
export const TOPICS = {
  value: ['market_event'],
  land: ['address', 'parcel'],
  planning: ['zone_piece', 'zoning', 'overlay_piece', 'overlay'],
  market: ['market_event'],
  schools: ['school', 'school_measure'],
  transport: ['stop', 'transport'],
  neighbours: ['address', 'parcel'],
  region: ['address', 'region'],
  demographics: ['census_region', 'census_count'],
  overlays: ['overlay_piece', 'overlay'],
} as const;

/** Data of a page with the late datasets of its state. */
interface LateView {
  lateSources: readonly LateSource[];
}

/** Marks values of late datasets, with the age of each dataset. Empty: none of the topics has a late dataset. */
export function lateMark({ lateSources }: LateView, topics: readonly string[]): Markup {
  const sources = lateSources.filter((each) => topics.some((topic) => each.topics.has(topic)));
  if (sources.length === 0) return html``;
  return html` <span class="warn late">late: ${sources.map(({ dataset, age_days }, i) => html`${i > 0 ? ', ' : ''}<a href="/datasets/${encodeURIComponent(dataset)}">${dataset}</a> of ${age_days.toLocaleString('en-AU')} days ago`)}</span>`;
}

/** Marks the values of a hazard layer. `isOverlay`: its findings are overlays. */
export const lateHazard = (view: LateView, layer: string, isOverlay = false): Markup =>
  lateMark(view, [
    layer,
    ...(isOverlay ? TOPICS.overlays : []),
    ...(layer === 'public_housing' ? TOPICS.demographics : []),
  ]);

import type { NoData } from '../../contract/answer.ts';
import { HAZARD_LAYERS, HAZARDS, type HazardLayer } from '../../schema/records/hazard.ts';
import { html, htmlTable, type Markup } from '../html.ts';
import { FOUND_AS_OVERLAY, overlaysOf } from './overlay_hazards.ts';
import { number, type PropertyView, text } from './view.ts';

/** Texts for layers without a finding. */
export const NOT_FOUND: Partial<Record<NoData, Markup>> = {
  none_found: html`<span class="pass">none within the search radius</span>`,
  not_covered: html`<span class="warn">not assessed</span> here: risk unknown`,
  not_matched: html`<span class="warn">not assessed</span>: the address has no parcel and no point of its own`,
};

/** Lists every hazard layer: findings, nearest first, then layers not assessed, then layers without a finding. An overlay that is a hazard counts as one. */
export function hazardTable({ explanation: { serving }, notFound }: PropertyView): Markup {
  const risks = serving.property_risk ?? [];
  const found = new Set(risks.map(({ layer }) => layer));
  const rows = [...risks]
    .sort((a, b) => (number(a.nearest_distance_m) ?? 0) - (number(b.nearest_distance_m) ?? 0))
    .map((row) => [
      HAZARDS[row.layer as HazardLayer].title,
      row.layer === 'public_housing' && row.on_property
        ? html`<span class="note">found in its SA1</span>`
        : row.on_property
          ? html`<span class="fail">found on the property</span>`
          : html`found ${Math.round(number(row.nearest_distance_m) ?? 0).toLocaleString('en-AU')} m away`,
      [...new Set([text(row.name), text(row.value)].filter(Boolean))].join(', '),
      html`<code>${row.feature_id}</code>`,
    ]);
  const others = HAZARD_LAYERS.filter((layer) => !found.has(layer))
    .sort((a, b) => Number(notFound[a] === 'none_found') - Number(notFound[b] === 'none_found'))
    .map((layer) => {
      const [overlay] = overlaysOf(layer, serving.property_overlay ?? []);
      return overlay === undefined
        ? [HAZARDS[layer].title, NOT_FOUND[notFound[layer]], '', '']
        : [HAZARDS[layer].title, FOUND_AS_OVERLAY, overlay.layer, html`<code>${overlay.overlay_id}</code>`];
    });
  return htmlTable(['hazard', 'finding', 'what', 'source feature'], [...rows, ...others]);
}

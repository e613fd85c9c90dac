import type { NoData } from '../../contract/answers/answer.ts';
import type { RiskRecord } from '../../contract/property/risks.ts';
import { HAZARD_LAYERS, HAZARDS, type HazardLayer } from '../../schema/records/hazard.ts';
import { html, htmlTable, type Markup } from '../html.ts';
import { lateHazard } from '../late.ts';
import { type PropertyView, text } from './view.ts';

/** Texts for layers without a finding. */
export const NOT_FOUND: Partial<Record<NoData, Markup>> = {
  none_found: html`<span class="pass">none within the search radius</span>`,
  not_covered: html`<span class="warn">not assessed</span> here: risk unknown`,
  not_matched: html`<span class="warn">not assessed</span>: the address has no parcel and no point of its own`,
};

/** Says how near the hazard is. Public housing is a figure of the SA1, so it is no finding on the property. */
function finding(layer: HazardLayer, { on_property, nearest_distance_m }: RiskRecord): Markup | string {
  if (!on_property) return `found ${nearest_distance_m.toLocaleString('en-AU')} m away`;
  return layer === 'public_housing'
    ? html`<span class="note">found in its SA1</span>`
    : html`<span class="fail">found on the property</span>`;
}

/** Lists every hazard layer as the contract answers it: findings, nearest first, then layers not assessed, then layers without a finding. */
export function hazardsSection(view: PropertyView): Markup {
  const { risks, notFound } = view;
  const { serving } = view.explanation;
  const features = (layer: HazardLayer): string =>
    (serving.property_risk ?? [])
      .filter((row) => row.layer === layer)
      .map(({ feature_id }) => text(feature_id))
      .join(', ');
  const found = HAZARD_LAYERS.flatMap((layer) =>
    (risks.data?.[layer] ?? []).map((record) => ({ layer, record })),
  );
  const rows = found
    .sort((a, b) => a.record.nearest_distance_m - b.record.nearest_distance_m)
    .map(({ layer, record }) => [
      HAZARDS[layer].title,
      html`${finding(layer, record)}${lateHazard(view, layer, record.search_radius_m === 0)}`,
      record.value,
      html`<code>${features(layer)}</code>`,
    ]);
  const others = HAZARD_LAYERS.filter((layer) => !risks.data?.[layer])
    .sort((a, b) => Number(notFound[a] === 'none_found') - Number(notFound[b] === 'none_found'))
    .map((layer) => [
      HAZARDS[layer].title,
      html`${NOT_FOUND[notFound[layer]]}${lateHazard(view, layer)}`,
      '',
      '',
    ]);
  return htmlTable(['hazard', 'finding', 'what', 'source feature'], [...rows, ...others]);
}

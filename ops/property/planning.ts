import type { NoData } from '../../contract/answers/answer.ts';
import type { RiskRecord } from '../../contract/property/risks.ts';
import { coverOf } from '../../contract/property/zoning_overlays.ts';
import { HAZARD_LAYERS, HAZARDS, type HazardLayer } from '../../schema/records/hazard.ts';
import type { UntypedRow } from '../../schema/table.ts';
import { absence } from '../absence.ts';
import { html, htmlTable, longTable, type Markup } from '../html.ts';
import { lateHazard, lateMark, TOPICS } from '../late.ts';
import { number, type PropertyView, text } from './view.ts';

/** Describes how much of the property an overlay or zone covers. */
export const overlayCover = ({ share }: UntypedRow): string => coverOf(number(share));

/** Code and name of a zone. */
export const zoneText = ({ code, name }: UntypedRow): string => [code, name].filter(Boolean).join(', ');

/** Says why a layer was not assessed at a property. */
function reasonOf({ council }: PropertyView, layer: HazardLayer | 'zoning' | 'overlay', why: NoData): string {
  if (why === 'not_matched') return 'the address has no parcel and no point of its own';
  const isNowhere = council !== null && layer in HAZARDS && !council.assessed.has(layer);
  return `no source covers ${isNowhere ? council.name : 'this place'}`;
}

/** Lists the hazards and planning layers that were not assessed, in one line. Empty: all were. */
export function notAssessed(view: PropertyView): Markup {
  const { zoning, overlay, ...hazards } = view.notFound;
  const { serving } = view.explanation;
  const planning = [
    { layer: 'zoning' as const, title: 'Zone', why: zoning, rows: serving.property_zoning },
    { layer: 'overlay' as const, title: 'Overlays', why: overlay, rows: serving.property_overlay },
  ].filter(({ rows }) => (rows ?? []).length === 0);
  const layers = HAZARD_LAYERS.filter((layer) => !view.risks.data?.[layer]);
  const absent = [
    ...planning.map((each) => ({ ...each, mark: lateMark(view, TOPICS.planning) })),
    ...layers.map((layer) => ({
      layer,
      title: HAZARDS[layer].title,
      why: hazards[layer],
      mark: lateHazard(view, layer),
    })),
  ].filter(({ why }) => why !== 'none_found');
  return absence(
    absent.map(({ layer, title, why, mark }) => ({ title, reason: reasonOf(view, layer, why), mark })),
  );
}

/** Says how near the hazard is. Public housing is a figure of the SA1, so it is no finding on the property. */
function finding(layer: HazardLayer, { on_property, nearest_distance_m }: RiskRecord): Markup | string {
  if (!on_property) return `found ${nearest_distance_m.toLocaleString('en-AU')} m away`;
  return layer === 'public_housing'
    ? html`<span class="note">found in its SA1</span>`
    : html`<span class="fail">found on the property</span>`;
}

/** Lists the hazards that the contract answers, nearest first. */
function foundHazards(view: PropertyView): Markup {
  const { risks, explanation } = view;
  const orderOf = (row: UntypedRow) => [number(row.nearest_distance_m)!, text(row.hazard_class)] as const;
  /** Features of the served rows of a layer, in the order of its findings. */
  const features = (layer: HazardLayer): string[] =>
    (explanation.serving.property_risk ?? [])
      .filter((row) => row.layer === layer)
      .map((row) => ({ order: orderOf(row), feature: text(row.feature_id) }))
      .sort(({ order: a }, { order: b }) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1))
      .map(({ feature }) => feature);
  const rows = HAZARD_LAYERS.flatMap((layer) => {
    const featureIds = features(layer);
    return (risks.data?.[layer] ?? []).map((record, i) => ({ layer, record, feature: featureIds[i] ?? '' }));
  })
    .sort((a, b) => a.record.nearest_distance_m - b.record.nearest_distance_m)
    .map(({ layer, record, feature }) => [
      HAZARDS[layer].title,
      html`${finding(layer, record)}${lateHazard(view, layer, record.search_radius_m === 0)}`,
      record.value,
      html`<code>${feature}</code>`,
    ]);
  return rows.length === 0 ? html`` : htmlTable(['hazard', 'finding', 'what', 'source feature'], rows);
}

/** Overlays shown at first; the rest is folded. */
const OVERLAYS = 6;

/** Lists zone, overlays and hazards of a property; then, in a line each, what is not there and what was not assessed. */
export function planningSection(view: PropertyView): Markup {
  const { serving } = view.explanation;
  const { risks, notFound } = view;
  const zone = serving.property_zoning?.[0];
  const rows = (serving.property_overlay ?? []).map((row) => [
    [row.layer, row.code].filter(Boolean).join(' '),
    text(row.value) === text(row.layer) ? '' : text(row.value),
    overlayCover(row),
  ]);
  const layers = HAZARD_LAYERS.filter((layer) => !risks.data?.[layer] && notFound[layer] === 'none_found');
  const none = [
    ...(zone || notFound.zoning !== 'none_found' ? [] : [html`zone`]),
    ...(rows.length > 0 || notFound.overlay !== 'none_found' ? [] : [html`overlays`]),
    ...layers.map((layer) => html`${HAZARDS[layer].title.toLowerCase()}${lateHazard(view, layer)}`),
  ];
  return html`${lateMark(view, TOPICS.planning)}${zone ? html`<p>Zone <b>${zoneText(zone)}</b>, ${overlayCover(zone)}</p>` : ''}
${rows.length > 0 ? longTable(['overlay', 'value', 'covers'], rows, OVERLAYS, 'overlays') : ''}${foundHazards(view)}
${none.length > 0 ? html`<p><span class="pass">None here or within the search radius</span>: ${none.map((each, i) => html`${i > 0 ? ', ' : ''}<span class="layer">${each}</span>`)}</p>` : ''}${notAssessed(view)}`;
}

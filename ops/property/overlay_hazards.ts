import type { HazardLayer } from '../../schema/records/hazard.ts';
import type { UntypedRow } from '../../schema/table.ts';
import { html, type Markup } from '../html.ts';
import { text } from './view.ts';

/** Names of overlays that hazard layers are made of, as in the field maps of those layers. */
const OVERLAYS: readonly (readonly [RegExp, HazardLayer])[] = [
  [
    /^(Environmental Audit|Potentially Contaminated Land) Overlay|^Hazards \(Acid Sulfate Soils/,
    'environment',
  ],
  [/^Bushfire Management Overlay|^Hazards \(Bushfire/, 'bushfire'],
  [/^((Rural )?Floodway|Land Subject to Inundation|Special Building) Overlay|^Hazards \(Flooding/, 'flood'],
  [/^Heritage Overlay/, 'heritage'],
  [/^Erosion Management Overlay/, 'landslide'],
];

/** Finds the overlays of a property that are a hazard. */
export const overlaysOf = (layer: HazardLayer, overlays: readonly UntypedRow[]): readonly UntypedRow[] =>
  overlays.filter((row) => OVERLAYS.some(([name, of]) => of === layer && name.test(text(row.layer))));

/** Finding of a hazard that only an overlay tells of. */
export const FOUND_AS_OVERLAY: Markup = html`<span class="fail">found on the property</span>, as an overlay`;

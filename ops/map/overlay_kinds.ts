/** Kinds of overlays by words of what they control, in this order; the map has a colour for each (ops/browser/map_colours.mjs). */
const KINDS: readonly (readonly [kind: string, words: RegExp])[] = [
  ['heritage', /heritage|character/i],
  ['flood', /flood|inundation|overland flow|stormwater|coastal hazard/i],
  ['bushfire', /bush ?fire|fire management/i],
  ['contamination', /environmental audit|contaminat|acid sulfate/i],
  [
    'environment',
    /environment|vegetation|biodiversity|landscape|koala|waterway|wetland|native|erosion|salinity/i,
  ],
  ['design', /design|development|built form|height|neighbourhood|density|lot size|incorporated plan/i],
  [
    'infrastructure',
    /infrastructure|acquisition|airport|aircraft|noise|parking|road|transport|contributions/i,
  ],
];

/** Returns the kind of an overlay by what it controls, such as `heritage`; `other`: no word tells. */
export const overlayKind = (layer: string): string =>
  KINDS.find(([, words]) => words.test(layer))?.[0] ?? 'other';

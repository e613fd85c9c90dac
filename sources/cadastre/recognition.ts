import { layerEvidence } from '../layers/layer_evidence.ts';

export const CADASTRE_EVIDENCE = layerEvidence({
  words: /parcel|cadast|dcdb|(^|[^a-z])lots?([^a-z]|$)|blocks/i,
  against:
    /native.?title|ind[ie]genous|\bilua|land.?use.?agree|agreement|easement|tenement|mining|exploration|petroleum/i,
  max_median_sqm: 1_000_000,
});

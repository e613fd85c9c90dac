import { layerEvidence } from '../layers/layer_evidence.ts';

export const ZONING_EVIDENCE = layerEvidence({
  words: /zon(e|ing)|lzn/i,
  against:
    /overlay|hazard|flood|inundation|bush.?fire|heritage|land.?sli[dp]|erosion|acid|sulfate|contaminat|wetland|biodivers|vegetation|koala|habitat|waterway|airport|noise/i,
});

/** Columns that hold codes or names of zones. */
export const ZONE_COLUMN = /zon(e|ing)|lzn|sym_code/i;

/** A short code of a zone, with or without the number of its schedule. */
export const ZONE_CODE = /^[A-Z]{1,4}\d{0,2}[A-Z]?\d{0,3}$/;

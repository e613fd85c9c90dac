import type { HazardLayer } from '../../schema/records/hazard.ts';
import { type LayerEvidence, layerEvidence } from '../layers/layer_evidence.ts';

/** Evidence for each hazard layer. Public housing is null: its files have no usual names. */
export const HAZARD_EVIDENCE: Readonly<Record<HazardLayer, LayerEvidence | null>> = {
  bushfire: layerEvidence({
    words: /bush.?fire|fire.?prone|\bbpa\b|bfp/i,
    against: /(fire|bush.?fire).?(histor|scar|station|brigade)/i,
  }),
  historical_flood: layerEvidence({
    words: /flood.*(histor|event|19\d\d|20\d\d)|(histor|event).*flood/i,
  }),
  flood: layerEvidence({ words: /flood|inundation/i, against: /flood.?(gaug|light|gate)|floodlit/i }),
  heritage: layerEvidence({ words: /heritage/i }),
  landslide: layerEvidence({ words: /land.?sli[dp]/i }),
  erosion: layerEvidence({ words: /erosion/i }),
  environment: layerEvidence({ words: /acid|sulfate|contaminat/i, against: /placid/i }),
  hv_power_line: layerEvidence({
    words: /transmission|power.?line/i,
    against: /rail|train|tram|road|pipe.?line|gas|water|sewer|telecom|radio|broadcast/i,
  }),
  mobile_black_spot: layerEvidence({ words: /black.?spot/i, against: /road|crash|accident|traffic/i }),
  public_housing: null,
};

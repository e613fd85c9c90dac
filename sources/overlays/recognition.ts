import { layerEvidence } from '../layers/layer_evidence.ts';

export const OVERLAY_EVIDENCE = layerEvidence({
  words: /overlay|height|floor.?space|lot.?size|r.?codes/i,
});

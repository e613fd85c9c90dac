import { HAZARD_LAYERS, type HazardLayer } from '../../schema/records/hazard.ts';
import { CADASTRE_EVIDENCE } from '../../sources/cadastre/recognition.ts';
import { HAZARD_EVIDENCE } from '../../sources/hazards/recognition.ts';
import type { LayerEvidence } from '../../sources/layers/layer_evidence.ts';
import { OVERLAY_EVIDENCE } from '../../sources/overlays/recognition.ts';
import { ZONING_EVIDENCE } from '../../sources/zoning/recognition.ts';
import type { InspectedLayer } from './layer_view.ts';

/** Evidence that the adapters declare, by hazard layer or adapter. */
const EVIDENCE: Readonly<Record<string, LayerEvidence | null>> = {
  ...HAZARD_EVIDENCE,
  zoning: ZONING_EVIDENCE,
  cadastre: CADASTRE_EVIDENCE,
  overlays: OVERLAY_EVIDENCE,
};

export const isSubject = (about: string): boolean => EVIDENCE[about] != null;

/** Columns in which publishers name the layer itself. */
const TITLES = /^(dataset|layer|layer_?name|lay_name|theme|feature_?type|overlay(_?type|_?name)?)$/i;
/** A column with more values names features, not the layer. */
const MAX_TITLES = 3;

/** What speaks for a subject of a layer, and against it. */
export interface SubjectEvidence {
  /** True: the name of the file or layer has a word for it. */
  readonly named: boolean;
  /** True: a column that names the layer has a word for it. */
  readonly titled: boolean;
  /** True: a word or the size of the shapes speaks against it. */
  readonly against: boolean;
}

export function evidenceFor(about: string, { file, columns, median_sqm }: InspectedLayer): SubjectEvidence {
  const evidence = EVIDENCE[about];
  if (evidence == null) return { named: false, titled: false, against: false };
  const titles = columns
    .filter(({ name, values }) => TITLES.test(name) && values.size <= MAX_TITLES)
    .flatMap(({ values }) => [...values.keys()]);
  const holds = (text: string): boolean =>
    evidence.words.test(text) && !(about === 'flood' && EVIDENCE.historical_flood!.words.test(text));
  const [named, titled] = [holds(file), titles.some(holds)];
  const isOther = [file, ...titles].some((text) => evidence.against?.test(text));
  const isLarge =
    evidence.max_median_sqm !== null && median_sqm !== null && median_sqm > evidence.max_median_sqm;
  // A zoning layer may be named after the flood or the airport that its zones are about.
  const against = about === 'zoning' ? isOther && !named && !titled : isOther || (isLarge && !named);
  return { named, titled, against };
}

/** The hazard that a layer names; null: none. */
export const hazardOf = (layer: InspectedLayer): HazardLayer | null =>
  HAZARD_LAYERS.find((hazard) => {
    const { named, titled, against } = evidenceFor(hazard, layer);
    return (named || titled) && !against;
  }) ?? null;

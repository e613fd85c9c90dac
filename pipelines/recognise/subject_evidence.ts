import { HAZARD_LAYERS, type HazardLayer } from '../../schema/records/hazard.ts';
import { CADASTRE_EVIDENCE } from '../../sources/cadastre/recognition.ts';
import { HAZARD_EVIDENCE } from '../../sources/hazards/recognition.ts';
import type { LayerEvidence } from '../../sources/layers/layer_evidence.ts';
import { OVERLAY_EVIDENCE } from '../../sources/overlays/recognition.ts';
import { ZONING_EVIDENCE } from '../../sources/zoning/recognition.ts';
import type { InspectedLayer } from './layer_view.ts';

/** Evidence that adapters declare, by hazard layer or adapter. */
const EVIDENCE: Readonly<Record<string, LayerEvidence | null>> = {
  ...HAZARD_EVIDENCE,
  zoning: ZONING_EVIDENCE,
  cadastre: CADASTRE_EVIDENCE,
  overlays: OVERLAY_EVIDENCE,
};

export const isSubject = (about: string): boolean => EVIDENCE[about] != null;

/** Columns in which publishers name the layer. */
const TITLES = /^(dataset|layer|layer_?name|lay_name|theme|feature_?type|overlay(_?type|_?name)?)$/i;
/** Maximum distinct values of such a column; with more it names features, not the layer. */
const MAX_TITLES = 3;

/** Evidence for and against a subject of a layer. */
export interface SubjectEvidence {
  /** Whether the file or layer name has a word for the subject. */
  readonly named: boolean;
  /** Whether a column that names the layer has a word for the subject. */
  readonly titled: boolean;
  /** Whether a word or the size of the shapes contradicts the subject. */
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
  // A zoning layer may be named after the flood or the airport that its zones concern.
  const against = about === 'zoning' ? isOther && !named && !titled : isOther || (isLarge && !named);
  return { named, titled, against };
}

/** Returns the hazard that a layer names; null: none. */
export const hazardOf = (layer: InspectedLayer): HazardLayer | null =>
  HAZARD_LAYERS.find((hazard) => {
    const { named, titled, against } = evidenceFor(hazard, layer);
    return (named || titled) && !against;
  }) ?? null;

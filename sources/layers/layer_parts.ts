import type { CoverageTheme } from '../../schema/records/coverage.ts';
import type { Table } from '../../schema/table.ts';
import type { DatasetConfig, Part, Release, SourceBatch } from '../adapter.ts';
import type { Family, FeatureField, FeatureSource } from '../formats/feature.ts';
import { type CoverageOption, isCoverage, planCoverage, readCoverage } from '../release/coverage.ts';
import { type FoundLayer, findFeatureFiles, type Layers } from '../release/feature_release.ts';
import { type FeatureRows, readFeatures } from '../release/feature_rows.ts';
import { withGaps } from '../release/with_gaps.ts';
import { type CodeListSource, findCodeList, readCodeList } from './zone_code_list.ts';

/** Settings of every layer of a planning or hazard dataset, besides its adapter's own. Survives structured cloning. */
export interface LayerPart {
  readonly feature: FeatureSource;
  readonly codeList: CodeListSource | null;
  /** True for the first part, which accounts for the rows of the code list that all parts read. */
  readonly first: boolean;
  readonly dataset: string;
  readonly theme: CoverageTheme;
  /** True if the dataset states a coverage, so that an absent feature has a meaning. */
  readonly covered: boolean;
}

/** Which layers of a dataset are read, and what it covers. */
export interface LayerPlan {
  readonly theme: CoverageTheme;
  readonly state: string;
  readonly layers: Layers;
  readonly coverage: CoverageOption | undefined;
  /** Coverage in the field map, used if the option is absent. */
  readonly statewide: boolean;
}

/**
 * Finds the layers of a dataset, its coverage and the publisher's code list. Returns one part for each layer, including the settings from
 * `own`, and one for the coverage. `isOnly`: the dataset has no other layer. `bind` may refuse the columns of a layer. EtlErrors of
 * planCoverage and findFeatureFiles.
 */
export async function planLayers<P extends object>(
  dataset: DatasetConfig,
  { theme, state, layers, coverage, statewide }: LayerPlan,
  settingsOf: (layer: FoundLayer, isOnly: boolean) => P,
  bind: (part: LayerPart & P, fields: FoundLayer['fields']) => unknown = () => undefined,
): Promise<{ release: Release; parts: Part[] }> {
  const covered = await planCoverage(dataset, theme, state, coverage, statewide);
  const { found, crs, notes, label } = await findFeatureFiles(covered.features, layers);
  const codeList = await findCodeList(covered.features);
  const parts = found.map((layer, i) => {
    const source: LayerPart & P = {
      feature: layer.source,
      codeList,
      first: i === 0,
      dataset: dataset.id,
      theme,
      covered: covered.parts.length > 0,
      ...settingsOf(layer, found.length === 1),
    };
    bind(source, layer.fields);
    return { id: layer.id, source };
  });
  return {
    release: { dataset, id: dataset.release ?? label, crs, notes: [...notes, ...covered.notes] },
    parts: [...parts, ...covered.parts],
  };
}

/** How a part becomes rows; `names` are the zone names of the code list. */
export interface LayerReading<P extends LayerPart> {
  readonly table: Table;
  kindsOf(part: P): readonly Family[];
  bind(part: P, fields: readonly FeatureField[], names: ReadonlyMap<string, string>): FeatureRows<Family>;
}

/** Reads a part from planLayers: a layer as readFeatures does, or the coverage. */
export async function* readLayer<P extends LayerPart>(
  part: Part,
  { table, kindsOf, bind }: LayerReading<P>,
  signal: AbortSignal | undefined,
): AsyncIterable<SourceBatch> {
  if (isCoverage(part.source)) {
    yield* readCoverage(part.source, signal);
    return;
  }
  signal?.throwIfAborted();
  const source = part.source as P;
  const list = source.codeList === null ? null : await readCodeList(source.codeList);
  const batches = readFeatures({
    source: source.feature,
    tables: [table],
    kinds: kindsOf(source),
    signal,
    bind: (fields) => bind(source, fields, list?.names ?? new Map()),
    accounts: list !== null && source.first ? list.accounts : [],
  });
  yield* withGaps(batches, source.dataset, source.theme, part.id);
}

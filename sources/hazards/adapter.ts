import { coverageAreaRecord, coveragePieceRecord } from '../../schema/records/coverage.ts';
import { hazardPieceRecord } from '../../schema/records/hazard.ts';
import type { Batch, Part, Release, SourceAdapter } from '../adapter.ts';
import { isCoverage, planCoverage, readCoverage } from '../formats/coverage.ts';
import { readPieces } from '../formats/feature_pieces.ts';
import { findFeatureFiles } from '../formats/feature_release.ts';
import { type CodeListSource, findCodeList, readCodeList } from '../formats/zone_code_list.ts';
import { type HazardFile, HazardRows } from './hazard_rows.ts';
import { readHazardOptions } from './options.ts';

/** What one part needs besides the file. */
interface HazardPart extends HazardFile {
  readonly codeList: CodeListSource | null;
  /** The first part accounts for the rows of the code list, which all parts read. */
  readonly first: boolean;
}

/** Hazards of one layer from state, council and federal files, through the field map of the dataset. */
export const hazardsAdapter: SourceAdapter = {
  name: 'hazards',
  version: 1,
  place: 'feature',
  title: 'Hazards',
  publisher: 'State, council and federal agencies',
  licence:
    'CC BY 4.0 (VIC, NSW RFS, QLD, WA OBRM, Geoscience Australia), CC BY (NSW planning), CC BY 3.0 AU (SA, TAS); WA floodplain must be accepted',
  attribution: 'Contains hazard data of Australian governments and councils.',
  tables: [hazardPieceRecord, coverageAreaRecord, coveragePieceRecord],
  async discover(dataset) {
    const { state, layer, layers, map, mapName, event, coverage } = readHazardOptions(dataset);
    const covered = await planCoverage(dataset, layer, state, coverage, map.statewide);
    const { found, crs, notes, label } = await findFeatureFiles(covered.features, layers);
    const codeList = await findCodeList(covered.features);
    // Identifiers of a map of one's own may be those of a council, which others count in the same way.
    const prefix = `${state}:${layer}:${mapName === null ? `${dataset.id}/` : ''}`;
    const parts = found.map(({ id, source }, i) => {
      const unnamed = `${state}:${layer}:${dataset.id}/${id}/`;
      const part: HazardPart = {
        feature: source,
        layer,
        map,
        event,
        prefix,
        unnamed,
        codeList,
        first: i === 0,
      };
      return { id, source: part };
    });
    return {
      release: { dataset, id: dataset.release ?? label, crs, notes: [...notes, ...covered.notes] },
      parts: [...parts, ...covered.parts],
    };
  },
  read,
};

async function* read(
  _release: Release,
  part: Part,
  { signal }: { signal?: AbortSignal },
): AsyncIterable<Batch> {
  if (isCoverage(part.source)) {
    yield* readCoverage(part.source, signal);
    return;
  }
  signal?.throwIfAborted();
  const source = part.source as HazardPart;
  const list = source.codeList === null ? null : await readCodeList(source.codeList);
  yield* readPieces({
    source: source.feature,
    table: hazardPieceRecord,
    kinds: source.map.kinds,
    signal,
    rowsOf: (fields) => new HazardRows(source, fields, list?.names ?? new Map()),
    accounts: () => (list !== null && source.first ? [list.account] : []),
  });
}

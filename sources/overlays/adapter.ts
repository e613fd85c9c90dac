import { coverageAreaRecord, coveragePieceRecord } from '../../schema/records/coverage.ts';
import { overlayPieceRecord } from '../../schema/records/overlay.ts';
import type { Batch, Part, Release, SourceAdapter } from '../adapter.ts';
import { isCoverage, planCoverage, readCoverage } from '../formats/coverage.ts';
import { readPieces } from '../formats/feature_pieces.ts';
import { findFeatureFiles } from '../formats/feature_release.ts';
import { type CodeListSource, findCodeList, readCodeList } from '../formats/zone_code_list.ts';
import { readOverlayOptions } from './options.ts';
import { type OverlayFile, OverlayRows } from './overlay_rows.ts';

/** What one part needs besides the file. */
interface OverlayPart extends OverlayFile {
  readonly codeList: CodeListSource | null;
  /** The first part accounts for the rows of the code list, which all parts read. */
  readonly first: boolean;
}

/** Planning overlays from state and council files, through the field map of the dataset. */
export const overlaysAdapter: SourceAdapter = {
  name: 'overlays',
  version: 1,
  place: 'feature',
  title: 'Planning overlays',
  publisher: 'State and territory planning agencies, councils',
  licence: 'CC BY 4.0 (VIC), CC BY (NSW), CC BY 3.0 AU (SA, TAS); WA must not be displayed',
  attribution:
    'Contains planning overlay data of the state and territory governments and councils of Australia.',
  tables: [overlayPieceRecord, coverageAreaRecord, coveragePieceRecord],
  async discover(dataset) {
    const { state, layers, map, inline, coverage } = readOverlayOptions(dataset);
    const covered = await planCoverage(dataset, 'overlay', state, coverage, map.statewide);
    const { found, crs, notes, label } = await findFeatureFiles(covered.features, layers);
    const codeList = await findCodeList(covered.features);
    // Identifiers of a map of one's own may be those of a council, which others count in the same way.
    const prefix = `${state}:${inline ? `${dataset.id}/` : ''}`;
    const parts = found.map(({ id, source }, i) => {
      const unnamed = `${state}:${dataset.id}/${id}/`;
      const part: OverlayPart = { feature: source, map, prefix, unnamed, codeList, first: i === 0 };
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
  const source = part.source as OverlayPart;
  const list = source.codeList === null ? null : await readCodeList(source.codeList);
  yield* readPieces({
    source: source.feature,
    table: overlayPieceRecord,
    kinds: ['polygon'],
    signal,
    rowsOf: (fields) => new OverlayRows(source, fields, list?.names ?? new Map()),
    accounts: () => (list !== null && source.first ? [list.account] : []),
  });
}

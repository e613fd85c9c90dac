import { COVERAGE_RECORDS } from '../../schema/records/coverage.ts';
import { overlayPieceRecord } from '../../schema/records/overlay.ts';
import type { SourceAdapter } from '../adapter.ts';
import { type LayerPart, planLayers, readLayer } from '../layers/layer_parts.ts';
import { readOverlayOptions } from './options.ts';
import { type OverlayFile, OverlayRows } from './overlay_rows.ts';

type OverlayPart = LayerPart & OverlayFile;

/** Planning overlays from state and council files, through the field map of the dataset. */
export const overlaysAdapter: SourceAdapter = {
  name: 'overlays',
  version: 10,
  placeUnit: 'feature',
  title: 'Planning overlays',
  publisher: 'State and territory planning agencies, councils',
  licence: 'CC BY 4.0 (VIC), CC BY (NSW), CC BY 3.0 AU (SA, TAS); WA must not be displayed',
  attribution:
    'Contains planning overlay data of the state and territory governments and councils of Australia.',
  tables: [overlayPieceRecord, ...COVERAGE_RECORDS],
  checkOptions: readOverlayOptions,
  async discover(dataset) {
    const { state, layers, map, inline, coverage } = readOverlayOptions(dataset);
    // An operator's own map may read a council's identifiers, which another council may use too.
    const prefix = `${state}:${inline ? `${dataset.id}/` : ''}`;
    const plan = { theme: 'overlay', state, layers, coverage, statewide: map.statewide } as const;
    return planLayers(
      dataset,
      plan,
      ({ id }) => ({ map, prefix, unnamed: `${state}:${dataset.id}/${id}/` }),
      (part, fields) => new OverlayRows(part, fields, new Map()),
    );
  },
  readPart: (_release, part, { signal }) =>
    readLayer(
      part,
      {
        table: overlayPieceRecord,
        kindsOf: (_source: OverlayPart) => ['polygon'],
        bind: (source, fields, names) => new OverlayRows(source, fields, names),
      },
      signal,
    ),
};

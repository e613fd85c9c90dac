import { cellOf } from '../../../schema/grid.ts';
import { type StopRow, stopRecord, type TransportMode } from '../../../schema/records/stop.ts';
import type { SourceAdapter } from '../../adapter.ts';
import { firstId, firstText } from '../../fields/first_filled.ts';
import { tooLong } from '../../fields/tidy_text.ts';
import type { FeatureField, FeatureSource } from '../../formats/feature.ts';
import { requireFields } from '../../formats/table/columns.ts';
import { findFeatureFiles } from '../../release/feature_release.ts';
import { readFeatures } from '../../release/feature_rows.ts';
import { withCoverage } from '../../release/with_coverage.ts';
import { readStopsOptions } from './options.ts';

/** Input for reading one layer; survives structured cloning. */
interface StopsPart {
  readonly feature: FeatureSource;
  readonly mode: TransportMode;
  readonly prefix: string;
  readonly fields: { readonly stop_id: readonly string[]; readonly label: readonly string[] };
}

const readPart: SourceAdapter['readPart'] = (_release, part, { signal }) => {
  const { feature, mode, prefix, fields } = part.source as StopsPart;
  return readFeatures({
    source: feature,
    tables: [stopRecord],
    kinds: ['point'],
    signal,
    bind(columns) {
      const id = requireFields(columns, fields.stop_id, feature.file, 'the identifier of the stop');
      const label = requireFields(columns, fields.label, feature.file, 'the name of the stop');
      return {
        readFields: [...id, ...label],
        fateOf(batch, row) {
          const [stop, name] = [firstId(batch, row, id), firstText(batch, row, label)];
          if (stop === null) return { code: 'missing_key', message: `${namesOf(id)} is blank` };
          if (name === null) return { code: 'missing_value', message: `${namesOf(label)} is blank` };
          return tooLong({ identifier: stop, name });
        },
        rowsOf(batch, row, { geometry: { coords } }) {
          const [lon, lat] = [coords[0]!, coords[1]!];
          if (coords.length !== 2) {
            const message = `the shape has ${coords.length / 2} points, one is needed`;
            return { code: 'wrong_geometry', message };
          }
          const stop: StopRow = {
            load_id: 0,
            source_no: batch.first + row,
            cell: cellOf(lon, lat),
            source: prefix.slice(0, -1),
            stop_id: prefix + firstId(batch, row, id)!,
            mode,
            label: firstText(batch, row, label)!,
            lon,
            lat,
          };
          return [[stopRecord, stop]];
        },
        finish: () => ({ notes: [] }),
      };
    },
  });
};

const namesOf = (fields: readonly FeatureField[]): string => fields.map(({ name }) => name).join(', ');

/** Reads stops and stations from point layers, each of one mode; a part is a layer. */
export const stopsAdapter: SourceAdapter = withCoverage('transport', {
  name: 'stops',
  version: 9,
  placeUnit: 'feature',
  title: 'Stops and stations',
  publisher: 'Transport agencies of the states and territories',
  licence: 'CC-BY-4.0',
  attribution: 'Contains public transport data of Australian state and territory agencies, CC BY 4.0.',
  tables: [stopRecord],
  checkOptions: readStopsOptions,
  async discover(dataset) {
    const { layers, fields, modeOf } = readStopsOptions(dataset);
    const { found, crs, notes, label } = await findFeatureFiles(dataset, layers);
    const parts = found.map(({ id, source, fields: columns }) => {
      requireFields(columns, fields.stop_id, source.file, 'the identifier of the stop');
      requireFields(columns, fields.label, source.file, 'the name of the stop');
      const part: StopsPart = { feature: source, mode: modeOf(id), prefix: `${dataset.id}:${id}:`, fields };
      return { id, source: part };
    });
    return { release: { dataset, id: dataset.release ?? label, crs, notes }, parts };
  },
  readPart: readPart,
});

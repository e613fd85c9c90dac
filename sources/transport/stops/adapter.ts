import { cellOf } from '../../../schema/grid.ts';
import { stopRecord, type TransportMode } from '../../../schema/records/stop.ts';
import type { Row } from '../../../schema/table.ts';
import type { Batch, Part, Release, SourceAdapter } from '../../adapter.ts';
import { requireFields } from '../../formats/columns.ts';
import type { FeatureField, FeatureSource, Features, Problem } from '../../formats/feature.ts';
import { openFeatureFile, readableRows, shapeAs } from '../../formats/feature_file.ts';
import { findFeatureFiles } from '../../formats/feature_release.ts';
import { firstId, firstText } from '../../formats/first_filled.ts';
import { RowBatches } from '../../formats/row_batches.ts';
import { Tally } from '../../formats/tally.ts';
import { tooLong } from '../../formats/tidy_text.ts';
import { withCoverage } from '../../formats/with_coverage.ts';
import { readStopsOptions } from './options.ts';

type StopRow = Row<typeof stopRecord>;

/** What reading one layer needs; survives structured cloning. */
interface StopsPart {
  readonly feature: FeatureSource;
  readonly mode: TransportMode;
  readonly prefix: string;
  readonly fields: { readonly stop_id: readonly string[]; readonly label: readonly string[] };
}

/** Stops and stations of point layers, each of one mode; a part is a layer. */
export const stopsAdapter: SourceAdapter = withCoverage('transport', {
  name: 'stops',
  version: 4,
  place: 'feature',
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
  read,
});

async function* read(
  _release: Release,
  part: Part,
  { signal }: { signal?: AbortSignal },
): AsyncIterable<Batch> {
  signal?.throwIfAborted();
  const { feature, mode, prefix, fields } = part.source as StopsPart;
  const file = await openFeatureFile(feature, signal, ['point']);
  try {
    const id = requireFields(file.fields, fields.stop_id, feature.file, 'the identifier of the stop');
    const label = requireFields(file.fields, fields.label, feature.file, 'the name of the stop');
    const tally = new Tally(feature.file, stopRecord.name, 'feature');
    const stops = new RowBatches(stopRecord, tally);
    for await (const batch of file.batches([...id, ...label])) {
      for (const row of readableRows(batch, tally)) {
        const stop = stopOf(batch, row, id, label, mode, prefix);
        if ('code' in stop) tally.reject(batch.first + row, stop.code, stop.message);
        else {
          tally.records++;
          stops.add(stop);
        }
      }
      if (stops.full) yield stops.rest();
    }
    yield { ...stops.rest(), accounts: tally.accounts(), notes: file.notes() };
  } finally {
    await file.close();
  }
}

const namesOf = (fields: readonly FeatureField[]): string => fields.map(({ name }) => name).join(', ');

function stopOf(
  batch: Features,
  row: number,
  idFields: readonly FeatureField[],
  labelFields: readonly FeatureField[],
  mode: TransportMode,
  prefix: string,
): StopRow | Problem {
  const id = firstId(batch, row, idFields);
  if (id === null) return { code: 'missing_key', message: `${namesOf(idFields)} is blank` };
  const label = firstText(batch, row, labelFields);
  if (label === null) return { code: 'missing_value', message: `${namesOf(labelFields)} is blank` };
  const long = tooLong({ identifier: id, name: label });
  if (long !== null) return long;
  const shape = shapeAs(batch, row, 'point');
  if (shape.geometry === null) return shape.reject ?? { code: 'no_geometry', message: 'the shape is null' };
  const { coords } = shape.geometry;
  if (coords.length !== 2)
    return { code: 'wrong_geometry', message: `the shape has ${coords.length / 2} points, one is needed` };
  const [lon, lat] = [coords[0]!, coords[1]!];
  return {
    load_id: 0,
    source_no: batch.first + row,
    cell: cellOf(lon, lat),
    source: prefix.slice(0, -1),
    stop_id: prefix + id,
    mode,
    label,
    lon,
    lat,
  };
}

import { basename } from 'node:path';
import { placePieceRecord } from '../../../schema/records/place.ts';
import type { DatasetConfig, Part, ReadContext, Release, SourceAdapter, SourceBatch } from '../../adapter.ts';
import { missingColumns } from '../../formats/table/columns.ts';
import type { ParquetFile } from '../../formats/table/parquet.ts';
import { filesOf, releaseOf } from '../../release/file_release.ts';
import { releaseLabel } from '../../release/release_label.ts';
import { RowBatches } from '../../release/row_batches.ts';
import { withCoverage } from '../../release/with_coverage.ts';
import { RowTally } from '../../tally.ts';
import { bytesOfRow, placeRows } from '../place_rows.ts';
import { type OvertureOptions, readOvertureOptions } from './options.ts';
import { OVERTURE_COLUMNS, OverturePlaces } from './overture_places.ts';

/** Input for reading one file; survives structured cloning. */
interface OverturePart {
  readonly path: string;
  readonly file: string;
  readonly options: OvertureOptions;
}

/** Columns that state what a place is; a file must have one of them. */
const KINDS = ['categories', 'basic_category', 'taxonomy'];

/** Reads places of Overture Maps (theme places, type place) from GeoParquet; a part is a file. */
export const overtureAdapter: SourceAdapter = withCoverage('amenity', {
  name: 'overture',
  version: 8,
  placeUnit: 'feature',
  title: 'Overture Maps places',
  publisher: 'Overture Maps Foundation',
  licence: 'CDLA-Permissive-2.0',
  attribution: '© OpenStreetMap contributors, Overture Maps Foundation.',
  tables: [placePieceRecord],
  checkOptions: readOvertureOptions,
  discover,
  readPart: readPart,
});

async function discover(dataset: DatasetConfig): Promise<{ release: Release; parts: Part[] }> {
  const options = readOvertureOptions(dataset);
  const files = filesOf(dataset, /\.(geo)?parquet$/i, 'a .parquet');
  const parts: Part[] = [];
  for (const { path, file } of files) {
    await checkColumns(path, file);
    const stem = basename(path).replace(/\.(geo)?parquet$/i, '');
    const id = parts.some((part) => part.id === stem) ? `${stem} ${parts.length + 1}` : stem;
    const source: OverturePart = { path, file, options };
    parts.push({ id, source });
  }
  const folders = files.map(({ path }) => ({ file: path.split('/').slice(-4).join('/'), changed: null }));
  return { release: releaseOf(dataset, { ...WGS84, id: releaseLabel(dataset, folders) }), parts };
}

const WGS84 = {
  crs: { applied: 'EPSG:4326', stated: 'EPSG:4326', overridden: false },
  notes: ['Overture coordinates are WGS84 and are read as GDA2020.'],
};

/** Opens a Parquet file; its reader is large, so it is loaded only if a release has such a file. */
async function open(path: string, file: string): Promise<ParquetFile> {
  const { openParquet } = await import('../../formats/table/parquet.ts');
  return openParquet({ path, member: null, file });
}

async function checkColumns(path: string, file: string): Promise<void> {
  const parquet = await open(path, file);
  await parquet.close();
  const names = parquet.columns.map(({ name }) => name);
  const missing = ['id', 'geometry'].filter((name) => !names.includes(name));
  if (!KINDS.some((name) => names.includes(name))) missing.push(KINDS.join(' or '));
  if (missing.length === 0) return;
  throw missingColumns(file, missing, names, 'Check that it is of the theme places.');
}

async function* readPart(_release: Release, part: Part, { signal }: ReadContext): AsyncIterable<SourceBatch> {
  signal?.throwIfAborted();
  const { path, file, options } = part.source as OverturePart;
  const parquet = await open(path, file);
  try {
    const names = new Set(parquet.columns.map(({ name }) => name));
    const columns = OVERTURE_COLUMNS.filter((name) => names.has(name));
    const places = new OverturePlaces(options);
    const tally = new RowTally(file, placePieceRecord.name, 'feature');
    const pieces = new RowBatches(placePieceRecord, tally);
    for await (const rows of parquet.rows(columns, signal)) {
      for (const row of rows) {
        const fate = places.fateOf(row, ++tally.rows_in);
        if ('drop' in fate) tally.drop(fate.drop);
        else if ('reject' in fate) {
          const { code, message, extent, area } = fate.reject;
          tally.reject(tally.rows_in, code, message, { extent, area });
        } else {
          tally.records++;
          yield* pieces.addAll(placeRows(fate.place), bytesOfRow);
        }
      }
      yield pieces.rest();
    }
    yield { accounts: tally.accounts() };
  } finally {
    await parquet.close();
  }
}

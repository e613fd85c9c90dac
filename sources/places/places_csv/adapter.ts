import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { EtlError } from '../../../schema/errors.ts';
import { inAustralia } from '../../../schema/grid.ts';
import { placePieceRecord } from '../../../schema/records/place.ts';
import { recogniseCrs, toGda2020 } from '../../../transforms/geo/crs.ts';
import type { Batch, DatasetConfig, Part, Release, SourceAdapter } from '../../adapter.ts';
import { type CsvRow, readCsvRows } from '../../formats/csv_rows.ts';
import type { Problem } from '../../formats/feature.ts';
import { releaseLabel } from '../../formats/release_label.ts';
import { RowBatches } from '../../formats/row_batches.ts';
import { bindAliases, decimalNumber, type Positions, requireColumns } from '../../formats/tabular.ts';
import { Tally } from '../../formats/tally.ts';
import { tidyText, tooLong } from '../../formats/tidy_text.ts';
import { withCoverage } from '../../formats/with_coverage.ts';
import { missingFile } from '../../formats/zip.ts';
import { bytesOfRow, type Place, placeRows } from '../place_rows.ts';
import { type PlacesMap, readPlacesMap } from './options.ts';

/** CRS of longitudes and latitudes without a stated datum. */
const UNSTATED = 'EPSG:4326';
/** Rejects that are held before they are passed on. */
const REJECT_BATCH = 1024;
const COLUMNS = ['id', 'name', 'kind', 'lon', 'lat'] as const;
type Column = (typeof COLUMNS)[number];

/** What reading one table needs; survives structured cloning. */
interface PlacesPart {
  readonly path: string;
  readonly file: string;
  readonly dataset: string;
  readonly map: PlacesMap;
}

/** Places of CSV tables through a map of columns and kinds; a part is a file. */
export const placesCsvAdapter: SourceAdapter = withCoverage('amenity', {
  name: 'places_csv',
  version: 1,
  place: 'line',
  title: 'Tables of places',
  publisher: 'as configured',
  licence: 'as configured',
  attribution: 'As configured for the dataset.',
  tables: [placePieceRecord],
  discover,
  read,
});

async function discover(dataset: DatasetConfig): Promise<{ release: Release; parts: Part[] }> {
  const map = readPlacesMap(dataset);
  const crs = recogniseCrs(dataset.crs ?? UNSTATED, 'the configured crs');
  if (crs.projected)
    throw new EtlError(
      'bad_option',
      `dataset ${dataset.id}: its crs ${dataset.crs} is a projection and the columns hold degrees. Name EPSG:7844, EPSG:4283 or EPSG:4326.`,
    );
  const parts: Part[] = [];
  for (const { path } of dataset.files) {
    await stat(path).catch((error: unknown) => {
      throw missingFile(path, error);
    });
    if (!/\.(csv|txt|tsv)$/i.test(path)) continue;
    const file = basename(path);
    const id = parts.some((part) => part.id === file) ? path : file;
    const source: PlacesPart = { path, file, dataset: dataset.id, map };
    await readHeader(source);
    parts.push({ id, source });
  }
  if (parts.length === 0)
    throw new EtlError(
      'missing_file',
      `dataset ${dataset.id}: no .csv among its ${dataset.files.length} files. Check the configured pattern.`,
      { details: { dataset: dataset.id } },
    );
  const files = dataset.files.map(({ path }) => ({ file: basename(path), changed: null }));
  const notes =
    dataset.crs === null ? ['The tables state no datum: their coordinates are taken as GDA2020.'] : [];
  return {
    release: {
      dataset,
      id: dataset.release ?? releaseLabel(dataset, files),
      crs: { applied: crs.id, stated: null, overridden: dataset.crs !== null },
      notes,
    },
    parts,
  };
}

async function readHeader({ path, file, map }: PlacesPart): Promise<void> {
  for await (const { cells } of readCsvRows(path, file)) {
    bind(cells, map, file);
    return;
  }
  bind([], map, file);
}

function bind(header: readonly string[], map: PlacesMap, file: string): Positions<Column> {
  const wanted = { id: map.id ?? [], name: map.name ?? [], kind: map.kind, lon: map.lon, lat: map.lat };
  const positions = bindAliases(header, wanted);
  const needed = COLUMNS.filter((column) => column !== 'name' && (column !== 'id' || map.id !== null));
  requireColumns(positions, needed, wanted, header, file);
  return positions;
}

async function* read(
  release: Release,
  part: Part,
  { signal }: { signal?: AbortSignal },
): AsyncIterable<Batch> {
  signal?.throwIfAborted();
  const source = part.source as PlacesPart;
  const shift = toGda2020(recogniseCrs(release.crs.applied, 'the crs of the release'));
  const tally = new Tally(source.file, placePieceRecord.name);
  const pieces = new RowBatches(placePieceRecord, tally);
  const seen = new Set<string>();
  let width = 0;
  let positions: Positions<Column> | null = null;
  for await (const row of readCsvRows(source.path, source.file, signal === undefined ? {} : { signal })) {
    if (positions === null) {
      positions = bind(row.cells, source.map, source.file);
      width = row.cells.length;
      continue;
    }
    tally.rows_in++;
    const place = placeOf(row, width, positions, source, shift);
    if (place === null) tally.drop('not_a_place');
    else if ('code' in place) {
      tally.reject(row.line, place.code, place.message);
      if (tally.rejected % REJECT_BATCH === 0) yield { rejects: tally.takeRejects() };
    } else if (seen.has(`${place.category} ${place.place_id}`)) tally.drop('listed_again');
    else {
      seen.add(`${place.category} ${place.place_id}`);
      tally.records++;
      yield* pieces.addAll(placeRows(place), bytesOfRow);
    }
  }
  yield { ...pieces.rest(), accounts: tally.accounts() };
}

/** The place of a row; null: it is of no category that is kept. */
function placeOf(
  { cells, line }: CsvRow,
  width: number,
  positions: Positions<Column>,
  { map, dataset }: PlacesPart,
  shift: (coords: Float64Array) => void,
): Place | Problem | null {
  if (cells.length !== width)
    return {
      code: cells.length < width ? 'short_row' : 'long_row',
      message: `${cells.length} fields instead of ${width}`,
    };
  const value = (column: Column): string => cells[positions[column]] ?? '';
  const kind = value('kind').toLowerCase();
  if (!Object.hasOwn(map.categories, kind)) return null;
  const [lon, lat] = [decimalNumber(value('lon')) ?? Number.NaN, decimalNumber(value('lat')) ?? Number.NaN];
  const given = `longitude "${value('lon').slice(0, 40)}", latitude "${value('lat').slice(0, 40)}"`;
  if (Number.isNaN(lon) || Number.isNaN(lat))
    return { code: 'bad_coordinate', message: `${given}: not two decimal numbers` };
  if (!inAustralia(lon, lat)) return { code: 'outside_australia', message: given };
  const name = tidyText(value('name'));
  const id = map.id === null ? `${lon},${lat}/${name ?? kind}` : tidyText(value('id'));
  if (id === null) return { code: 'missing_key', message: 'the row has no identifier' };
  const long = tooLong({ identifier: id, name });
  if (long !== null) return long;
  const at = Float64Array.of(lon, lat);
  shift(at);
  const category = map.categories[kind]!;
  return {
    source_no: line,
    place_id: `${dataset}/${id}`,
    category,
    name,
    at: [at[0]!, at[1]!],
    is_only: true,
  };
}

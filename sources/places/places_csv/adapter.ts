import { type Bbox, inAustralia } from '../../../schema/grid.ts';
import { placePieceRecord } from '../../../schema/records/place.ts';
import { recogniseCrs } from '../../../transforms/geo/crs.ts';
import type { DatasetConfig, Part, ReadContext, Release, SourceAdapter, SourceBatch } from '../../adapter.ts';
import { tidyText, tooLong } from '../../fields/tidy_text.ts';
import type { Problem } from '../../formats/feature.ts';
import { readCsvRows } from '../../formats/table/csv_rows.ts';
import { bindHeader, type TableRow, tableRows } from '../../formats/table/csv_table.ts';
import {
  bindAliases,
  type ColumnPositions,
  cellAt,
  decimalNumber,
  requireColumns,
} from '../../formats/table/tabular.ts';
import { toGda2020ByGrid } from '../../formats/vector/datum_grid.ts';
import { filesOf, type NamedFile, releaseOf } from '../../release/file_release.ts';
import { badOption } from '../../release/options.ts';
import { RowBatches } from '../../release/row_batches.ts';
import { withCoverage } from '../../release/with_coverage.ts';
import { RowTally } from '../../tally.ts';
import { bytesOfRow, type Place, placeRows } from '../place_rows.ts';
import { type PlacesMap, readPlacesMap } from './options.ts';

/** CRS of longitudes and latitudes without a stated datum. */
const UNSTATED = 'EPSG:4326';
const COLUMNS = ['id', 'name', 'kind', 'lon', 'lat'] as const;
type PlacesCsvColumn = (typeof COLUMNS)[number];

/** Input for reading one table; survives structured cloning. */
interface PlacesPart extends NamedFile {
  readonly dataset: string;
  readonly map: PlacesMap;
}

/** Reads places from CSV tables through a map of columns and kinds; a part is a file. */
export const placesCsvAdapter: SourceAdapter = withCoverage('amenity', {
  name: 'places_csv',
  version: 8,
  placeUnit: 'line',
  title: 'Tables of places',
  publisher: 'as configured',
  licence: 'as configured',
  attribution: 'As configured for the dataset.',
  tables: [placePieceRecord],
  checkOptions: readPlacesMap,
  discover,
  readPart: readPart,
});

async function discover(dataset: DatasetConfig): Promise<{ release: Release; parts: Part[] }> {
  const map = readPlacesMap(dataset);
  const crs = recogniseCrs(dataset.crs ?? UNSTATED, 'the configured crs');
  if (crs.projected)
    throw badOption(
      dataset,
      `its crs ${dataset.crs} is a projection and the columns hold degrees: name EPSG:7844, EPSG:4283 or EPSG:4326`,
    );
  const parts: Part[] = [];
  for (const file of filesOf(dataset, /\.(csv|txt|tsv)$/i, 'a .csv')) {
    const source: PlacesPart = { ...file, dataset: dataset.id, map };
    await bindHeader(readCsvRows(file.path, file.file), (header) => bind(header, map, file.file));
    parts.push({ id: file.file, source });
  }
  const notes =
    dataset.crs === null ? ['The tables state no datum; their coordinates are read as GDA2020.'] : [];
  const applied = { applied: crs.id, stated: null, overridden: dataset.crs !== null };
  return { release: releaseOf(dataset, { crs: applied, notes }), parts };
}

function bind(header: readonly string[], map: PlacesMap, file: string): ColumnPositions<PlacesCsvColumn> {
  const columns = { id: map.id ?? [], name: map.name ?? [], kind: map.kind, lon: map.lon, lat: map.lat };
  const positions = bindAliases(header, columns);
  const needed = COLUMNS.filter((column) => column !== 'name' && (column !== 'id' || map.id !== null));
  requireColumns(positions, needed, columns, header, file);
  return positions;
}

async function* readPart(release: Release, part: Part, { signal }: ReadContext): AsyncIterable<SourceBatch> {
  signal?.throwIfAborted();
  const source = part.source as PlacesPart;
  const shift = toGda2020ByGrid(
    recogniseCrs(release.crs.applied, 'the crs of the release'),
    release.dataset.datum_grid,
  );
  const tally = new RowTally(source.file, placePieceRecord.name);
  const pieces = new RowBatches(placePieceRecord, tally);
  const firstPlaces = new Map<string, string>();
  const lines = readCsvRows(source.path, source.file, { signal });
  for await (const row of tableRows(lines, (header) => bind(header, source.map, source.file))) {
    tally.rows_in++;
    const record = row.problem ?? placeOf(row, source, shift);
    if (record === null) tally.drop('not_a_place');
    else if ('code' in record && row.isLikeFootnote) tally.drop('footnote');
    else if ('code' in record) tally.reject(row.line, record.code, record.message, { extent: record.extent });
    else {
      const key = `${record.category} ${record.place_id}`;
      const first = firstPlaces.get(key);
      const [lon, lat] = record.at;
      if (first === undefined) {
        firstPlaces.set(key, record.at.join());
        tally.records++;
        yield* pieces.addAll(placeRows(record), bytesOfRow);
      } else if (first === record.at.join()) tally.drop('listed_again');
      else {
        const message = `${record.place_id} is repeated at another place; the first one is kept`;
        tally.reject(row.line, 'duplicate_key', message, { extent: [lon, lat, lon, lat] });
      }
    }
    if (pieces.full) yield pieces.rest();
  }
  yield { ...pieces.rest(), accounts: tally.accounts() };
}

type PointPlace = Place & { readonly at: readonly [lon: number, lat: number] };

/** Returns the place of a row; null: its category is not kept. */
function placeOf(
  { cells, line, columns }: TableRow<ColumnPositions<PlacesCsvColumn>>,
  { map, dataset }: PlacesPart,
  shift: (coords: Float64Array) => void,
): PointPlace | Problem | null {
  const value = (column: PlacesCsvColumn): string => cellAt(cells, columns[column]);
  const kind = value('kind').toLowerCase();
  if (!Object.hasOwn(map.categories, kind)) return null;
  const [lon, lat] = [decimalNumber(value('lon')) ?? Number.NaN, decimalNumber(value('lat')) ?? Number.NaN];
  const coordinates = `longitude "${value('lon').slice(0, 40)}", latitude "${value('lat').slice(0, 40)}"`;
  if (Number.isNaN(lon) || Number.isNaN(lat))
    return { code: 'bad_coordinate', message: `${coordinates}: not two decimal numbers` };
  if (!inAustralia(lon, lat)) return { code: 'outside_australia', message: coordinates };
  const at = Float64Array.of(lon, lat);
  shift(at);
  const extent: Bbox = [at[0]!, at[1]!, at[0]!, at[1]!];
  const name = tidyText(value('name'));
  const id = map.id === null ? `${lon},${lat}/${name ?? kind}` : tidyText(value('id'));
  if (id === null) return { code: 'missing_key', message: 'the row has no identifier', extent };
  const long = tooLong({ identifier: id, name });
  if (long !== null) return { ...long, extent };
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

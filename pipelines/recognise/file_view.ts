import { stringify } from 'yaml';
import { EtlError } from '../../schema/errors.ts';
import { listZip } from '../../sources/formats/archive/zip.ts';
import { openWorkbook } from '../../sources/formats/table/workbook.ts';
import { geodatabaseOf, locateFeatures } from '../../sources/formats/vector/feature_places.ts';
import { type InspectedLayer, inspectLayer } from './layer_view.ts';
import type { Proposal } from './map_evidence.ts';
import { filled, isRowNumber, SHOWN } from './parcel_signs.ts';
import { proposeAdapter } from './propose_adapter.ts';
import { proposeMaps } from './propose_map.ts';
import { proposeOwn } from './propose_own.ts';
import { proposeSales } from './propose_sales.ts';

export interface ColumnView {
  name: string;
  /** Inspected features with a value. */
  filled: number;
  distinct: number;
  values: string[];
  /** Whether it numbers the rows of its file, so that it identifies nothing. */
  is_row_number: boolean;
}

/** A layer or other file, and how it could be read. */
export interface FileView {
  file: string;
  /** CRS as stated in the file; null: none stated. */
  crs: string | null;
  /** Whether the CRS names an Australian datum; null: none stated, or unknown. */
  names_datum: boolean | null;
  /** Geometry families; empty: not a layer of features. */
  families: string[];
  /** States of the inspected shapes; near a border there may be several. */
  states: string[];
  /** Number of inspected features, from the start. */
  looked: number;
  columns: ColumnView[];
  /** Datasets that it could be read as, likeliest first. If no named map reads a layer, a map to complete. */
  proposals: Proposal[];
  /** First proposal as YAML; null: content not recognised. */
  proposed: string | null;
  /** Alternative of another kind than the proposals; null: none. */
  second: Proposal | null;
  /** Why it cannot be read as it is; null: it can. */
  problem: string | null;
}

const proposedText = (proposal: Proposal | undefined): string | null =>
  proposal === undefined ? null : stringify({ adapter: proposal.adapter, options: proposal.options });

const viewOf = (
  layer: InspectedLayer,
  proposals: readonly Proposal[],
  problem: string | null,
  second: Proposal | null = null,
): FileView => ({
  file: layer.file,
  crs: layer.crs,
  names_datum: layer.names_datum,
  families: [...layer.families],
  states: [...layer.states],
  looked: layer.looked,
  columns: layer.columns.map((column) => ({
    name: column.name,
    filled: filled(column),
    distinct: column.values.size,
    values: [...column.values.keys()].slice(0, SHOWN),
    is_row_number: isRowNumber(column),
  })),
  proposals: [...proposals],
  proposed: proposedText(proposals[0]),
  second,
  problem,
});

const NO_LAYER = {
  crs: null,
  names_datum: null,
  families: [],
  states: [],
  looked: 0,
  columns: [],
  median_sqm: null,
};

/** Views a file through the adapter that knows its format; null: no adapter does. */
async function viewWhole(path: string, layer: InspectedLayer): Promise<FileView | null> {
  const knownProposal = await proposeAdapter([path]);
  if (knownProposal === null) return null;
  const { problem, ...proposal } = knownProposal;
  return viewOf(layer, [proposal], problem);
}

const NO_SHAPES = 'It has the columns of a layer but no coordinates. Deliver the layer with its shapes.';

/** Formats that no adapter reads, with the command that converts a file, whose name comes last or for `{}`. */
const FOREIGN: readonly [ending: RegExp, name: string, command: string][] = [
  [/\.kml$/i, 'KML', 'ogr2ogr -f GPKG out.gpkg'],
  [/\.kmz$/i, 'KMZ (zipped KML)', 'ogr2ogr -f GPKG out.gpkg'],
  [/\.(tab|mif)$/i, 'MapInfo', 'ogr2ogr -f GPKG out.gpkg'],
  [/\.(dwg|dxf)$/i, 'AutoCAD', 'ogr2ogr -f GPKG out.gpkg'],
  [/\.gml$/i, 'GML', 'ogr2ogr -f GPKG out.gpkg'],
  [/\.gpx$/i, 'GPX', 'ogr2ogr -f GPKG out.gpkg'],
  [/\.7z$/i, '7-Zip', '7z x'],
  [/\.rar$/i, 'RAR', 'unrar x'],
  [/\.(tar\.gz|tgz|tar\.bz2|tar\.xz|tar)$/i, 'tar', 'tar -xf'],
  [/\.(xls|xlsb|xlsm|ods)$/i, 'a spreadsheet that is no .xlsx', 'soffice --convert-to xlsx'],
  [/\.(dgn|e00|topojson|vrt|sqlite)$/i, 'a map format of another program', 'ogr2ogr -f GPKG out.gpkg'],
  [/\.(mdb|accdb)$/i, 'a Microsoft Access database', 'ogr2ogr -f GPKG out.gpkg'],
  [/\.(tiff?|ecw|jp2|asc|nc)$/i, 'a raster', 'gdal_polygonize.py {} out.gpkg'],
  [/\.(osm|osm\.bz2)$/i, 'OpenStreetMap XML', 'osmium cat -o out.osm.pbf'],
  [/\.zst$/i, 'Zstandard', 'unzstd'],
  [/\.bz2$/i, 'bzip2', 'bunzip2 -k'],
];

/** Quotes a name for a shell. */
const quoted = (name: string): string => `'${name.replaceAll("'", "'\\''")}'`;

/** Says that no adapter reads the format of a file, and how to convert it; null: the format is not known. */
function foreignFormat(file: string): string | null {
  const format = FOREIGN.find(([ending]) => ending.test(file));
  if (format === undefined) return null;
  const [, name, command] = format;
  const typed = command.includes('{}')
    ? command.replace('{}', () => quoted(file))
    : `${command} ${quoted(file)}`;
  return `It is ${name}, which no adapter reads. Convert it: ${typed}`;
}

/** Says that a zip has a file in a format that no adapter reads, and how to convert it; null: no such file, or no zip. */
async function foreignMember(path: string, file: string): Promise<string | null> {
  if (!/\.zip$/i.test(file)) return null;
  const members = await listZip(path, () => true, { file }).catch(() => []);
  const member = members.map(({ name }) => name).find((name) => foreignFormat(name) !== null);
  return member === undefined
    ? null
    : `Unpack it (unzip ${quoted(file)}). ${member}: ${foreignFormat(member)}`;
}

/** Lists the sheets and columns of a workbook that no adapter takes; null: not a workbook. */
async function unclaimedWorkbook(path: string, file: string): Promise<string | null> {
  if (!/\.xlsx$/i.test(file)) return null;
  const workbook = await openWorkbook(path, file);
  const sheets: string[] = [];
  for (const sheet of workbook.sheets.slice(0, SHOWN)) {
    const rows = await workbook.read(sheet);
    const head = rows.find(({ cells }) => cells.filter((cell) => cell !== '').length > 1);
    const names = head?.cells.filter((cell) => cell !== '').slice(0, SHOWN_COLUMNS) ?? [];
    sheets.push(
      names.length === 0 ? `${sheet}: no table` : `${sheet}, row ${head!.line}: ${names.join(', ')}`,
    );
  }
  const unnamed = workbook.sheets.length - sheets.length;
  if (unnamed > 0) sheets.push(`and ${unnamed} more`);
  return `No adapter recognises its sheets (${sheets.join('; ')}). Workbooks are read of schools, of prices and of the ABS (mesh blocks, SEIFA). Save another table as CSV; ${TABLE_NEEDS}`;
}

/** Columns that are named of a table or sheet. */
const SHOWN_COLUMNS = 12;
const TABLE_NEEDS =
  'sales need a date, a price and an address, listings also event_type (docs/event_contract.md), places a field_map.';

/** Says which columns a table has that no adapter takes, and which are missing. */
const unclaimedTable = ({ columns }: InspectedLayer): string => {
  const [only] = columns;
  const delimiter = columns.length === 1 ? /[;\t|]/.exec(only!.name)?.[0] : undefined;
  if (delimiter !== undefined)
    return `Its header is one column with the delimiter ${JSON.stringify(delimiter)}: ${only!.name}. Tables have commas; sales are also read with the option delimiter of the adapter sales_csv. ${TABLE_NEEDS}`;
  return `No adapter recognises its columns (${columns
    .slice(0, SHOWN_COLUMNS)
    .map(({ name }) => name)
    .join(', ')}${columns.length > SHOWN_COLUMNS ? ', …' : ''}): ${TABLE_NEEDS}`;
};

async function viewLayers(path: string): Promise<FileView[]> {
  const { places } = await locateFeatures([path]);
  // CSV tables in one zip, such as the Census's, are one delivery.
  if (places.length > 1 && places.every(({ format }) => format === 'csv')) {
    const wholeFile = await viewWhole(path, { file: path.split('/').at(-1)!, ...NO_LAYER });
    if (wholeFile?.problem === null) return [wholeFile];
  }
  const views: FileView[] = [];
  for (const location of places) {
    const layer = await inspectLayer(location);
    const { proposals: maps, second } = proposeMaps(layer);
    // A table of places may also be a list of schools.
    const wholeLayer = maps.length === 0 || location.format === 'csv' ? await viewWhole(path, layer) : null;
    const sales = maps.length === 0 && location.format === 'csv' ? proposeSales(layer) : null;
    const ownProposal = maps.length === 0 ? (sales ?? proposeOwn(layer)) : null;
    if (wholeLayer !== null && (wholeLayer.problem === null || (maps.length === 0 && ownProposal === null)))
      views.push(wholeLayer);
    else {
      const isTable =
        location.format === 'csv' &&
        (layer.families.length === 0 || (maps.length === 0 && ownProposal === null));
      views.push(
        viewOf(
          layer,
          ownProposal === null ? maps : [ownProposal],
          !isTable || sales !== null ? null : maps.length > 0 ? NO_SHAPES : unclaimedTable(layer),
          second,
        ),
      );
    }
  }
  return views;
}

/** Views a file: its layers, or its format. If nothing reads it, the view has the reason. */
async function viewFile(path: string): Promise<FileView[]> {
  const file = path.split('/').at(-1)!;
  const foreign = foreignFormat(file);
  if (foreign !== null) return [viewOf({ file, ...NO_LAYER }, [], foreign)];
  try {
    const views = await viewLayers(path);
    if (views.length > 0) return views;
    const wholeFile = await viewWhole(path, { file, ...NO_LAYER });
    if (wholeFile !== null) return [wholeFile];
    const problem = (await unclaimedWorkbook(path, file)) ?? 'No adapter reads this file type.';
    return [viewOf({ file, ...NO_LAYER }, [], problem)];
  } catch (error) {
    if (!(error instanceof EtlError)) throw error;
    const wholeText = await viewWhole(path, { file, ...NO_LAYER });
    // A damaged layer is not a file of another kind; a zip without layers may be.
    const isOther = wholeText?.problem === null || error.code === 'no_features';
    // A zipped MapInfo table has a .dat, as the sales of NSW have.
    const isRead = wholeText?.problem === null && wholeText.proposals[0]?.adapter !== 'nsw_psi';
    const foreign = error.code === 'no_features' && !isRead ? await foreignMember(path, file) : null;
    if (foreign !== null) return [viewOf({ file, ...NO_LAYER }, [], foreign)];
    return [isOther && wholeText !== null ? wholeText : viewOf({ file, ...NO_LAYER }, [], error.message)];
  }
}

/** Views a release of many files through its adapter. */
export async function viewRelease(
  file: string,
  paths: readonly string[],
  adapter: string,
): Promise<FileView> {
  const layer = { file, ...NO_LAYER };
  const groupProposal = await proposeAdapter(paths, adapter);
  if (groupProposal === null) return viewOf(layer, [], `It is no release that the adapter ${adapter} reads.`);
  const { problem, ...proposal } = groupProposal;
  return viewOf(layer, [proposal], problem);
}

/** Views the content of files, and how they could be read. */
export async function viewFiles(paths: readonly string[]): Promise<FileView[]> {
  const views: FileView[] = [];
  // Components of a shapefile or geodatabase are read with it.
  const wholes = new Set(
    paths.flatMap((path) => (/\.(shx|dbf|prj|cpg)$/i.test(path) ? [] : (geodatabaseOf(path) ?? path))),
  );
  for (const path of wholes) views.push(...(await viewFile(path)));
  return views;
}

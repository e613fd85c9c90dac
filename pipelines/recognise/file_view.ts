import { stringify } from 'yaml';
import { EtlError } from '../../schema/errors.ts';
import { geodatabaseOf, locateFeatures } from '../../sources/formats/vector/feature_places.ts';
import { type InspectedLayer, readLayer } from './layer_view.ts';
import { filled, SHOWN } from './parcel_signs.ts';
import { proposeAdapter } from './propose_adapter.ts';
import { type Proposal, proposeMaps } from './propose_map.ts';
import { proposeOwn } from './propose_own.ts';
import { proposeSales } from './propose_sales.ts';

export interface ColumnView {
  name: string;
  /** Of the features that were looked at. */
  filled: number;
  /** Different values. */
  distinct: number;
  values: string[];
}

/** A layer or other file, and how it could be read. */
export interface FileView {
  file: string;
  /** As the file states it; null: it states none. */
  crs: string | null;
  /** Whether that names an Australian datum; null: it states none, or one that is not known. */
  names_datum: boolean | null;
  /** Empty: it is no layer of features. */
  families: string[];
  /** States that the first features lie in; near a border more than one. */
  states: string[];
  /** Features looked at: the first ones. */
  looked: number;
  columns: ColumnView[];
  /** Datasets that it would be read as, the likeliest first; of a layer that no named map reads, a map to be completed. */
  proposals: Proposal[];
  /** The first of them as YAML; null: nothing in it says what it is. */
  proposed: string | null;
  /** What else it may be, of another kind than the proposals; null: nothing. */
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

/** A file as the adapter sees it that knows its format; null: none does. */
async function viewWhole(path: string, layer: InspectedLayer): Promise<FileView | null> {
  const found = await proposeAdapter([path]);
  if (found === null) return null;
  const { problem, ...proposal } = found;
  return viewOf(layer, [proposal], problem);
}

const NO_SHAPES = 'It has the columns of a layer but no coordinates. Deliver the layer with its shapes.';
const NO_TABLE =
  'No adapter recognises its columns. A table of sales, listings or places needs its own field_map.';

async function viewLayers(path: string): Promise<FileView[]> {
  const { places } = await locateFeatures([path]);
  // The tables of a zip, such as those of the Census, are one delivery.
  if (places.length > 1 && places.every(({ format }) => format === 'csv')) {
    const whole = await viewWhole(path, { file: path.split('/').at(-1)!, ...NO_LAYER });
    if (whole?.problem === null) return [whole];
  }
  const views: FileView[] = [];
  for (const place of places) {
    const layer = await readLayer(place);
    const { proposals: maps, second } = proposeMaps(layer);
    // A table may be a list of schools as well as one of places.
    const whole = maps.length === 0 || place.format === 'csv' ? await viewWhole(path, layer) : null;
    const sales = maps.length === 0 && place.format === 'csv' ? proposeSales(layer) : null;
    const own = maps.length === 0 ? (sales ?? proposeOwn(layer)) : null;
    if (whole !== null && (whole.problem === null || (maps.length === 0 && own === null))) views.push(whole);
    else {
      const isTable = place.format === 'csv' && layer.families.length === 0;
      views.push(
        viewOf(
          layer,
          own === null ? maps : [own],
          !isTable || sales !== null ? null : maps.length > 0 ? NO_SHAPES : NO_TABLE,
          second,
        ),
      );
    }
  }
  return views;
}

/** What stands in a file: its layers, or the format that it is of. A file that nothing reads is a view with the reason. */
async function viewFile(path: string): Promise<FileView[]> {
  const file = path.split('/').at(-1)!;
  try {
    const views = await viewLayers(path);
    if (views.length > 0) return views;
    const whole = await viewWhole(path, { file, ...NO_LAYER });
    return [whole ?? viewOf({ file, ...NO_LAYER }, [], 'No adapter reads this file type.')];
  } catch (error) {
    if (!(error instanceof EtlError)) throw error;
    const whole = await viewWhole(path, { file, ...NO_LAYER });
    // A layer that is damaged is no file of another kind; a zip without layers may be one.
    const isOther = whole?.problem === null || error.code === 'no_features';
    return [isOther && whole !== null ? whole : viewOf({ file, ...NO_LAYER }, [], error.message)];
  }
}

/** A release of many files as its adapter sees it. */
export async function viewRelease(
  file: string,
  paths: readonly string[],
  adapter: string,
): Promise<FileView> {
  const layer = { file, ...NO_LAYER };
  const found = await proposeAdapter(paths, adapter);
  if (found === null) return viewOf(layer, [], `It is no release that the adapter ${adapter} reads.`);
  const { problem, ...proposal } = found;
  return viewOf(layer, [proposal], problem);
}

/** Shows the content of files, and how they could be read. */
export async function viewFiles(paths: readonly string[]): Promise<FileView[]> {
  const views: FileView[] = [];
  // What belongs to a shapefile or a geodatabase is read with it.
  const wholes = new Set(
    paths.flatMap((path) => (/\.(shx|dbf|prj|cpg)$/i.test(path) ? [] : (geodatabaseOf(path) ?? path))),
  );
  for (const path of wholes) views.push(...(await viewFile(path)));
  return views;
}

import { stringify } from 'yaml';
import { EtlError } from '../../schema/errors.ts';
import type { FeatureField, FeaturePlace } from '../../sources/formats/feature.ts';
import { openFormat } from '../../sources/formats/feature_file.ts';
import { locateFeatures } from '../../sources/formats/feature_places.ts';
import { fittingMaps, type Mapped } from './map_fits.ts';

/** Features of a layer that are looked at. */
const LOOKED = 2000;
/** Values of a column that are shown. */
const SHOWN = 5;

export interface ColumnView {
  name: string;
  /** Of the features that were looked at. */
  filled: number;
  /** Different values; at most one more than the features looked at. */
  distinct: number;
  values: string[];
}

export interface LayerView {
  file: string;
  /** As the file states it; null: it states none. */
  crs: string | null;
  families: string[];
  /** Features looked at: the first ones. */
  looked: number;
  columns: ColumnView[];
  /** Named maps whose columns the layer has, such as `cadastre: vic`. */
  fits: string[];
  /** Options of a dataset that read the layer as it seems to be, as YAML; null: nothing in it says what it is. */
  proposed: string | null;
}

async function columnsOf(place: FeaturePlace): Promise<Omit<LayerView, 'fits' | 'proposed'>> {
  const file = await openFormat(place);
  try {
    const seen = new Map(file.fields.map((field) => [field, new Map<string, number>()]));
    let looked = 0;
    for await (const batch of file.features(() => undefined, file.fields)) {
      for (let row = 0; row < batch.count && looked < LOOKED; row++) {
        if (batch.problem(row) !== null) continue;
        looked++;
        for (const [field, values] of seen) {
          const text = batch.id(row, field);
          if (text !== null) values.set(text, (values.get(text) ?? 0) + 1);
        }
      }
      if (looked >= LOOKED) break;
    }
    const columns = [...seen].map(([{ name }, values]) => ({
      name,
      filled: [...values.values()].reduce((sum, n) => sum + n, 0),
      distinct: values.size,
      values: [...values.keys()].slice(0, SHOWN),
    }));
    return { file: place.file, crs: file.crs, families: [...file.families].sort(), looked, columns };
  } finally {
    await file.close();
  }
}

/** Named maps that fit and say something by doing so: one that needs no column does not. */
const fitsOf = (fields: readonly Pick<FeatureField, 'name'>[]): string[] => {
  const needless = fittingMaps([]);
  return Object.entries(fittingMaps(fields)).flatMap(([adapter, names]) => {
    const telling = names.filter((name) => !needless[adapter as Mapped].includes(name));
    return telling.length === 0 ? [] : [`${adapter}: ${telling.join(', ')}`];
  });
};

const LOT_ON_PLAN = /^\w{1,6}\s*(\/|\\|\/\/|\s)?\s*[A-Z]{1,4}\d{2,}$/i;
const PLAN_THEN_LOT = /^[A-Z]{1,4}\d{2,}\s*[/\\ -]\s*\w{1,6}$/i;

const share = (column: ColumnView, test: (text: string) => boolean): number =>
  column.values.length === 0 ? 0 : column.values.filter(test).length / column.values.length;

/** A cadastre where a column holds lots on plan; zones or a hazard where a column holds few codes or classes. */
function proposalOf({ columns, looked }: Omit<LayerView, 'fits' | 'proposed'>): object | null {
  const isKey = (column: ColumnView): boolean =>
    column.filled === looked && column.distinct === column.filled;
  const lots = columns.find((column) => share(column, (text) => LOT_ON_PLAN.test(text)) > 0.5);
  const turned = columns.find((column) => share(column, (text) => PLAN_THEN_LOT.test(text)) > 0.5);
  const lot = lots ?? turned;
  if (lot !== undefined) {
    const ids = columns.filter((column) => isKey(column) && column !== lot);
    const id = ids.find(({ name }) => /pfi|parcel|cadid|(^|_)id$|objectid|fid/i.test(name)) ?? ids[0] ?? lot;
    const patterns =
      lots === undefined
        ? { patterns: [{ match: '^([A-Z]+[0-9]+)[ /\\\\-]+([A-Z0-9]+)$', write: '$2/$1' }] }
        : {};
    return {
      adapter: 'cadastre',
      options: {
        state: '…',
        field_map: {
          parcel_id: id.name,
          lot_plan: { parts: [lot.name], ...patterns },
          unite_lots: !isKey(lot),
        },
      },
    };
  }
  const classes = columns.filter(
    ({ filled, distinct }) => filled > looked / 2 && distinct <= Math.max(1, filled / 2),
  );
  const named = (pattern: RegExp): ColumnView | undefined => classes.find(({ name }) => pattern.test(name));
  const code = named(/zone.*(code|num|no|abb)|^zone$|sym_code|zone/i);
  if (code !== undefined) {
    const name =
      classes.find((column) => column !== code && /desc|name|label|lvl|zone/i.test(column.name)) ?? code;
    return { adapter: 'zoning', options: { state: '…', field_map: { code: code.name, name: name.name } } };
  }
  const kind = named(/class|categ|risk|hazard|likelihood|type|label|desc|name/i);
  if (kind === undefined) return null;
  const ids = columns.filter(isKey);
  const id = ids.find(({ name }) => /(^|_)id$|objectid|fid/i.test(name));
  return {
    adapter: 'hazards',
    options: {
      state: '…',
      layer: '…',
      field_map: {
        label: '…',
        name: kind.name,
        ...(id === undefined ? {} : { feature_id: id.name }),
        severity: Object.fromEntries(kind.values.map((value) => [value, '…'])),
      },
    },
  };
}

/** What stands in the layers of files, and how they could be read. EtlError `missing_file` where there is no layer. */
export async function viewFiles(paths: readonly string[]): Promise<LayerView[]> {
  const { places } = await locateFeatures(paths);
  if (places.length === 0)
    throw new EtlError('missing_file', `${paths.join(', ')}: there is no layer of features in it.`);
  const views: LayerView[] = [];
  for (const place of places) {
    const view = await columnsOf(place);
    const proposal = proposalOf(view);
    views.push({
      ...view,
      fits: fitsOf(view.columns),
      proposed: proposal === null ? null : stringify(proposal),
    });
  }
  return views;
}

import type { InspectedLayer, LayerColumn } from './layer_view.ts';

/** Values of a column that are shown, and that recognition tests. */
export const SHOWN = 5;

const LOT_ON_PLAN = /^\w{1,6}\s*(\/|\\|\/\/|\s)?\s*[A-Z]{1,4}\d{2,}$/i;
const PLAN_THEN_LOT = /^[A-Z]{1,4}\d{2,}\s*[/\\ -]\s*\w{1,6}$/i;

export const first = ({ values }: LayerColumn): string[] => [...values.keys()].slice(0, SHOWN);
export const filled = ({ values }: LayerColumn): number =>
  [...values.values()].reduce((sum, n) => sum + n, 0);

function share(column: LayerColumn, pattern: RegExp): number {
  const values = first(column);
  return values.length === 0 ? 0 : values.filter((text) => pattern.test(text)).length / values.length;
}

/** Finds the mostly distinct column with lots on plan, and how a map reads it; null: none. */
export function lotColumn(
  columns: readonly LayerColumn[],
  looked: number,
): { column: string; field_map: Readonly<Record<string, unknown>> } | null {
  const holding = (pattern: RegExp): LayerColumn | undefined =>
    columns.find((column) => share(column, pattern) > 0.5 && column.values.size > filled(column) / 2);
  const lots = holding(LOT_ON_PLAN);
  const lot = lots ?? holding(PLAN_THEN_LOT);
  if (lot === undefined) return null;
  const patterns =
    lots === undefined
      ? { patterns: [{ match: '^([A-Z]+[0-9]+)[ /\\\\-]+([A-Z0-9]+)$', write: '$2/$1' }] }
      : {};
  const isUnique = filled(lot) === looked && lot.values.size === looked;
  return {
    column: lot.name,
    field_map: { lot_plan: { parts: [lot.name], ...patterns }, unite_lots: !isUnique },
  };
}

/** Maximum median polygon area of a cadastre in which most parcels are town lots, square metres. */
const LOT_SQM = 5000;

/** Columns about a parcel itself, which zones, overlays and hazards do not have. */
const FACTS = [
  /(^|_)address(_|$)|^(prop_?)?addr/i,
  /(lot|land|parcel)_?(size|area)|^calc_?area/i,
  /dwell|valuation|^(lot|plan|lot_?plan|spi|title)(_|$)/i,
];
/** Patterns of identifier names, likeliest first. */
const IDS = [/pfi|parcel.*id|cadid|prop.*(id|num|pfi)/i, /(^|_)id(_|$)|objectid|fid/i];

/** Evidence that a layer is a cadastre. */
interface ParcelSigns {
  /** Column that identifies parcels: filled and distinct in every inspected row. */
  readonly id: string;
  /** Number of signs found: the identifier, polygons of lot size, the file name, and one or several kinds of parcel facts. */
  readonly met: number;
}

const isKey = ({ values }: LayerColumn, looked: number): boolean => values.size === looked;

/** Finds evidence that a layer from an unknown publisher is a cadastre; null: it cannot be one, or there is too little evidence. */
export function parcelSigns(layer: InspectedLayer, hint: boolean): ParcelSigns | null {
  const { columns, families, looked, median_sqm } = layer;
  if (!families.includes('polygon') || looked < 2) return null;
  const isSmall = median_sqm !== null && median_sqm <= LOT_SQM;
  const keys = columns.filter((column) => isKey(column, looked)).map(({ name }) => name);
  const id = IDS.map((pattern) => keys.find((name) => pattern.test(name))).find((name) => name !== undefined);
  const facts = FACTS.filter((pattern) => columns.some(({ name }) => pattern.test(name))).length;
  const needs = [isSmall, hint, facts > 0, facts > 1].filter(Boolean).length;
  return id === undefined || needs < 2 || !(hint || isSmall) ? null : { id, met: 1 + needs };
}

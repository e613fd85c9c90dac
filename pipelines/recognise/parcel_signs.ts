import type { InspectedLayer, LayerColumn } from './layer_view.ts';

/** Values of a column that are shown, and that recognition tests. */
export const SHOWN = 5;

/** Names of columns that number the rows of one file. */
const ROW_NUMBER =
  /^(og[cr]_?)?fid(_?\d+)?$|^object_?id(_?\d+)?$|^(gid|_?_?oid|index|mi_prinx)$|^row_?(no|num|number|id)?$/i;

/** Returns whether a column numbers the rows of its file, by its name or because it counts from 0 or 1. */
export function isRowNumber({ name, values }: LayerColumn): boolean {
  if (ROW_NUMBER.test(name.trim())) return true;
  const numbers = [...values.keys()].map(Number);
  const least = numbers.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const most = numbers.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  return (
    numbers.every(Number.isInteger) && (least === 0 || least === 1) && most - least + 1 === numbers.length
  );
}

const LOT_ON_PLAN = /^\w{1,6}\s*(\/|\\|\/\/|\s)?\s*[A-Z]{1,4}\d{2,}$/i;
const PLAN_THEN_LOT = /^[A-Z]{1,4}\d{2,}\s*[/\\ -]{1,2}\s*\w{1,6}$/i;
/** `Lot 5 DP 12345`, `5 on SP123`, `A DP 12345`: in words or with a blank in the plan, but no state before a postcode. */
const LOT_IN_WORDS =
  /^(lot +)?(\d{1,5}[A-Z]?|[A-Z]{1,2}\d{0,3}) *[ /\\]+ *(on +)?(?!(VIC|NSW|QLD|SA|WA|TAS|NT|ACT) )[A-Z]{1,4} ?\d{2,}$/i;
const IN_WORDS = '^(?:lot +)?([A-Z0-9]+)[ /\\\\]+(?:on +)?([A-Z]{1,4}) ?([0-9]{2,})$';
/** A column that is named after lots on plan may hold several forms, also without the letters of the plan. */
const LOT_PLAN_COLUMN = /^(lot_?(on_?)?(plan|dp)|lot_?id_?string)/i;
const ANY_LOT_PLAN = new RegExp(
  `${LOT_ON_PLAN.source}|${PLAN_THEN_LOT.source}|^\\w{1,6}\\s*[/\\\\]+\\s*\\d{2,}$`,
  'i',
);

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
  states: readonly string[] = [],
): { column: string; field_map: Readonly<Record<string, unknown>> } | null {
  const holding = (pattern: RegExp): LayerColumn | undefined =>
    columns.find((column) => share(column, pattern) > 0.5 && column.values.size > filled(column) / 2);
  const idColumn = columns.find(
    ({ name, ...column }) => LOT_PLAN_COLUMN.test(name) && share({ name, ...column }, ANY_LOT_PLAN) > 0.5,
  );
  const lot = holding(LOT_ON_PLAN) ?? holding(PLAN_THEN_LOT) ?? idColumn ?? holding(LOT_IN_WORDS);
  if (lot === undefined) return null;
  // Victoria writes 1\PS1234, the others 1/DP1234.
  const separator = states.includes('VIC') ? '\\' : '/';
  const isPlanFirst = [...lot.values.keys()].some(
    (text) => !LOT_ON_PLAN.test(text) && PLAN_THEN_LOT.test(text),
  );
  // NSW and Victoria join lot and plan by a sign; a blank would be lost.
  const needsSign = states.some((state) => state === 'NSW' || state === 'VIC');
  const isInWords = [...lot.values.keys()].some(
    (text) => LOT_IN_WORDS.test(text) && (!LOT_ON_PLAN.test(text) || (needsSign && /\s/.test(text.trim()))),
  );
  const rules = [
    ...(isPlanFirst
      ? [{ match: '^([A-Z]{1,4}[0-9]{2,})[ /\\\\-]+([A-Z0-9]+)$', write: `$2${separator}$1` }]
      : []),
    ...(isInWords ? [{ match: IN_WORDS, write: `$1${separator}$2$3` }] : []),
  ];
  const patterns = rules.length === 0 ? {} : { patterns: rules };
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
  const keys = columns.filter((column) => isKey(column, looked));
  const names = [keys.filter((column) => !isRowNumber(column)), keys].map((some) =>
    some.map(({ name }) => name),
  );
  const id = names
    .flatMap((some) => IDS.map((pattern) => some.find((name) => pattern.test(name))))
    .find((name) => name !== undefined);
  const facts = FACTS.filter((pattern) => columns.some(({ name }) => pattern.test(name))).length;
  const needs = [isSmall, hint, facts > 0, facts > 1].filter(Boolean).length;
  return id === undefined || needs < 2 || !(hint || isSmall) ? null : { id, met: 1 + needs };
}

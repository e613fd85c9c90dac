import { inAustralia } from '../../schema/grid.ts';
import { namedArea, postcodeOf, stateOf } from '../fields/named_area.ts';
import type { Problem } from '../formats/feature.ts';
import { type ColumnPositions, cellAt, decimalNumber, wholeNumber } from '../formats/table/tabular.ts';
import type { SchoolField, SchoolFieldMap } from './field_maps.ts';
import { isSpecial, levelOf, MAX_GROUP, MAX_STATE_NUMBER, sectorOf, stateSchoolId } from './vocabulary.ts';

/** One row of a school list, in the fields of the record. */
export interface SchoolRow {
  readonly source_no: number;
  readonly school_id: number;
  /** Null: the school is its own head. */
  readonly head_id: number | null;
  /** Null: the list has no years. */
  readonly year: number | null;
  readonly name: string;
  readonly level: string | null;
  readonly sector: string | null;
  readonly is_special: boolean;
  /** True: the list has types and enrolments, but this school has neither, so it is closed. */
  readonly is_closed: boolean;
  readonly year_range: string | null;
  readonly state: string | null;
  readonly suburb: string | null;
  readonly postcode: string | null;
  readonly sa1: string | null;
  readonly icsea: number | null;
  readonly enrolments: number | null;
  /** GDA2020 degrees; null: no coordinates. */
  readonly lon: number | null;
  readonly lat: number | null;
}

/** Outcome of a row of a list: a row, a drop or a reject. */
export type SchoolOutcome = { readonly row: SchoolRow } | { readonly drop: string } | Problem;

/** Settings for all rows of a file. */
export interface SchoolContext {
  readonly map: SchoolFieldMap;
  readonly positions: ColumnPositions<SchoolField>;
  /** State of every row, if the list has no column of it. */
  readonly state: string | null;
  readonly toGda2020: (coords: Float64Array) => void;
}

const fail = (code: string, message: string): Problem => ({ code, message });
const quoted = (text: string): string => JSON.stringify(text.slice(0, 60));
const MAX_COUNT = 100_000;

/**
 * Reads one row. Blank numbers are unknown; an invalid number rejects the row, because its columns may have shifted. A reject has the
 * place that the row states.
 */
export function readSchoolRow(
  cells: readonly string[],
  line: number,
  context: SchoolContext,
  point: Float64Array,
): SchoolOutcome {
  const outcome = readRow(cells, line, context, point);
  if (!('code' in outcome)) return outcome;
  const { lon, lat } = context.positions;
  const schoolPoint = readPlace(cellAt(cells, lon), cellAt(cells, lat), 0, context.toGda2020, point);
  if ('code' in schoolPoint || schoolPoint.lon === null) return { ...outcome, area: areaOf(cells, context) };
  return { ...outcome, extent: [schoolPoint.lon, schoolPoint.lat!, schoolPoint.lon, schoolPoint.lat!] };
}

const areaOf = (cells: readonly string[], { positions, state }: SchoolContext) =>
  namedArea({
    state: cellAt(cells, positions.state) || (state ?? ''),
    postcode: cellAt(cells, positions.postcode),
    suburb: cellAt(cells, positions.suburb),
  });

function readRow(
  cells: readonly string[],
  line: number,
  context: SchoolContext,
  point: Float64Array,
): SchoolOutcome {
  const { map, positions } = context;
  const text = (field: SchoolField): string => cellAt(cells, positions[field]);
  const status = text('status');
  const isOpen = map.open.length === 0 || positions.status.length === 0 || has(map.open, status);
  if (!isOpen) return { drop: 'closed_school' };
  const state = stateOf(text('state')) ?? context.state;
  const identity = identify(text, map.ids, state);
  if ('code' in identity) return identity;
  const { id, number } = identity;
  const name = text('name');
  if (name === '') return fail('missing_value', `school ${id} has no name`);
  const figures = readFigures(text, id);
  if ('code' in figures) return figures;
  const schoolPoint = readPlace(text('lon'), text('lat'), id, context.toGda2020, point);
  if ('code' in schoolPoint) return schoolPoint;
  const sa1 = /^(\d{11})(\.0+)?$/.exec(text('sa1'))?.[1] ?? null;
  const row: SchoolRow = {
    source_no: line,
    school_id: id,
    ...figures,
    // A head is identified like its campuses: by an SML ID, or by a number within their group.
    head_id:
      figures.head_id === null || map.ids === 'acara' ? figures.head_id : figures.head_id + id - number,
    name,
    level: levelOf(text('level')),
    sector: map.sector ?? sectorOf(text('sector')),
    is_special: isSpecial(text('level'), text('special'), name),
    is_closed:
      positions.level.length > 0 &&
      positions.enrolments.length > 0 &&
      text('level') === '' &&
      figures.enrolments === null,
    year_range: text('year_range') || null,
    state,
    suburb: text('suburb') || null,
    postcode: postcodeOf(text('postcode')),
    sa1,
    ...schoolPoint,
  };
  return { row };
}

const has = (values: readonly string[], value: string): boolean =>
  values.some((each) => each.toLowerCase() === value.toLowerCase());

function identify(
  text: (field: SchoolField) => string,
  ids: 'acara' | 'state',
  state: string | null,
): { id: number; number: number } | Problem {
  const number = wholeNumber(text('school_id'));
  if (number === null) return fail('missing_key', 'the identifier of the school is blank');
  if (!(number > 0 && number <= MAX_STATE_NUMBER))
    return fail('bad_number', `identifier ${quoted(text('school_id'))} is no whole number`);
  if (ids === 'acara') return { id: number, number };
  const group = wholeNumber(text('group')) ?? 0;
  if (state === null) return fail('missing_value', `school ${number} has no state`);
  if (!(group >= 0 && group <= MAX_GROUP))
    return fail(
      'bad_number',
      `school ${number}: group ${quoted(text('group'))} is no number from 0 to ${MAX_GROUP}`,
    );
  return { id: stateSchoolId(state, group, number), number };
}

type SchoolFigures = Pick<SchoolRow, 'head_id' | 'year' | 'icsea' | 'enrolments'>;

function readFigures(text: (field: SchoolField) => string, id: number): SchoolFigures | Problem {
  const limits = { head_id: MAX_STATE_NUMBER, year: 2100, icsea: 2000, enrolments: MAX_COUNT } as const;
  const values = {} as Record<keyof SchoolFigures, number | null>;
  for (const field of Object.keys(limits) as (keyof SchoolFigures)[]) {
    const fieldText = text(field);
    // Workbooks round some figures to decimals; a dash or "NA" means null.
    const value = /^(-|n\/?a|null|\.\.)$/i.test(fieldText) ? null : decimalNumber(fieldText);
    if (Number.isNaN(value) || (value !== null && (value < 0 || value > limits[field])))
      return fail(
        'bad_number',
        `school ${id}: ${field} ${quoted(fieldText)} is no number from 0 to ${limits[field]}`,
      );
    values[field] = value === null ? null : Math.round(value);
  }
  return { ...values, head_id: values.head_id || null, icsea: values.icsea || null };
}

function readPlace(
  lon: string,
  lat: string,
  id: number,
  toGda2020: (coords: Float64Array) => void,
  point: Float64Array,
): Pick<SchoolRow, 'lon' | 'lat'> | Problem {
  if (lon === '' && lat === '') return { lon: null, lat: null };
  const [x, y] = [decimalNumber(lon) ?? Number.NaN, decimalNumber(lat) ?? Number.NaN];
  if (Number.isNaN(x) || Number.isNaN(y))
    return fail('bad_coordinate', `school ${id}: ${quoted(lon)}, ${quoted(lat)} are not two decimal numbers`);
  point[0] = x;
  point[1] = y;
  toGda2020(point);
  if (!inAustralia(point[0]!, point[1]!))
    return fail('outside_australia', `school ${id}: longitude ${x}, latitude ${y}`);
  return { lon: point[0]!, lat: point[1]! };
}

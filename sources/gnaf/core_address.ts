import { cellOf, NO_CELL } from '../../schema/grid.ts';
import type { AddressRecord } from '../../schema/records/address.ts';
import { formatLabel } from '../../transforms/address/label.ts';
import { normaliseLotPlan } from '../../transforms/address/lot_plan.ts';
import type { RowCursor } from '../formats/table/delimited.ts';
import type { RowTally } from '../tally.ts';
import type { CoreColumn, CoreSource } from './core.ts';
import { geocodeTypeCode } from './geocode_types.ts';
import { readPoint } from './point.ts';

const STATES = new Set(['ACT', 'NSW', 'NT', 'OT', 'QLD', 'SA', 'TAS', 'VIC', 'WA']);

/** Derives LEVEL_GEOCODED_CODE from the geocode type: the point is on the locality, the street, or the address itself. */
const levelOf = (geocodeType: string | null): number =>
  geocodeType === 'LOC' || geocodeType === null ? 4 : geocodeType === 'STL' ? 6 : 7;

/** Turns rows of G-NAF Core into addresses. */
export class CoreReader {
  readonly #at: Readonly<Partial<Record<CoreColumn, number>>>;
  readonly #source: CoreSource;
  readonly #toGda2020: (coords: Float64Array) => void;
  readonly #point = new Float64Array(2);
  readonly #pointColumns: { LONGITUDE: number; LATITUDE: number };

  constructor(source: CoreSource, toGda2020: (coords: Float64Array) => void) {
    this.#source = source;
    this.#toGda2020 = toGda2020;
    this.#at = Object.fromEntries(source.columns.map((name, i) => [name, i]));
    this.#pointColumns = { LONGITUDE: this.#at.LONGITUDE!, LATITUDE: this.#at.LATITUDE! };
  }

  /** Returns the field as text; null: empty, or the file has no such column. */
  text(rows: RowCursor, column: CoreColumn): string | null {
    const at = this.#at[column];
    return at === undefined ? null : rows.text(at);
  }

  /** Returns the address of a row; null: rejected, or dropped as `other_state`. `points` counts defects of points. */
  read(rows: RowCursor, tally: RowTally, points: RowTally): AddressRecord | null {
    const pid = this.text(rows, 'ADDRESS_DETAIL_PID');
    const state = this.text(rows, 'STATE');
    const locality = this.text(rows, 'LOCALITY_NAME')?.toUpperCase() ?? null;
    const reject = (code: string, message: string): null => {
      tally.reject(rows.line, code, message, { gnaf_pid: pid ?? undefined });
      return null;
    };
    if (pid === null || locality === null)
      return reject('missing_value', `${pid === null ? 'ADDRESS_DETAIL_PID' : 'LOCALITY_NAME'} is empty`);
    if (state === null || !STATES.has(state))
      return reject('bad_code', `${pid}: STATE "${state ?? ''}" is no state`);
    if (this.#source.states !== null && !this.#source.states.includes(state)) {
      tally.drop('other_state');
      return null;
    }
    const kind = this.text(rows, 'ALIAS_PRINCIPAL') ?? 'P';
    if (kind !== 'P' && kind !== 'A')
      return reject('bad_code', `${pid}: ALIAS_PRINCIPAL "${kind}" is neither P nor A`);
    const meshBlock = this.text(rows, 'MB_CODE');
    if (meshBlock !== null && !/^\d{11}$/.test(meshBlock))
      return reject('bad_mesh_block', `${pid}: MB_CODE "${meshBlock}" is not eleven digits`);
    return this.#address(rows, points, { pid, state, locality, kind, meshBlock });
  }

  #address(
    rows: RowCursor,
    points: RowTally,
    {
      pid,
      state,
      locality,
      kind,
      meshBlock,
    }: Record<'pid' | 'state' | 'locality' | 'kind', string> & { meshBlock: string | null },
  ): AddressRecord {
    const text = (column: CoreColumn): string | null => this.text(rows, column);
    const street = this.#street(rows);
    points.rows_in++;
    const hasPoint = readPoint(rows, this.#pointColumns, points, this.#toGda2020, this.#point);
    if (hasPoint) points.records++;
    const [lon, lat] = this.#point as unknown as [number, number];
    const legal_parcel_id = text('LEGAL_PARCEL_ID');
    const geocodeType = geocodeTypeCode(text('GEOCODE_TYPE'));
    return {
      load_id: 0,
      source_no: rows.line,
      cell: hasPoint ? cellOf(lon, lat) : NO_CELL,
      gnaf_pid: pid,
      state,
      label: this.#label(rows, state, locality, street.label),
      building_name: text('BUILDING_NAME'),
      lot_number: text('LOT_NUMBER'),
      flat_type: text('FLAT_TYPE'),
      flat_number: text('FLAT_NUMBER'),
      level_type: text('LEVEL_TYPE'),
      level_number: text('LEVEL_NUMBER'),
      number_first: text('NUMBER_FIRST'),
      number_last: text('NUMBER_LAST'),
      street_pid: street.label === null ? null : `${state}/${locality}/${street.label}`,
      street_name: street.name,
      street_type: street.type,
      street_suffix: street.suffix,
      locality_pid: `${state}/${locality}`,
      locality_name: locality,
      postcode: text('POSTCODE'),
      legal_parcel_id,
      lot_plan: normaliseLotPlan(state, legal_parcel_id),
      confidence: 0,
      alias_principal: kind,
      primary_secondary: text('PRIMARY_SECONDARY'),
      is_live: true,
      geocode_type: hasPoint ? geocodeType : null,
      geocode_level: levelOf(geocodeType),
      lon: hasPoint ? lon : null,
      lat: hasPoint ? lat : null,
      mesh_block: meshBlock,
      mesh_block_year: meshBlock === null ? null : this.#source.meshBlockYear,
    };
  }

  #street(rows: RowCursor) {
    const name = this.text(rows, 'STREET_NAME')?.toUpperCase() ?? null;
    const type = this.text(rows, 'STREET_TYPE');
    const suffix = this.text(rows, 'STREET_SUFFIX');
    const label = name === null ? null : [name, type, suffix].filter((part) => part !== null).join(' ');
    return { name, type, suffix, label };
  }

  /** Builds the label in the same format as for the whole G-NAF; an address without a street uses the published label. */
  #label(rows: RowCursor, state: string, locality: string, street: string | null): string {
    const text = (column: CoreColumn): string | null => this.text(rows, column);
    const published = text('ADDRESS_LABEL');
    if (street === null && published !== null) return published.toUpperCase();
    return formatLabel({
      level_type: text('LEVEL_TYPE'),
      level_number: text('LEVEL_NUMBER'),
      flat_type: text('FLAT_TYPE'),
      flat_number: text('FLAT_NUMBER'),
      building_name: text('BUILDING_NAME'),
      lot_number: text('LOT_NUMBER'),
      number_first: text('NUMBER_FIRST'),
      number_last: text('NUMBER_LAST'),
      street,
      location_description: null,
      locality_name: locality,
      state,
      postcode: text('POSTCODE'),
    });
  }
}

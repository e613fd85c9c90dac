import { type Bbox, cellOf, expandBbox, inAustralia, unionBox } from '../../../schema/grid.ts';
import type { StopRow, TransportMode } from '../../../schema/records/stop.ts';
import { tidyText, tooLong } from '../../fields/tidy_text.ts';
import type { Problem } from '../../formats/feature.ts';
import { decimalNumber } from '../../formats/table/tabular.ts';
import type { GtfsRow } from './gtfs_table.ts';
import { bitOf, modesOfBits } from './route_modes.ts';
import type { ServedStops } from './served_stops.ts';
import { isForSchoolsOnly, MODE_COLUMNS, statedModes } from './stated_modes.ts';

export const STOP_COLUMNS = ['stop_id', 'stop_lat', 'stop_lon'] as const;
export const STOP_OPTIONAL = ['stop_name', 'location_type', 'parent_station', ...MODE_COLUMNS] as const;
export type StopLine = GtfsRow<(typeof STOP_COLUMNS)[number] | (typeof STOP_OPTIONAL)[number]>;

/** Outcome of a row of stops.txt. */
export type StopFate =
  | { readonly rows: StopRow[] }
  /** Merged into its station. */
  | { readonly merged: true }
  | { readonly drop: string }
  | { readonly reject: Problem };

/** Modes whose platforms are merged into their station. */
const COLLAPSED = bitOf('train') | bitOf('ferry');
/** Drops of rows that are not stops, by location_type. */
const OTHER_KINDS: Readonly<Record<string, { readonly drop: string }>> = {
  2: { drop: 'entrance' },
  3: { drop: 'generic_node' },
  4: { drop: 'boarding_area' },
};

interface Station {
  name: string | null;
  /** Modes of the platforms merged into it. */
  bits: number;
  /** False: it has no platform in the feed. */
  hasPlatforms: boolean;
  /** Box around its point and its platforms' points. Null: none has coordinates. */
  box: Bbox | null;
}

/** Maximum distance of a platform without coordinates from its station, metres: an assumption. */
const PLATFORM_M = 500;

const isStop = (type: string): boolean => type === '' || type === '0';
const reject = (code: string, message: string): StopFate => ({ reject: { code, message } });

/**
 * Turns rows of stops.txt into stops, in two passes: `learn` sees every row, then `classifyStop` returns the outcome. A platform of trains
 * or ferries is merged into its parent station, whose name and location are shown; platforms of trams and buses stay stops. Nothing is
 * merged into a parent that is not a station of the feed or has no usable location. Label: the stop_name in its own feed, so a station in
 * several feeds is a row with its own label in each.
 */
export class Stops {
  readonly #stations = new Map<string, Station>();
  readonly #served: ServedStops;
  readonly #prefix: string;
  readonly #toGda2020: (coords: Float64Array) => void;
  readonly #takesSchoolBuses: boolean;

  /** `prefix` precedes the publisher's identifiers. */
  constructor(
    served: ServedStops,
    prefix: string,
    toGda2020: (coords: Float64Array) => void,
    takesSchoolBuses = false,
  ) {
    this.#takesSchoolBuses = takesSchoolBuses;
    this.#served = served;
    this.#prefix = prefix;
    this.#toGda2020 = toGda2020;
  }

  learn({ values }: StopLine): void {
    const { stop_id, location_type, parent_station } = values;
    const point = placeOf(values);
    if (location_type === '1') {
      if (stop_id === '' || point === null) return;
      const station = this.#station(stop_id);
      station.box = boxWith(station.box, point);
      station.name = tidyText(values.stop_name);
      station.bits |= this.#served.all ? 0 : this.#served.bitsOf(stop_id);
    } else if (isStop(location_type) && parent_station !== '' && parent_station !== stop_id) {
      const station = this.#station(parent_station);
      station.hasPlatforms = true;
      if (point !== null) station.box = boxWith(station.box, point);
      station.bits |= this.#served.bitsOf(stop_id) & COLLAPSED;
    }
  }

  /** Returns a station, created at its first mention. A station that never appears as a row has no name, so nothing is merged into it. */
  #station(id: string): Station {
    const knownStation = this.#stations.get(id);
    if (knownStation !== undefined) return knownStation;
    const station: Station = { name: null, bits: 0, hasPlatforms: false, box: null };
    this.#stations.set(id, station);
    return station;
  }

  /** Classifies a row. A reject has the box of its stop, unless its values may be in wrong columns. */
  classifyStop(row: StopLine): StopFate {
    if (row.problem !== null) return { reject: row.problem };
    const fate = this.#classify(row);
    return 'reject' in fate ? { reject: { ...fate.reject, extent: this.#extentOf(row.values) } } : fate;
  }

  /** Box of a rejected stop: its own point, else the surroundings of its station or platforms. Undefined: not known. */
  #extentOf(values: StopLine['values']): Bbox | undefined {
    const stopPoint = placeOf(values);
    if (stopPoint !== null) return this.#moved(boxWith(null, stopPoint));
    const id = values.location_type === '1' ? values.stop_id : values.parent_station;
    const box = this.#stations.get(id)?.box ?? null;
    return box === null ? undefined : this.surroundingsOf(box);
  }

  /** Returns the surroundings of a route for a row that states it and no stop. */
  surroundingsOf(box: Bbox): Bbox {
    return this.#moved(expandBbox(box, PLATFORM_M));
  }

  #moved(box: Bbox): Bbox {
    const corners = Float64Array.of(...box);
    this.#toGda2020(corners);
    return [corners[0]!, corners[1]!, corners[2]!, corners[3]!];
  }

  #classify({ values, line }: StopLine): StopFate {
    const { stop_id, location_type, parent_station } = values;
    const other = OTHER_KINDS[location_type];
    if (other !== undefined) return other;
    if (!isStop(location_type) && location_type !== '1')
      return reject('bad_code', `location_type "${location_type.slice(0, 40)}" is none of 0 to 4`);
    if (stop_id === '') return reject('missing_key', 'the stop has no stop_id');
    if (!this.#takesSchoolBuses && isForSchoolsOnly(values)) return { drop: 'school_bus' };
    const isStation = location_type === '1';
    const bits = isStation ? this.#stationBits(stop_id) : this.#served.bitsOf(stop_id);
    if (bits === 0) return this.#unserved(values);
    const parent = isStation ? undefined : this.#stations.get(parent_station);
    const ownModes = parent?.name == null ? bits : bits & ~COLLAPSED;
    if (ownModes === 0) return { merged: true };
    return this.#rows(values, line, ownModes, parent?.name ?? null);
  }

  /** Decides on a stop without a mode: unknown in a feed that only its stops state, unless its platforms decide. */
  #unserved(values: StopLine['values']): StopFate {
    const { stop_id, location_type } = values;
    if (!this.#served.all || (location_type === '1' && this.#stations.get(stop_id)?.hasPlatforms))
      return { drop: 'not_served' };
    if (this.#served.states(stop_id)) return { drop: 'other_mode' };
    const modes = statedModes(values).join(', ').slice(0, 40);
    return modes === ''
      ? reject('missing_value', 'the stop states no mode, and the feed has no stop_times')
      : reject('bad_code', `the modes of the stop, "${modes}", are not known`);
  }

  /** Returns the modes of a station. One without platforms, in a feed that does not state what it serves, counts as a stop. */
  #stationBits(id: string): number {
    const station = this.#stations.get(id);
    const bits = station?.bits ?? this.#served.bitsOf(id);
    return this.#served.all && station?.hasPlatforms === false ? this.#served.bitsOf(id) : bits;
  }

  #rows(values: StopLine['values'], line: number, bits: number, parentName: string | null): StopFate {
    const stopPoint = placeOf(values);
    if (stopPoint === null) {
      const coordinates = `stop_lat "${values.stop_lat.slice(0, 40)}", stop_lon "${values.stop_lon.slice(0, 40)}"`;
      const [lon, lat] = [decimalNumber(values.stop_lon), decimalNumber(values.stop_lat)];
      return lon === null || lat === null || Number.isNaN(lon) || Number.isNaN(lat)
        ? reject('bad_coordinate', `${coordinates}: not two decimal numbers`)
        : reject('outside_australia', coordinates);
    }
    const label = tidyText(values.stop_name) ?? parentName;
    if (label === null) return reject('missing_value', 'the stop has no stop_name');
    const long = tooLong({ identifier: values.stop_id, name: label });
    if (long !== null) return { reject: long };
    this.#toGda2020(stopPoint);
    const [lon, lat] = [stopPoint[0]!, stopPoint[1]!];
    const stop = {
      load_id: 0,
      source_no: line,
      cell: cellOf(lon, lat),
      source: this.#prefix.slice(0, -1),
      stop_id: this.#prefix + values.stop_id,
    };
    return { rows: modesOfBits(bits).map((mode: TransportMode) => ({ ...stop, mode, label, lon, lat })) };
  }
}

/** Extends a box by a point. */
function boxWith(box: Bbox | null, [lon, lat]: Float64Array): Bbox {
  const pointBox: Bbox = [lon!, lat!, lon!, lat!];
  return box === null ? pointBox : unionBox([box, pointBox]);
}

/** Returns longitude and latitude of a row; null: missing or outside Australia. */
function placeOf(values: StopLine['values']): Float64Array | null {
  const lon = decimalNumber(values.stop_lon) ?? Number.NaN;
  const lat = decimalNumber(values.stop_lat) ?? Number.NaN;
  return inAustralia(lon, lat) ? Float64Array.of(lon, lat) : null;
}

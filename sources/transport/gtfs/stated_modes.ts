import type { TransportMode } from '../../../schema/records/stop.ts';
import type { FeedFiles } from './feed_files.ts';
import { readGtfsTable } from './gtfs_table.ts';
import { bitOf, isSchoolService, modeOfRouteType } from './route_modes.ts';

/** Columns of stops.txt in which publishers state the modes of a stop, as words or route types. The first filled one counts. */
export const MODE_COLUMNS = [
  'supported_modes',
  'stop_modes',
  'transport_modes',
  'transport_mode',
  'modes',
  'mode',
  'route_types',
  'route_type',
  'vehicle_type',
] as const;
type ModeValues = Readonly<Record<(typeof MODE_COLUMNS)[number], string>>;

/** Words of modes; the first that matches counts. Null: a mode that is not served. */
const MODE_WORDS: readonly (readonly [words: RegExp, mode: TransportMode | null])[] = [
  [/\b(bus|coach|brt)/i, 'bus'],
  [/\b(tram|light\s?rail|streetcar)/i, 'tram'],
  [/\bferr(y|ies)\b/i, 'ferry'],
  [/\b(rail|train|metro|subway)/i, 'train'],
  [/\b(gondola|aerial|cable|funicular|air|taxi|demand)/i, null],
];

/** Returns the modes that a stop states, one text each. `Bus;School Bus` has two. */
export const statedModes = (values: ModeValues): string[] =>
  (MODE_COLUMNS.map((column) => values[column]).find((value) => value !== '') ?? '')
    .split(/[;,|/+&]|\band\b/)
    .map((mode) => mode.trim())
    .filter((mode) => mode !== '');

/** Returns true if only school services stop here. Perth states the modes of each stop: `Bus`, `Bus;School Bus`, `School Bus`. */
export function isForSchoolsOnly(values: ModeValues): boolean {
  const modes = statedModes(values);
  return modes.length > 0 && modes.every((mode) => isSchoolService([mode]));
}

/** Returns the bits of the stated modes; 0: modes that are not served. Undefined: none stated, or no known word. */
function statedBits(values: ModeValues): number | undefined {
  let bits: number | undefined;
  for (const text of statedModes(values)) {
    const mode = /^\d{1,4}$/.test(text)
      ? modeOfRouteType(Number(text))
      : MODE_WORDS.find(([words]) => words.test(text))?.[1];
    if (mode !== undefined) bits = (bits ?? 0) | (mode === null ? 0 : bitOf(mode));
  }
  return bits;
}

/** Reads the bits of the modes that stops state, by identifier. A stop that states none has the modes of its station. */
export async function readStatedModes(files: FeedFiles, signal?: AbortSignal): Promise<Map<string, number>> {
  const modes = new Map<string, number>();
  const children: [stop: string, station: string][] = [];
  const columns = ['parent_station', ...MODE_COLUMNS] as const;
  const rows = readGtfsTable(files.bytes('stops', signal), files.nameOf('stops'), ['stop_id'], columns);
  for await (const { values, problem } of rows) {
    if (problem !== null) continue;
    const bits = statedBits(values);
    if (bits !== undefined) modes.set(values.stop_id, bits);
    else if (values.parent_station !== '') children.push([values.stop_id, values.parent_station]);
  }
  for (const [stop, station] of children) {
    const bits = modes.get(station);
    if (bits !== undefined) modes.set(stop, bits);
  }
  return modes;
}

import type { StatePlace } from './geography/places.ts';
import { memberName, type StateTables } from './gnaf/release.ts';
import type { StateBuilder } from './state_builder.ts';
import type { Truth } from './truth.ts';

/** States that carry deliberately bad rows. */
const WITH_BAD_ROWS: ReadonlySet<string> = new Set(['NSW', 'VIC']);

/** Adds rows to G-NAF and the cadastre that must become rejects, and books them in the truth. Returns the rows added to ADDRESS_DETAIL. */
export function writeBadRows(
  place: StatePlace,
  tables: StateTables,
  builder: StateBuilder,
  truth: Truth,
): number {
  if (!WITH_BAD_ROWS.has(place.code)) return 0;
  builder.addBrokenParcels();
  const detail = tables.ADDRESS_DETAIL;
  const file = memberName(place.code, 'ADDRESS_DETAIL');
  const add = (row: string, code: string, what: string): void => {
    detail.line(row);
    truth.reject(file, detail.rows + 1, code, what);
  };
  const pid = (n: number): string => `${place.pid}${999_000_000 + n}`;
  const street = `${place.code}7000001`;
  add(`${pid(1)}|2004-04-29|2025-08-04|`, 'short_row', '4 columns of 35');
  add(
    row(pid(2), `${place.code}9999999`, locality(builder)),
    'unknown_street',
    'a street that is not in STREET_LOCALITY',
  );
  add(row(pid(3), street, 'loc000000000000'), 'unknown_locality', 'a locality that is not in LOCALITY');
  add(
    row(builder.addresses.pid(1), street, locality(builder)),
    'duplicate_key',
    'the PID of the first address again',
  );
  const geocodes = tables.ADDRESS_DEFAULT_GEOCODE;
  geocodes.line(`${place.digit}99000001|2004-04-29||${builder.addresses.pid(2)}|PC|0.00000000|0.00000000`);
  const geocodeFile = memberName(place.code, 'ADDRESS_DEFAULT_GEOCODE');
  truth.reject(
    geocodeFile,
    geocodes.rows + 1,
    'outside_australia',
    'a second geocode of an address at 0 degrees',
  );
  return 4;
}

const locality = (builder: StateBuilder): string => builder.firstLocality;

function row(pid: string, street: string, localityPid: string): string {
  return `${pid}|2004-04-29|2025-08-04|||||||||||||||999|||||${street}||${localityPid}|P|2999|||1|999000001|7|||`;
}

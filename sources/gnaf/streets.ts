import { streetAliasRecord, streetRecord } from '../../schema/records/address.ts';
import { formatStreet } from '../../transforms/address/label.ts';
import type { SourceBatch } from '../adapter.ts';
import type { Codes } from './codes.ts';
import { isRetired, lacksValue, readTable, type StateReader } from './part.ts';
import { TABLES } from './tables.ts';

/** The parts of a street that an address needs. */
export interface Street {
  name: string;
  type: string | null;
  /** Long form, such as NORTH. */
  suffix: string | null;
  /** Name, type and suffix together. */
  label: string;
}

/** Streets by STREET_LOCALITY_PID. */
export type StreetsByPid = Map<string, Street>;

/**
 * Emits the streets and fills `streets`. Their locality is not checked: near a border it may be in another state. Includes retired ones:
 * retired addresses, kept for matching, refer to them.
 */
export function readStreets(
  reader: StateReader,
  codes: Codes,
  streets: StreetsByPid,
): AsyncGenerator<SourceBatch> {
  const { names, at } = TABLES.STREET_LOCALITY;
  const input = { member: reader.source.tables.STREET_LOCALITY, columns: names, table: streetRecord };
  const required = [at.STREET_LOCALITY_PID, at.STREET_NAME, at.LOCALITY_PID, at.STREET_CLASS_CODE];
  return readTable(reader, input, (rows, tally) => {
    if (lacksValue(rows, tally, names, required)) return null;
    const pid = rows.text(at.STREET_LOCALITY_PID)!;
    const name = rows.text(at.STREET_NAME)!.toUpperCase();
    const type = codes.streetType(rows.text(at.STREET_TYPE_CODE));
    const suffixCode = rows.text(at.STREET_SUFFIX_CODE);
    const suffix = codes.streetSuffix(suffixCode);
    streets.set(pid, { name, type, suffix, label: formatStreet(name, type, suffix) });
    return {
      load_id: 0,
      source_no: rows.line,
      street_pid: pid,
      locality_pid: rows.text(at.LOCALITY_PID)!,
      name,
      type,
      suffix: suffixCode,
      class: rows.text(at.STREET_CLASS_CODE)!,
    };
  });
}

export function readStreetAliases(
  reader: StateReader,
  codes: Codes,
  streets: StreetsByPid,
): AsyncGenerator<SourceBatch> {
  const { names, at } = TABLES.STREET_LOCALITY_ALIAS;
  const input = {
    member: reader.source.tables.STREET_LOCALITY_ALIAS,
    columns: names,
    table: streetAliasRecord,
  };
  return readTable(reader, input, (rows, tally) => {
    if (isRetired(rows, tally, at.DATE_RETIRED)) return null;
    if (
      lacksValue(rows, tally, names, [at.STREET_LOCALITY_ALIAS_PID, at.STREET_LOCALITY_PID, at.STREET_NAME])
    )
      return null;
    const street = rows.text(at.STREET_LOCALITY_PID)!;
    if (!streets.has(street)) {
      tally.reject(rows.line, 'unknown_street', `STREET_LOCALITY_PID ${street} is not in STREET_LOCALITY`);
      return null;
    }
    return {
      load_id: 0,
      source_no: rows.line,
      alias_id: rows.text(at.STREET_LOCALITY_ALIAS_PID)!,
      street_pid: street,
      name: rows.text(at.STREET_NAME)!.toUpperCase(),
      type: codes.streetType(rows.text(at.STREET_TYPE_CODE)),
      suffix: rows.text(at.STREET_SUFFIX_CODE),
      alias_type: rows.text(at.ALIAS_TYPE_CODE),
    };
  });
}

import { addressAliasRecord, addressParentRecord } from '../../schema/records/address.ts';
import type { SourceBatch } from '../adapter.ts';
import { isRetired, lacksValue, readTable, type StateReader } from './part.ts';
import { TABLES } from './tables.ts';

/** Reads the links between alias and principal addresses. */
export function readAddressAliases(reader: StateReader): AsyncGenerator<SourceBatch> {
  const { names, at } = TABLES.ADDRESS_ALIAS;
  const input = { member: reader.source.tables.ADDRESS_ALIAS, columns: names, table: addressAliasRecord };
  return readTable(reader, input, (rows, tally) => {
    if (isRetired(rows, tally, at.DATE_RETIRED)) return null;
    if (lacksValue(rows, tally, names, [at.ALIAS_PID, at.PRINCIPAL_PID, at.ALIAS_TYPE_CODE])) return null;
    return {
      load_id: 0,
      source_no: rows.line,
      alias_pid: rows.text(at.ALIAS_PID)!,
      principal_pid: rows.text(at.PRINCIPAL_PID)!,
      alias_type: rows.text(at.ALIAS_TYPE_CODE)!,
    };
  });
}

/** Reads the links between units and the address of their building. */
export function readAddressParents(reader: StateReader): AsyncGenerator<SourceBatch> {
  const { names, at } = TABLES.PRIMARY_SECONDARY;
  const input = {
    member: reader.source.tables.PRIMARY_SECONDARY,
    columns: names,
    table: addressParentRecord,
  };
  return readTable(reader, input, (rows, tally) => {
    if (isRetired(rows, tally, at.DATE_RETIRED)) return null;
    if (lacksValue(rows, tally, names, [at.SECONDARY_PID, at.PRIMARY_PID])) return null;
    const joinType = rows.int2(at.PS_JOIN_TYPE_CODE);
    if (Number.isNaN(joinType)) {
      tally.reject(
        rows.line,
        'bad_number',
        `PS_JOIN_TYPE_CODE "${rows.text(at.PS_JOIN_TYPE_CODE)}" is not a whole number`,
      );
      return null;
    }
    return {
      load_id: 0,
      source_no: rows.line,
      secondary_pid: rows.text(at.SECONDARY_PID)!,
      primary_pid: rows.text(at.PRIMARY_PID)!,
      join_type: joinType,
    };
  });
}

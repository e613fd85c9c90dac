import type pg from 'pg';
import { recordTable } from '../../schema/records/index.ts';
import type { Table, UntypedRow } from '../../schema/table.ts';
import { adapterNamed } from '../../sources/index.ts';

/** A row of a source file, described so that a person can find it. */
export interface SourceRecord {
  /** Name of the record table without `_piece`: `address`, `parcel`, `zone`. */
  what: string;
  key: string;
  dataset: string;
  release: string;
  /** File, and line or feature in it. */
  place: string;
}

interface RecordAccount {
  file: string;
  table: string | null;
}

/** A record as its load has it. */
interface LoadedRecord {
  adapter: string;
  accounts: readonly RecordAccount[];
  table: string;
  part: string;
  source_no: number;
  /** Absent or null: the file of the table's account. */
  file?: string | null;
}

/** Returns a record's file and row, such as `line 13 of VIC_ADDRESS_DETAIL_psv.psv`. */
export function recordPlace({ adapter, accounts, table, part, source_no, file }: LoadedRecord): string {
  const from = file ?? accounts.find((account) => account.table === table)?.file ?? part;
  return `${adapterNamed(adapter).placeUnit} ${source_no} of ${from}`;
}

/** Reads the records of a table that meet a condition; `r` is the record. */
async function select(
  client: pg.ClientBase,
  table: string,
  where: string,
  values: readonly unknown[],
): Promise<SourceRecord[]> {
  const { columns, primaryKey } = recordTable(table);
  const key = primaryKey.filter((name) => name !== 'cell' && name !== 'file');
  const { rows } = await client.query(
    `SELECT DISTINCT l.dataset, l.release, l.part, l.adapter, l.accounts, r.source_no, ${'file' in columns ? 'r.file' : 'NULL::text AS file'},
       concat_ws(' ', ${key.map((name) => `r."${name}"`).join(', ')}) AS key
     FROM record."${table}" r JOIN control.load l USING (load_id) WHERE ${where} ORDER BY key, l.dataset, l.part, r.source_no LIMIT 50`,
    [...values],
  );
  return rows.map(({ dataset, release, part, adapter, accounts, source_no, file, key: text }) => ({
    what: table.replace(/_piece$/, ''),
    key: text,
    dataset,
    release,
    place: recordPlace({ adapter, accounts, table, part, source_no, file }),
  }));
}

/** Region level of a profile column, and the column with its code. */
const LEVELS: Readonly<Record<string, readonly [level: string, code: string]>> = {
  mesh_block: ['MB', 'mesh_block'],
  sa1: ['SA1', 'sa1'],
  sa2: ['SA2', 'sa2'],
  sa2_name: ['SA2', 'sa2'],
  sa3: ['SA3', 'sa3'],
  sa3_name: ['SA3', 'sa3'],
  sa4: ['SA4', 'sa4'],
  sa4_name: ['SA4', 'sa4'],
  gccsa: ['GCCSA', 'gccsa'],
  gccsa_name: ['GCCSA', 'gccsa'],
  lga: ['LGA', 'lga'],
  lga_name: ['LGA', 'lga'],
  sal_code: ['SAL', 'sal_code'],
  suburb: ['SAL', 'sal_code'],
  poa: ['POA', 'poa'],
};

const texts = (rows: readonly UntypedRow[], column: string): unknown[] =>
  rows.map((row) => row[column]).filter((value) => value !== null && value !== undefined);

const address = (client: pg.ClientBase, pid: string): Promise<SourceRecord[]> =>
  select(client, 'address', 'r.gnaf_pid = $1', [pid]);

/** Reads the reports of a property's sales and listings. For a column of the record, only reports with the served value. */
async function events(
  client: pg.ClientBase,
  pid: string,
  rows: readonly UntypedRow[],
  column: string,
): Promise<SourceRecord[]> {
  const eventIds = texts(rows, 'event_id');
  const { rows: keys } = await client.query<{ keys: string[] | null }>(
    `SELECT array_agg(k ORDER BY k) AS keys FROM serving.property_event e, unnest(e.event_keys) k
     WHERE gnaf_pid = $1 AND ($2::text[] IS NULL OR event_id = ANY ($2))`,
    [pid, eventIds.length > 0 ? eventIds : null],
  );
  const recordKeys = keys[0]!.keys ?? [];
  const type = recordTable('market_event').columns[column]?.type;
  const value = rows[0]?.[column] ?? null;
  if (type === undefined || eventIds.length > 0 || value === null)
    return select(client, 'market_event', 'r.event_key = ANY ($1)', [recordKeys]);
  return select(client, 'market_event', `r.event_key = ANY ($1) AND r."${column}"::text = $2`, [
    recordKeys,
    String(value),
  ]);
}

/** Reads the source records of a served column of a property; none if it is computed from many, such as a value or a count. */
export function sourceRecords(
  client: pg.ClientBase,
  { name }: Table,
  column: string,
  pid: string,
  rows: readonly UntypedRow[],
): Promise<SourceRecord[]> {
  const by = (table: string, key: string, from: string): Promise<SourceRecord[]> =>
    select(client, table, `r."${key}" = ANY ($1)`, [texts(rows, from)]);
  switch (name) {
    case 'property':
      return /^(parcel_(id|distance_m|method)|land_area)/.test(column)
        ? by('parcel', 'parcel_id', 'parcel_id')
        : address(client, pid);
    case 'property_profile': {
      const level = LEVELS[column];
      if (level === undefined) return address(client, pid);
      return select(client, 'region', 'r.level = $1 AND r.code = ANY ($2) AND r.edition = ANY ($3)', [
        level[0],
        texts(rows, level[1]),
        texts(rows, 'asgs_edition'),
      ]);
    }
    case 'property_neighbour':
      return by('parcel', 'parcel_id', 'neighbour_parcel_id');
    case 'property_zoning':
      return by('zone_piece', 'zone_id', 'zone_id');
    case 'property_overlay':
      return by('overlay_piece', 'overlay_id', 'overlay_id');
    case 'property_risk':
      return by('hazard_piece', 'feature_id', 'feature_id');
    case 'property_proximity':
      return column.startsWith('school') ? by('school', 'school_id', 'school_id') : Promise.resolve([]);
    case 'property_event':
    case 'property_basics':
    case 'sale':
    case 'listing':
      return events(client, pid, rows, column);
    default:
      return Promise.resolve([]);
  }
}

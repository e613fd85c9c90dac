import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';
import type { Reject } from '../../../schema/errors.ts';
import type { DatasetConfig, InputAccount } from '../../../sources/adapter.ts';
import { gnafAdapter } from '../../../sources/gnaf/adapter.ts';

/** Columns of the tables as released, in file order. */
const COLUMNS: Record<string, string> = {
  ADDRESS_DETAIL:
    'ADDRESS_DETAIL_PID|DATE_CREATED|DATE_LAST_MODIFIED|DATE_RETIRED|BUILDING_NAME|LOT_NUMBER_PREFIX|LOT_NUMBER|LOT_NUMBER_SUFFIX|FLAT_TYPE_CODE|FLAT_NUMBER_PREFIX|FLAT_NUMBER|FLAT_NUMBER_SUFFIX|LEVEL_TYPE_CODE|LEVEL_NUMBER_PREFIX|LEVEL_NUMBER|LEVEL_NUMBER_SUFFIX|NUMBER_FIRST_PREFIX|NUMBER_FIRST|NUMBER_FIRST_SUFFIX|NUMBER_LAST_PREFIX|NUMBER_LAST|NUMBER_LAST_SUFFIX|STREET_LOCALITY_PID|LOCATION_DESCRIPTION|LOCALITY_PID|ALIAS_PRINCIPAL|POSTCODE|PRIVATE_STREET|LEGAL_PARCEL_ID|CONFIDENCE|ADDRESS_SITE_PID|LEVEL_GEOCODED_CODE|PROPERTY_PID|GNAF_PROPERTY_PID|PRIMARY_SECONDARY',
  ADDRESS_DEFAULT_GEOCODE:
    'ADDRESS_DEFAULT_GEOCODE_PID|DATE_CREATED|DATE_RETIRED|ADDRESS_DETAIL_PID|GEOCODE_TYPE_CODE|LONGITUDE|LATITUDE',
  ADDRESS_SITE_GEOCODE:
    'ADDRESS_SITE_GEOCODE_PID|DATE_CREATED|DATE_RETIRED|ADDRESS_SITE_PID|GEOCODE_SITE_NAME|GEOCODE_SITE_DESCRIPTION|GEOCODE_TYPE_CODE|RELIABILITY_CODE|BOUNDARY_EXTENT|PLANIMETRIC_ACCURACY|ELEVATION|LONGITUDE|LATITUDE',
  ADDRESS_ALIAS:
    'ADDRESS_ALIAS_PID|DATE_CREATED|DATE_RETIRED|PRINCIPAL_PID|ALIAS_PID|ALIAS_TYPE_CODE|ALIAS_COMMENT',
  PRIMARY_SECONDARY:
    'PRIMARY_SECONDARY_PID|PRIMARY_PID|SECONDARY_PID|DATE_CREATED|DATE_RETIRED|PS_JOIN_TYPE_CODE|PS_JOIN_COMMENT',
  LOCALITY:
    'LOCALITY_PID|DATE_CREATED|DATE_RETIRED|LOCALITY_NAME|PRIMARY_POSTCODE|LOCALITY_CLASS_CODE|STATE_PID|GNAF_LOCALITY_PID|GNAF_RELIABILITY_CODE',
  LOCALITY_POINT:
    'LOCALITY_POINT_PID|DATE_CREATED|DATE_RETIRED|LOCALITY_PID|PLANIMETRIC_ACCURACY|LONGITUDE|LATITUDE',
  STREET_LOCALITY:
    'STREET_LOCALITY_PID|DATE_CREATED|DATE_RETIRED|STREET_CLASS_CODE|STREET_NAME|STREET_TYPE_CODE|STREET_SUFFIX_CODE|LOCALITY_PID|GNAF_STREET_PID|GNAF_STREET_CONFIDENCE|GNAF_RELIABILITY_CODE',
  STREET_LOCALITY_ALIAS:
    'STREET_LOCALITY_ALIAS_PID|DATE_CREATED|DATE_RETIRED|STREET_LOCALITY_PID|STREET_NAME|STREET_TYPE_CODE|STREET_SUFFIX_CODE|ALIAS_TYPE_CODE',
  LOCALITY_ALIAS:
    'LOCALITY_ALIAS_PID|DATE_CREATED|DATE_RETIRED|LOCALITY_PID|NAME|POSTCODE|ALIAS_TYPE_CODE|STATE_PID',
  LOCALITY_NEIGHBOUR: 'LOCALITY_NEIGHBOUR_PID|DATE_CREATED|DATE_RETIRED|LOCALITY_PID|NEIGHBOUR_LOCALITY_PID',
};

const columnsOf = (table: string): string[] => {
  const year = /_(\d{4})$/.exec(table)?.[1];
  const meshBlocks = table.startsWith('MB_')
    ? `MB_${year}_PID|DATE_CREATED|DATE_RETIRED|MB_${year}_CODE`
    : `ADDRESS_MESH_BLOCK_${year}_PID|DATE_CREATED|DATE_RETIRED|ADDRESS_DETAIL_PID|MB_MATCH_CODE|MB_${year}_PID`;
  return (COLUMNS[table] ?? meshBlocks).split('|');
};

export type Values = Record<string, string>;

/** A release of one state in memory: rows by table, columns left out are empty. */
export type Tables = Record<string, Values[]>;

/** PID of address `n`. */
export const pid = (n: number): string => `GAVIC4${String(n).padStart(8, '0')}`;

export const address = (n: number, values: Values = {}): Values => ({
  ADDRESS_DETAIL_PID: pid(n),
  NUMBER_FIRST: String(n),
  STREET_LOCALITY_PID: 'VIC1',
  LOCALITY_PID: 'loc1',
  ALIAS_PRINCIPAL: 'P',
  POSTCODE: '3121',
  CONFIDENCE: '2',
  ADDRESS_SITE_PID: String(1000 + n),
  LEVEL_GEOCODED_CODE: '7',
  ...values,
});

export const geocode = (n: number, values: Values = {}): Values => ({
  ADDRESS_DEFAULT_GEOCODE_PID: String(100 + n),
  DATE_CREATED: '2012-11-01',
  ADDRESS_DETAIL_PID: pid(n),
  GEOCODE_TYPE_CODE: 'FCS',
  LONGITUDE: '144.9631',
  LATITUDE: '-37.8136',
  ...values,
});

/** Three addresses in one street. */
export function tinyTables(): Tables {
  return {
    LOCALITY: [{ LOCALITY_PID: 'loc1', LOCALITY_NAME: 'RICHMOND', LOCALITY_CLASS_CODE: 'G' }],
    STREET_LOCALITY: [
      {
        STREET_LOCALITY_PID: 'VIC1',
        STREET_CLASS_CODE: 'C',
        STREET_NAME: 'SWAN',
        STREET_TYPE_CODE: 'STREET',
        STREET_SUFFIX_CODE: 'E',
        LOCALITY_PID: 'loc1',
      },
    ],
    ADDRESS_DETAIL: [address(1), address(2), address(3)],
    ADDRESS_DEFAULT_GEOCODE: [geocode(1), geocode(2), geocode(3)],
  };
}

/** Text of a table as released: CRLF, a header row, nothing quoted. */
export function psv(table: string, rows: readonly Values[], eol = '\r\n'): string {
  const columns = columnsOf(table);
  const lines = rows.map((row) => columns.map((column) => row[column] ?? '').join('|'));
  return `${[columns.join('|'), ...lines].join(eol)}${eol}`;
}

const FOLDER = 'G-NAF/G-NAF NOVEMBER 2025';

export const memberOf = (table: string, state = 'VIC', folder = FOLDER): string =>
  `${folder}/Standard/${state}_${table}_psv.psv`;

/** Members of a release by path. */
export function membersOf(tables: Tables, state = 'VIC', folder = FOLDER): Record<string, string> {
  return {
    [`${folder}/Authority Code/Authority_Code_FLAT_TYPE_AUT_psv.psv`]:
      'CODE|NAME|DESCRIPTION\r\nSE|SUITE|SUITE\r\n',
    [`${folder}/Authority Code/Authority_Code_LEVEL_TYPE_AUT_psv.psv`]:
      'CODE|NAME|DESCRIPTION\r\nL|LEVEL|LEVEL\r\n',
    [`${folder}/Authority Code/Authority_Code_STREET_SUFFIX_AUT_psv.psv`]:
      'CODE|NAME|DESCRIPTION\r\nE|EAST|EAST\r\n',
    [`${folder}/Authority Code/Authority_Code_STREET_TYPE_AUT_psv.psv`]:
      'CODE|NAME|DESCRIPTION\r\nSTREET|ST|ST\r\nNULL|NULL|NULL\r\n',
    ...Object.fromEntries(
      Object.entries(tables).map(([table, rows]) => [memberOf(table, state, folder), psv(table, rows)]),
    ),
  };
}

export async function writeZip(path: string, members: Record<string, string | Buffer>): Promise<void> {
  const zip = new yazl.ZipFile();
  for (const [name, content] of Object.entries(members))
    zip.addBuffer(Buffer.from(content), name, { mtime: new Date(0) });
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}

export const datasetOfFiles = (
  files: readonly string[],
  config: Partial<DatasetConfig> = {},
): DatasetConfig => ({
  id: 'gnaf',
  files: files.map((path) => ({ path, bytes: 0, sha256: '' })),
  release: null,
  crs: null,
  options: {},
  ...config,
});

export interface ReadResult {
  addresses: Record<string, unknown>[];
  rows: Record<string, Record<string, unknown>[]>;
  rejects: Reject[];
  accounts: InputAccount[];
  notes: string[];
}

/** Reads all parts of a dataset. */
export async function readDataset(dataset: DatasetConfig): Promise<ReadResult> {
  const { release, parts } = await gnafAdapter.discover(dataset);
  const result: ReadResult = {
    addresses: [],
    rows: {},
    rejects: [],
    accounts: [],
    notes: [...release.notes],
  };
  for (const part of parts) {
    for await (const batch of gnafAdapter.readPart(release, part, {})) {
      for (const { table, rows } of batch.records ?? []) {
        result.rows[table.name] ??= [];
        result.rows[table.name]!.push(...rows);
      }
      result.rejects.push(...(batch.rejects ?? []));
      result.accounts.push(...(batch.accounts ?? []));
      result.notes.push(...(batch.notes ?? []));
    }
  }
  result.addresses = result.rows.address ?? [];
  return result;
}

/** Account of a table. */
export const accountOf = (result: ReadResult, table: string): InputAccount | undefined =>
  result.accounts.find((account) => account.file.endsWith(`_${table}_psv.psv`));

/** A temporary folder in which releases are written and read. */
export class GnafFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  static async open(): Promise<GnafFolder> {
    return new GnafFolder(await mkdtemp(join(tmpdir(), 'fixture-gnaf-')));
  }

  async close(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }

  async zip(
    members: Record<string, string | Buffer>,
    name = 'g-naf_nov25_test_gda2020_psv.zip',
  ): Promise<string> {
    const path = join(this.path, name);
    await writeZip(path, members);
    return path;
  }

  /** Reads a release of these tables. */
  async read(tables: Tables, config: Partial<DatasetConfig> = {}): Promise<ReadResult> {
    return readDataset(datasetOfFiles([await this.zip(membersOf(tables))], config));
  }
}

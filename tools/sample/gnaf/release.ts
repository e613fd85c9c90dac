import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DelimitedWriter } from '../formats/delimited_writer.ts';
import { writeZip } from '../formats/zip_writer.ts';
import { AUTHORITY_TABLES } from './authority.ts';
import { GNAF_TABLES, type GnafTable } from './tables.ts';

/** Root of the release inside its zip, and the name of that zip. */
const ROOT = 'G-NAF/G-NAF NOVEMBER 2025';
export const GNAF_ZIP = 'g-naf_nov25_allstates_gda2020_psv_1020.zip';
export const CREATED = '2004-04-29';

/** Path of a state's table inside the zip. */
export const memberName = (state: string, table: GnafTable): string =>
  `${ROOT}/Standard/${state}_${table}_psv.psv`;

export type StateTables = Readonly<Record<GnafTable, DelimitedWriter>>;

/** Writes a G-NAF release: tables go to a scratch folder beside the zip, state by state, and are zipped at the end. */
export class GnafRelease {
  private readonly folder: string;
  private readonly scratch: string;
  private readonly members: { name: string; from: string }[] = [];

  constructor(folder: string) {
    this.folder = folder;
    this.scratch = join(folder, '.scratch');
    rmSync(this.scratch, { recursive: true, force: true });
    mkdirSync(this.scratch, { recursive: true });
    for (const [table, rows] of Object.entries(AUTHORITY_TABLES)) this.authority(table, rows);
  }

  /** Opens the tables of a state, each with its header and STATE with its row. */
  open(state: string, digit: string, name: string): StateTables {
    const tables = {} as Record<GnafTable, DelimitedWriter>;
    for (const [table, header] of Object.entries(GNAF_TABLES) as [GnafTable, string][]) {
      const from = join(this.scratch, `${state}_${table}`);
      tables[table] = new DelimitedWriter(from, header, '\r\n');
      this.members.push({ name: memberName(state, table), from });
    }
    tables.STATE.line(`${digit}|${CREATED}||${name.toUpperCase()}|${state}`);
    return tables;
  }

  /** Zips all tables, sorted by name, and removes the scratch folder. */
  async finish(): Promise<void> {
    this.members.sort((a, b) => (a.name < b.name ? -1 : 1));
    await writeZip(join(this.folder, GNAF_ZIP), this.members);
    rmSync(this.scratch, { recursive: true });
  }

  private authority(table: string, rows: readonly [string, string][]): void {
    const from = join(this.scratch, table);
    const lines = rows.map(([code, name]) => `${code}|${name}|${name}\r\n`);
    writeFileSync(from, `CODE|NAME|DESCRIPTION\r\n${lines.join('')}`);
    this.members.push({ name: `${ROOT}/Authority Code/Authority_Code_${table}_psv.psv`, from });
  }
}

/** Closes every table of a state. */
export function closeTables(tables: StateTables): void {
  for (const table of Object.values(tables)) table.close();
}

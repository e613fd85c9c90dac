import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CENSUS_LEVELS, type CensusLevel } from '../../../schema/records/census.ts';
import { DelimitedWriter } from '../formats/delimited_writer.ts';
import { writeZip } from '../formats/zip_writer.ts';
import type { Truth } from '../truth.ts';
import { CENSUS_COLUMNS, MEDIANS } from './columns.ts';
import type { People } from './people.ts';

/** Prefix that the codes of a level carry in a DataPack. */
const PREFIX: Readonly<Partial<Record<CensusLevel, string>>> = { SAL: 'SAL', LGA: 'LGA', POA: 'POA' };

export const CENSUS_ZIP = '2021_GCP_all_for_AUS_short-header.zip';
/** The level whose counts are not read by default. */
const UNCOUNTED: CensusLevel = 'SA1';

/** Path of a table inside the zip. */
const memberName = (file: string, level: CensusLevel): string =>
  `2021 Census GCP All Geographies for AUS/${level}/AUS/2021Census_${file}_AUST_${level}.csv`;

/** Columns of CENSUS_COLUMNS in one file. */
interface FileColumns {
  readonly file: string;
  readonly indexes: readonly number[];
}

const FILES: readonly FileColumns[] = [...new Set(CENSUS_COLUMNS.map(({ file }) => file))].map((file) => ({
  file,
  indexes: CENSUS_COLUMNS.flatMap((column, i) => (column.file === file ? [i] : [])),
}));

/** Columns of percentages, which are computed and not added up. */
const percentagesIn = (file: string): readonly string[] =>
  file === 'G43' ? ['Percent_Unem_loyment_P', 'Percnt_LabForc_prticipation_P'] : [];

/** Streams a DataPack: each region is a line in the tables of its level, which are zipped at the end. */
export class DataPackWriter {
  readonly #folder: string;
  readonly #scratch: string;
  readonly #truth: Truth;
  readonly #writers = new Map<string, DelimitedWriter>();
  /** Cells that are counts, and those of them that are 0, by account. */
  readonly #zeros = new Map<string, number>();
  #first = '';

  constructor(folder: string, truth: Truth) {
    this.#folder = folder;
    this.#scratch = join(folder, '.scratch');
    this.#truth = truth;
    rmSync(this.#scratch, { recursive: true, force: true });
    mkdirSync(this.#scratch, { recursive: true });
    for (const level of CENSUS_LEVELS) {
      const code = `${level}_CODE_2021`;
      this.#open('G02', level, [code, ...MEDIANS.map(([name]) => name)]);
      for (const { file, indexes } of FILES)
        this.#open(file, level, [
          code,
          ...indexes.map((i) => CENSUS_COLUMNS[i]!.name),
          ...percentagesIn(file),
        ]);
    }
  }

  region(level: CensusLevel, code: string, people: People): void {
    const given = `${PREFIX[level] ?? ''}${code}`;
    this.#first ||= level === 'SAL' ? given : '';
    this.#line('G02', level, [given, ...people.medians()]);
    for (const { file, indexes } of FILES) {
      const percentages = percentagesIn(file).length > 0 ? people.percentages() : [];
      this.#line(file, level, [given, ...indexes.map((i) => people.counts[i]!), ...percentages]);
      if (level === UNCOUNTED) continue;
      const zeros = indexes.filter((i) => CENSUS_COLUMNS[i]!.counted && people.counts[i] === 0).length;
      const account = `${this.#account(file, level)} (cells)`;
      this.#zeros.set(account, (this.#zeros.get(account) ?? 0) + zeros);
    }
    this.#truth.files.census.line(
      [
        level,
        code,
        people.persons,
        ...['R_ST_h_auth_Total', 'R_Com_Hp_Total', 'Total_Total', 'Ten_type_NS_Total'].map((name) =>
          people.count('G37', name),
        ),
        people.medians()[0],
      ].join(','),
    );
  }

  async finish(): Promise<void> {
    this.#addBadRows();
    for (const [account, zeros] of this.#zeros) if (zeros > 0) this.#truth.drop(account, 'zero_count', zeros);
    for (const writer of this.#writers.values()) writer.close();
    const members = [...this.#writers.keys()].sort().map((name) => ({ name, from: this.#path(name) }));
    await writeZip(join(this.#folder, CENSUS_ZIP), members);
    rmSync(this.#scratch, { recursive: true });
  }

  /** A line that is no region, one whose value is no number, and the first region again. */
  #addBadRows(): void {
    const table = this.#writers.get(memberName('G37', 'SAL'))!;
    const values = FILES.find(({ file }) => file === 'G37')!.indexes.map(() => 1);
    const account = this.#account('G37', 'SAL');
    table.line(['', ...values].join(','));
    this.#truth.reject(account, table.rows + 1, 'missing_key', 'a line without a code');
    table.line(['SAL99999', 'x', ...values.slice(1)].join(','));
    this.#truth.reject(account, table.rows + 1, 'bad_number', 'a count that is a letter');
    table.line([this.#first, ...values].join(','));
    this.#truth.drop(account, 'repeated_region');
  }

  #account(file: string, level: CensusLevel): string {
    return `census/${CENSUS_ZIP} › ${memberName(file, level)}`;
  }

  #path(name: string): string {
    return join(this.#scratch, name.slice(name.lastIndexOf('/') + 1));
  }

  #open(file: string, level: CensusLevel, columns: readonly string[]): void {
    const name = memberName(file, level);
    this.#writers.set(name, new DelimitedWriter(this.#path(name), columns.join(','), '\r\n'));
  }

  #line(file: string, level: CensusLevel, values: readonly (string | number)[]): void {
    this.#writers.get(memberName(file, level))!.line(values.join(','));
  }
}

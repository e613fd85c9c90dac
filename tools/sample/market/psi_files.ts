import { createWriteStream, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';
import { DelimitedWriter } from '../formats/delimited_writer.ts';
import { type Random, seededRandom } from '../random.ts';
import type { Truth } from '../truth.ts';
import { shortType } from './address_text.ts';
import { DAYS } from './calendar.ts';
import type { SampleHome } from './home.ts';

const MTIME = new Date(2025, 10, 17, 9, 0, 0);
/** The year whose weeks are delivered one by one. */
const CURRENT_YEAR = '2026';
/** One week in this many repeats a sale of it with a later download, as a correction. */
const CORRECTION_EVERY = 10;

/** One sale of the register. */
interface PsiSale {
  readonly home: SampleHome;
  readonly day: number;
  readonly price: number;
  /** District, a council code of three digits. */
  readonly district: string;
}

/**
 * Writes the NSW sales register: a zip for each year that holds zips of weeks that hold a file for each district, and zips of
 * weeks for the current year. A year is held at a time, while it is packed.
 */
export class PsiFiles {
  readonly #folder: string;
  readonly #random: Random;
  readonly #truth: Truth;
  readonly #years = new Map<string, DelimitedWriter>();
  #dealings = 0;

  constructor(folder: string, seed: number, truth: Truth) {
    this.#folder = folder;
    this.#random = seededRandom(seed, 'psi');
    this.#truth = truth;
  }

  /** Adds a sale and returns the identifier that the register gives it: dealing, property and strata lot. */
  sale({ home, day, price, district }: PsiSale): string {
    const dealing = `AS${String(++this.#dealings).padStart(6, '0')}`;
    const property = home.parcel.facts.serial;
    const { address } = home;
    const date = DAYS[day]!.replaceAll('-', '');
    const settled = DAYS[Math.min(day + 42, DAYS.length - 1)]!.replaceAll('-', '');
    const area = home.strata_lot > 0 ? ';' : `${home.land_area_sqm};M`;
    const street = [address.street, shortType(address.type, this.#random), address.suffix]
      .filter(Boolean)
      .join(' ');
    const strata = home.strata_lot > 0 ? String(home.strata_lot) : '';
    const { lot, plan } = home.parcel.facts;
    const legal = strata === '' ? `${lot}/${plan}` : `${strata}//SP ${plan}`;
    this.#writer(date.slice(0, 4)).line(
      [
        week(day),
        district,
        `${property}`,
        `;;${address.unit};${address.number};${street};${address.suburb};${address.postcode};${area};${date};${settled};${price};R2;R;;${strata};AAA;;0;${dealing};`,
        legal,
      ].join('|'),
    );
    return `${dealing}/${property}/${strata}`;
  }

  async finish(): Promise<void> {
    for (const year of [...this.#years.keys()].sort()) await this.#pack(year);
  }

  async #pack(year: string): Promise<void> {
    const writer = this.#years.get(year)!;
    writer.close();
    const path = join(this.#folder, workFile(year));
    const weeks = new Map<string, Map<string, string[][]>>();
    for (const line of readFileSync(path, 'utf8').split('\n').slice(1)) {
      if (line === '') continue;
      const [at, district, ...sale] = line.split('|') as [string, string, ...string[]];
      const districts = weeks.get(at) ?? new Map<string, string[][]>();
      weeks.set(at, districts);
      districts.set(district, [...(districts.get(district) ?? []), sale]);
    }
    rmSync(path);
    const outer = year === CURRENT_YEAR ? null : new yazl.ZipFile();
    for (const [index, at] of [...weeks.keys()].sort().entries()) {
      const zip = new yazl.ZipFile();
      const inside = year === CURRENT_YEAR ? `${at}.zip` : `${year}.zip › ${at}.zip`;
      for (const district of [...weeks.get(at)!.keys()].sort()) {
        const name = `${district}_SALES_DATA_NNME_${at.slice(6)}${at.slice(4, 6)}${at.slice(0, 4)}.DAT`;
        const { text, sales, repeated } = datOf(district, at, weeks.get(at)!.get(district)!, index);
        zip.addBuffer(Buffer.from(text, 'latin1'), name, {
          mtime: MTIME,
          compress: false,
          forceDosTimestamp: true,
        });
        const file = `nsw_psi/${inside} › ${name}`;
        this.#truth.count(file, sales + repeated);
        if (repeated > 0) this.#truth.drop(file, 'superseded', repeated);
      }
      zip.end();
      const bytes = await buffer(zip.outputStream);
      if (outer === null) await save(join(this.#folder, `${at}.zip`), bytes);
      else
        outer.addBuffer(bytes, `${at}.zip`, { mtime: MTIME, compressionLevel: 1, forceDosTimestamp: true });
    }
    if (outer === null) return;
    outer.end();
    await pipeline(outer.outputStream, createWriteStream(join(this.#folder, `${year}.zip`)));
  }

  #writer(year: string): DelimitedWriter {
    const known = this.#years.get(year);
    if (known !== undefined) return known;
    const writer = new DelimitedWriter(join(this.#folder, workFile(year)), 'work', '\n');
    this.#years.set(year, writer);
    return writer;
  }
}

const workFile = (year: string): string => `work_${year}.txt`;
const save = (path: string, bytes: Buffer): Promise<void> =>
  pipeline(async function* () {
    yield bytes;
  }, createWriteStream(path));

/** The day on which the week of a day is published, YYYYMMDD. */
const week = (day: number): string =>
  DAYS[Math.min(day - (day % 7) + 6, DAYS.length - 1)]!.replaceAll('-', '');

/** File of a district and week: A, then B, C and two D for each sale, then Z with the counts. */
function datOf(
  district: string,
  at: string,
  sales: readonly string[][],
  index: number,
): { text: string; sales: number; repeated: number } {
  const lines = [`A;RTSALEDATA;${district};${at} 01:00;VALNET;`];
  const repeated = index % CORRECTION_EVERY === 0 ? 1 : 0;
  const all = repeated > 0 ? [...sales, sales[0]!] : sales;
  for (const [i, [property, rest, legal]] of all.entries()) {
    const counter = i + 1;
    const time = `${at} ${i === sales.length ? '02' : '01'}:00`;
    lines.push(`B;${district};${property};${counter};${time}${rest}`);
    lines.push(`C;${district};${property};${counter};${time};${legal};`);
    for (const party of ['P', 'V']) lines.push(`D;${district};${property};${counter};${time};${party};;;;;;`);
  }
  const { length } = all;
  lines.push(`Z;${lines.length + 1};${length};${length};${2 * length};`);
  return { text: `${lines.join('\r\n')}\r\n`, sales: sales.length, repeated };
}

import { RowTally } from '../tally.ts';
import type { StateReader } from './part.ts';
import { pidRank, readPoint } from './point.ts';
import { TABLES } from './tables.ts';

/** Geocode types from best to worst; types that are not listed rank before the street and the locality. */
const BEST_TYPES = [
  'PAPS',
  'PAP',
  'FCS',
  'FC',
  'FDA',
  'DF',
  'PC',
  'PCM',
  'BAP',
  'BC',
  'BCM',
  'CDF',
  'UC',
  'UCM',
  'GG',
  'GM',
];
const WORST_TYPES = ['STL', 'LOC', 'UNK'];
const TYPE_RANK = new Map<string, number>([
  ...BEST_TYPES.map((type, i) => [type, i] as const),
  ...WORST_TYPES.map((type, i) => [type, 100 + i] as const),
]);

export interface SitePoint {
  lon: number;
  lat: number;
  type: string;
}

interface SiteGeocodeCandidate extends SitePoint {
  rank: number;
  pid: number;
  line: number;
}

/** Reader of ADDRESS_SITE_GEOCODE, which is used only if default geocodes are missing, once for each group of wanted sites. */
export class SiteGeocodes {
  readonly #reader: StateReader;
  #tally: RowTally | undefined;
  readonly #usedLines = new Set<number>();
  readonly #rejectedLines = new Set<number>();
  #rows = 0;

  constructor(reader: StateReader) {
    this.#reader = reader;
  }

  /** Finds the best live point of each wanted site: by type, then the lowest pid, then the first in the file. */
  async find(siteIds: ReadonlySet<string>): Promise<Map<string, SitePoint>> {
    const best = new Map<string, SiteGeocodeCandidate>();
    const member = this.#reader.source.tables.ADDRESS_SITE_GEOCODE;
    if (member === undefined) return best;
    const { names, at } = TABLES.ADDRESS_SITE_GEOCODE;
    const first = this.#tally === undefined;
    this.#tally ??= this.#reader.tally(member, null);
    const tally = this.#tally;
    const scratch = new RowTally(member.name, null);
    const point = new Float64Array(2);
    for await (const rows of this.#reader.rows(member, names, first ? tally.badLine : () => {})) {
      while (rows.next()) {
        if (first) this.#rows++;
        const site = rows.text(at.ADDRESS_SITE_PID);
        if (site === null || !siteIds.has(site) || !rows.isEmpty(at.DATE_RETIRED)) continue;
        const ok = readPoint(rows, at, scratch, this.#reader.toGda2020, point);
        for (const { code, message } of scratch.takeRejects()) this.#reject(code, rows.line, message);
        if (!ok) continue;
        const type = rows.text(at.GEOCODE_TYPE_CODE) ?? 'UNK';
        const rank = TYPE_RANK.get(type) ?? 99;
        const pid = rows.span(at.ADDRESS_SITE_GEOCODE_PID, pidRank);
        const bestSoFar = best.get(site);
        if (
          bestSoFar !== undefined &&
          (rank > bestSoFar.rank || (rank === bestSoFar.rank && pid >= bestSoFar.pid))
        )
          continue;
        best.set(site, { lon: point[0]!, lat: point[1]!, type, rank, pid, line: rows.line });
      }
    }
    for (const { line } of best.values()) this.#usedLines.add(line);
    return best;
  }

  #reject(code: string, line: number, message: string): void {
    if (this.#rejectedLines.has(line)) return;
    this.#rejectedLines.add(line);
    this.#tally!.reject(line, code, message);
  }

  /** Counts the rows that gave a point as records and the others as `unused`. */
  close(): void {
    if (this.#tally === undefined) return;
    this.#tally.rows_in += this.#rows;
    this.#tally.records += this.#usedLines.size;
    this.#tally.drop('unused', this.#rows - this.#usedLines.size - this.#rejectedLines.size);
  }
}

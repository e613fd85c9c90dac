import { join } from 'node:path';
import { type SampleSheet, writeWorkbook } from '../formats/workbook_writer.ts';

/** One region with its scores; null: excluded, because too few people live there. */
interface Scored {
  readonly code: string;
  readonly name: string;
  readonly state: string;
  readonly population: number;
  readonly scores: readonly [irsd: number, irsad: number, ier: number, ieo: number] | null;
}

/** People below which a region has no score. */
const LEAST_PEOPLE = 10;
const TITLES = [
  'Index of Relative Socio-economic Disadvantage',
  'Index of Relative Socio-economic Advantage and Disadvantage',
  'Index of Economic Resources',
  'Index of Education and Occupation',
] as const;
const COPYRIGHT = '© Commonwealth of Australia 2023';

type Cells = (string | number | null)[];

/** Gathers the scores of one level and writes its workbook of indexes as the ABS lays it out: about 100 bytes a region. */
export class SeifaWriter {
  readonly #regions: Scored[] = [];

  add(
    region: Omit<Scored, 'scores'>,
    wealth: number,
    noise: readonly [number, number, number, number],
  ): void {
    const score = (i: number): number => Math.round(1000 + 70 * wealth + 20 * noise[i]!);
    const scores =
      region.population < LEAST_PEOPLE ? null : ([score(0), score(1), score(2), score(3)] as const);
    this.#regions.push({ ...region, scores });
  }

  /** Percentile of the IRSAD in Australia by code; null: excluded. */
  irsadPercentiles(): Map<string, number | null> {
    const ranks = ranksOf(this.#regions.map(({ scores }) => scores?.[1] ?? null));
    return new Map(
      this.#regions.map(({ code }, i) => [code, ranks[i] === null ? null : ranks[i]!.percentile]),
    );
  }

  /** `indexes` are the detail sheets to write, from 0 for the IRSD. */
  async write(folder: string, file: string, codeTitle: string, indexes: readonly number[]): Promise<void> {
    const sheets: SampleSheet[] = [
      { name: 'Contents', rows: [['Australian Bureau of Statistics'], [file]] },
      { name: 'Table 1', rows: this.#summary(codeTitle) },
      ...indexes.map((index) => ({ name: `Table ${index + 2}`, rows: this.#detail(codeTitle, index) })),
      {
        name: 'Table 6',
        rows: [
          ['Table 6: Excluded areas'],
          [codeTitle, 'Usual Resident Population'],
          ...this.#regions
            .filter(({ scores }) => scores === null)
            .map(({ code, population }) => [Number(code), population]),
        ],
      },
    ];
    await writeWorkbook(join(folder, file), sheets);
  }

  #summary(codeTitle: string): Cells[] {
    const groups = TITLES.flatMap((title) => [title, null]);
    const header = TITLES.flatMap(() => ['Score', 'Decile']);
    const ranks = TITLES.map((_, i) => ranksOf(this.#regions.map(({ scores }) => scores?.[i] ?? null)));
    return [
      ['            Australian Bureau of Statistics'],
      ['Socio-Economic Indexes for Areas (SEIFA), 2021'],
      ['Released at 11.30am (Canberra time) 27 April 2023'],
      ['Table 1: Indexes, summary'],
      [null, null, ...groups, null],
      [codeTitle, 'Name', ...header, 'Usual Resident Population'],
      ...this.#regions.map(({ code, name, scores, population }, row) => [
        Number(code),
        name,
        ...TITLES.flatMap((_, i) => [scores?.[i] ?? '-', ranks[i]![row]?.decile ?? '-']),
        population,
      ]),
      [],
      [COPYRIGHT],
    ];
  }

  #detail(codeTitle: string, index: number): Cells[] {
    const all = ranksOf(this.#regions.map(({ scores }) => scores?.[index] ?? null));
    const inState = this.#stateRanks(index);
    const rows = this.#regions.flatMap(({ code, name, state, population, scores }, row) => {
      const [rank, local] = [all[row], inState[row]];
      if (scores === null || rank == null || local == null) return [];
      const national = [rank.rank, rank.decile, rank.percentile];
      return [
        [
          Number(code),
          name,
          population,
          scores[index]!,
          null,
          ...national,
          null,
          state,
          ...[local.rank, local.decile, local.percentile],
        ],
      ];
    });
    const measures = ['Rank', 'Decile', 'Percentile'];
    return [
      ['            Australian Bureau of Statistics'],
      ['Socio-Economic Indexes for Areas (SEIFA), 2021'],
      ['Released at 11.30am (Canberra time) 27 April 2023'],
      [`Table ${index + 2}: ${TITLES[index]}`],
      [
        null,
        null,
        null,
        null,
        null,
        'Ranking within Australia',
        null,
        null,
        null,
        null,
        'Ranking within State or Territory',
      ],
      [
        codeTitle,
        'Name',
        'Usual Resident Population',
        'Score',
        null,
        ...measures,
        null,
        'State',
        ...measures,
      ],
      ...rows,
      [],
      [COPYRIGHT],
    ];
  }

  #stateRanks(index: number): (Rank | null)[] {
    const ranks = new Array<Rank | null>(this.#regions.length).fill(null);
    for (const state of new Set(this.#regions.map((region) => region.state))) {
      const own = this.#regions.flatMap((region, row) => (region.state === state ? [row] : []));
      ranksOf(own.map((row) => this.#regions[row]!.scores?.[index] ?? null)).forEach((rank, i) => {
        ranks[own[i]!] = rank;
      });
    }
    return ranks;
  }
}

interface Rank {
  readonly rank: number;
  readonly decile: number;
  readonly percentile: number;
}

/** Places by ascending score, the first of equal ones first. */
function ranksOf(scores: readonly (number | null)[]): (Rank | null)[] {
  const order = scores.flatMap((score, i) => (score === null ? [] : [i]));
  order.sort((a, b) => scores[a]! - scores[b]! || a - b);
  const ranks = new Array<Rank | null>(scores.length).fill(null);
  order.forEach((row, place) => {
    const share = place / order.length;
    ranks[row] = {
      rank: place + 1,
      decile: Math.floor(share * 10) + 1,
      percentile: Math.floor(share * 100) + 1,
    };
  });
  return ranks;
}

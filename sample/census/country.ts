import { join } from 'node:path';
import type { SuburbMeshBlocks } from '../asgs/mesh_blocks.ts';
import type { SuburbRegions } from '../asgs/regions.ts';
import type { Block } from '../geography/lot.ts';
import type { StatePlace } from '../geography/places.ts';
import { type Random, seededRandom } from '../random.ts';
import type { Truth } from '../truth.ts';
import { People } from './people.ts';
import { SeifaWriter } from './seifa.ts';
import { DataPackWriter } from './writer.ts';

/** Share of SA1s that are public housing estates. */
const ESTATES = 0.08;

/** What is known of an SA2 until the last of its suburbs is there. */
interface Sa2 {
  readonly name: string;
  readonly state: string;
  readonly people: People;
  readonly wealth: number;
}

/** Counts the people of the sample suburb by suburb. Memory grows with SA2s and by a score for each SA1, not with properties. */
export class CensusWriter {
  readonly #folder: string;
  readonly #seed: number;
  readonly #truth: Truth;
  readonly #pack: DataPackWriter;
  readonly #sa2s = new Map<string, Sa2>();
  readonly #sa1Scores = new SeifaWriter();

  constructor(out: string, seed: number, truth: Truth) {
    this.#folder = out;
    this.#seed = seed;
    this.#truth = truth;
    this.#pack = new DataPackWriter(join(out, 'census'), truth);
  }

  /** Counts a suburb by the homes in each of its SA1s: these, its SAL, and its share of its SA2. */
  suburb(place: StatePlace, { chain, sal }: SuburbRegions, homes: ReadonlyMap<string, number>): void {
    const random = seededRandom(this.#seed, `census ${sal.code}`);
    const wealth = 1.6 * (random.next() + random.next() - 1);
    const suburb = new People();
    for (const [sa1, count] of homes) suburb.add(this.#sa1(place, sa1, count, wealth, random));
    this.#pack.region('SAL', sal.code, suburb);
    const { code, name } = chain.sa2;
    const sa2 = this.#sa2s.get(code) ?? { name, state: place.code, people: new People(), wealth };
    sa2.people.add(suburb);
    this.#sa2s.set(code, sa2);
  }

  async finish(): Promise<void> {
    const sa2Scores = new SeifaWriter();
    for (const [code, { name, state, people, wealth }] of this.#sa2s) {
      this.#pack.region('SA2', code, people);
      const random = seededRandom(this.#seed, `seifa ${code}`);
      sa2Scores.add({ code, name, state, population: people.persons }, wealth, noiseOf(random));
    }
    await this.#pack.finish();
    const folder = join(this.#folder, 'seifa');
    const sa1Title = '2021 Statistical Area Level 1 (SA1)';
    const sa2Title = '2021 Statistical Area Level 2 (SA2) 9-Digit Code';
    const [sa1File, sa2File] = [1, 2].map((n) => `Statistical Area Level ${n} Indexes SEIFA 2021.xlsx`);
    await this.#sa1Scores.write(folder, sa1File!, sa1Title, [1]);
    await sa2Scores.write(folder, sa2File!, sa2Title, [0, 1, 2, 3]);
    this.#addTruth('SA1', sa1File!, this.#sa1Scores, [1, 3]);
    this.#addTruth('SA2', sa2File!, sa2Scores, [1, 2, 3, 4, 5]);
  }

  #sa1(place: StatePlace, code: string, homes: number, wealth: number, random: Random): People {
    const isEstate = random.chance(ESTATES);
    const people = People.of(homes, isEstate ? wealth - 1 : wealth, isEstate, random);
    this.#pack.region('SA1', code, people);
    const region = { code, name: code, state: place.code, population: people.persons };
    this.#sa1Scores.add(region, isEstate ? wealth - 1 : wealth, noiseOf(random));
    return people;
  }

  #addTruth(level: string, file: string, scores: SeifaWriter, tables: readonly number[]): void {
    for (const [code, percentile] of scores.irsadPercentiles())
      this.#truth.files.seifa.line(`${level},${code},${percentile ?? ''}`);
    for (const table of tables) this.#truth.drop(`seifa/${file} › Table ${table}`, 'footnote');
  }
}

const noiseOf = (random: Random): [number, number, number, number] => {
  const noise = (): number => 2 * random.next() - 1;
  return [noise(), noise(), noise(), noise()];
};

/** Homes in each SA1 of a suburb. */
export function homesBySa1(blocks: readonly Block[], meshBlocks: SuburbMeshBlocks): Map<string, number> {
  const homes = new Map<string, number>();
  for (const { col, row, lots } of blocks) {
    const { sa1 } = meshBlocks.of(col, row);
    const count = lots.reduce((sum, lot) => sum + homesOn(lot), 0);
    homes.set(sa1, (homes.get(sa1) ?? 0) + count);
  }
  return homes;
}

/** Homes on a lot: its units, or one. */
function homesOn({ kind, street, units }: Block['lots'][number]): number {
  if (street < 0 || kind === 'school' || kind === 'reserve' || kind === 'factory' || kind === 'road')
    return 0;
  return Math.max(1, units);
}

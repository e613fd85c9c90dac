import { join } from 'node:path';
import type { CensusLevel } from '../../../schema/records/census.ts';
import type { Parent } from '../asgs/fields.ts';
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

/** What is known of a region until the last of its suburbs is there. */
interface Counted {
  readonly level: CensusLevel;
  readonly code: string;
  readonly name: string;
  readonly state: string;
  readonly people: People;
  /** Sum over its suburbs of wealth by persons. */
  wealthPersons: number;
}

/** A workbook of indexes: what its file and its codes are called, and the detail sheets that are written. */
interface Workbook {
  readonly file: string;
  readonly codeTitle: string;
  readonly indexes: readonly number[];
}

/** Levels at which the ABS publishes indexes; an SA3 has none. */
const WORKBOOKS = {
  SA1: {
    file: 'Statistical Area Level 1 Indexes SEIFA 2021.xlsx',
    codeTitle: '2021 Statistical Area Level 1 (SA1)',
    indexes: [1],
  },
  SA2: {
    file: 'Statistical Area Level 2 Indexes SEIFA 2021.xlsx',
    codeTitle: '2021 Statistical Area Level 2 (SA2) 9-Digit Code',
    indexes: [0, 1, 2, 3],
  },
  SAL: {
    file: 'Suburbs and Localities Indexes SEIFA 2021.xlsx',
    codeTitle: '2021 Suburbs and Localities (SAL) Code',
    indexes: [1],
  },
  LGA: {
    file: 'Local Government Area Indexes SEIFA 2021.xlsx',
    codeTitle: '2021 Local Government Area (LGA) Code',
    indexes: [1],
  },
  POA: {
    file: 'Postal Area Indexes SEIFA 2021.xlsx',
    codeTitle: '2021 Postal Area (POA) Code',
    indexes: [1],
  },
} as const satisfies Partial<Record<CensusLevel, Workbook>>;
type ScoredLevel = keyof typeof WORKBOOKS;

/** Counts the people of the sample suburb by suburb. Memory grows with regions and by a score for each SA1, not with properties. */
export class CensusWriter {
  readonly #folder: string;
  readonly #seed: number;
  readonly #truth: Truth;
  readonly #pack: DataPackWriter;
  /** Regions above the suburbs by level and code. */
  readonly #above = new Map<string, Counted>();
  readonly #scores: Readonly<Record<ScoredLevel, SeifaWriter>> = {
    SA1: new SeifaWriter(),
    SA2: new SeifaWriter(),
    SAL: new SeifaWriter(),
    LGA: new SeifaWriter(),
    POA: new SeifaWriter(),
  };

  constructor(out: string, seed: number, truth: Truth) {
    this.#folder = out;
    this.#seed = seed;
    this.#truth = truth;
    this.#pack = new DataPackWriter(join(out, 'census'), truth);
  }

  /** Counts a suburb by the homes in each of its SA1s: these, its SAL, and its share of every region above it. */
  suburb(place: StatePlace, regions: SuburbRegions, homes: ReadonlyMap<string, number>): void {
    const { sal, chain, lga, poa } = regions;
    const random = seededRandom(this.#seed, `census ${sal.code}`);
    const wealth = 1.6 * (random.next() + random.next() - 1);
    const suburb = new People();
    for (const [sa1, count] of homes) suburb.add(this.#sa1(place, sa1, count, wealth, random));
    this.#region({
      level: 'SAL',
      ...sal,
      state: place.code,
      people: suburb,
      wealthPersons: wealth * suburb.persons,
    });
    this.#add('SA2', chain.sa2, place.code, suburb, wealth);
    this.#add('SA3', chain.sa3, place.code, suburb, wealth);
    this.#add('SA4', chain.sa4, place.code, suburb, wealth);
    this.#add('GCCSA', chain.gccsa, place.code, suburb, wealth);
    this.#add('LGA', lga, place.code, suburb, wealth);
    this.#add('POA', { code: poa, name: poa }, place.code, suburb, wealth);
    this.#add('STE', chain.ste, place.code, suburb, wealth);
    this.#add('AUS', { code: 'AUS', name: 'Australia' }, place.code, suburb, wealth);
  }

  async finish(): Promise<void> {
    for (const region of this.#above.values()) this.#region(region);
    await this.#pack.finish();
    for (const level of Object.keys(WORKBOOKS) as ScoredLevel[]) await this.#workbook(level);
  }

  /** Adds a suburb to a region above it. */
  #add(level: CensusLevel, { code, name }: Parent, state: string, suburb: People, wealth: number): void {
    const key = `${level} ${code}`;
    const known = this.#above.get(key) ?? {
      level,
      code,
      name,
      state,
      people: new People(),
      wealthPersons: 0,
    };
    known.people.add(suburb);
    known.wealthPersons += wealth * suburb.persons;
    this.#above.set(key, known);
  }

  /** Writes the counts of a region, and its score where its level has one. */
  #region({ level, code, name, state, people, wealthPersons }: Counted): void {
    this.#pack.region(level, code, people);
    if (!(level in WORKBOOKS)) return;
    const noise = noiseOf(seededRandom(this.#seed, `seifa ${level} ${code}`));
    const { persons: population } = people;
    const wealth = wealthPersons / Math.max(1, population);
    this.#scores[level as ScoredLevel].add({ code, name, state, population }, wealth, noise);
  }

  #sa1(place: StatePlace, code: string, homes: number, wealth: number, random: Random): People {
    const isEstate = random.chance(ESTATES);
    const own = isEstate ? wealth - 1 : wealth;
    const people = People.of(homes, own, isEstate, random);
    this.#region({
      level: 'SA1',
      code,
      name: code,
      state: place.code,
      people,
      wealthPersons: own * people.persons,
    });
    return people;
  }

  async #workbook(level: ScoredLevel): Promise<void> {
    const { file, codeTitle, indexes } = WORKBOOKS[level];
    const scores = this.#scores[level];
    await scores.write(join(this.#folder, 'seifa'), file, codeTitle, indexes);
    for (const [code, percentile] of scores.irsadPercentiles())
      this.#truth.files.seifa.line(`${level},${code},${percentile ?? ''}`);
    for (const table of [1, ...indexes.map((index) => index + 2)])
      this.#truth.drop(`seifa/${file} › Table ${table}`, 'footnote');
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

import { join } from 'node:path';
import type { SuburbMeshBlocks } from '../asgs/mesh_blocks.ts';
import type { SuburbRegions } from '../asgs/regions.ts';
import { DelimitedWriter } from '../formats/delimited_writer.ts';
import { writeWorkbook } from '../formats/workbook_writer.ts';
import type { Frame } from '../geography/frame.ts';
import type { Block } from '../geography/lot.ts';
import type { StatePlace } from '../geography/places.ts';
import type { SuburbLand } from '../geography/suburb.ts';
import { seededRandom } from '../random.ts';
import type { Truth } from '../truth.ts';
import {
  LOCATION_COLUMNS,
  locationRow,
  PROFILE_COLUMNS,
  PROFILE_YEARS,
  profileRow,
  type SampleSchool,
} from './layout.ts';

const LOCATION_FILE = 'School Location 2025.xlsx';
const LOCATION_SHEET = 'SchoolLocations 2025';
const PROFILE_FILE = 'School Profile 2025.xlsx';
const PROFILE_SHEET = 'SchoolProfile 2023-2025';
const MEASURES_FILE = 'school_measures.csv';
const FIRST_ID = 40_001;
const LEVELS = ['Primary', 'Primary', 'Secondary', 'Primary', 'Combined'] as const;
const SECTORS = ['Government', 'Government', 'Catholic', 'Government', 'Independent'] as const;
/** Every so many schools one is special, has a second campus, or is listed without coordinates. */
const SPECIAL_EVERY = 9;
const CAMPUS_EVERY = 7;
const NO_POINT_EVERY = 31;

/** Gathers the schools of the country, about one a suburb, and writes ACARA's workbooks and an operator's file of measures. */
export class SchoolsWriter {
  readonly #folder: string;
  readonly #seed: number;
  readonly #truth: Truth;
  readonly #schools: SampleSchool[] = [];
  readonly #measures: string[] = [];

  constructor(out: string, seed: number, truth: Truth) {
    this.#folder = join(out, 'schools');
    this.#seed = seed;
    this.#truth = truth;
  }

  /** A school on each school block of a suburb; every other suburb without one has a school in its last block. */
  suburb(
    place: StatePlace,
    k: number,
    frame: Frame,
    land: SuburbLand,
    regions: SuburbRegions,
    meshBlocks: SuburbMeshBlocks,
    name: string,
  ): void {
    const own = land.blocks.filter(({ use }) => use === 'school');
    const blocks = own.length > 0 || k % 2 === 1 ? own : land.blocks.slice(-1);
    blocks.forEach((block, i) => {
      const serial = this.#schools.length;
      this.#add(place, block, frame, regions, meshBlocks, `${name}${i === 0 ? '' : ` ${i + 1}`}`);
      // The second campus lies in the next block and states its head.
      const next = land.blocks[(land.blocks.indexOf(block) + 1) % land.blocks.length]!;
      if (serial % CAMPUS_EVERY === 3)
        this.#add(place, next, frame, regions, meshBlocks, `${name} Annexe`, this.#schools[serial]!);
    });
  }

  async finish(): Promise<void> {
    const heads = new Set(
      this.#schools.filter((school) => school.head_id !== school.school_id).map(({ head_id }) => head_id),
    );
    const locations = this.#schools.map((school) => locationRow(school, heads));
    const profiles = PROFILE_YEARS.flatMap((year) =>
      this.#schools
        .filter(({ school_id, head_id }) => school_id === head_id)
        .map((school) => profileRow(school, year, heads)),
    );
    this.#addBadRows(locations, profiles, heads);
    const dictionary = [
      ['Column', 'Meaning'],
      ['ACARA SML ID', 'Identifier of the school'],
    ];
    await writeWorkbook(join(this.#folder, LOCATION_FILE), [
      { name: 'DataDictionary', rows: dictionary },
      { name: LOCATION_SHEET, rows: [LOCATION_COLUMNS, ...locations] },
    ]);
    await writeWorkbook(join(this.#folder, PROFILE_FILE), [
      { name: 'DataDictionary', rows: dictionary },
      { name: PROFILE_SHEET, rows: [PROFILE_COLUMNS, ...profiles] },
    ]);
    this.#writeMeasures();
  }

  #add(
    place: StatePlace,
    block: Block,
    frame: Frame,
    { chain, poa }: SuburbRegions,
    meshBlocks: SuburbMeshBlocks,
    name: string,
    head?: SampleSchool,
  ): void {
    const serial = this.#schools.length;
    const school_id = FIRST_ID + serial;
    const random = seededRandom(this.#seed, `school ${school_id}`);
    const level = head?.level ?? LEVELS[serial % LEVELS.length]!;
    const sector = head?.sector ?? SECTORS[Math.floor(serial / 2) % SECTORS.length]!;
    const is_special = head?.is_special ?? serial % SPECIAL_EVERY === 5;
    const { code: meshBlock, sa1 } = meshBlocks.of(block.col, block.row);
    const [x, y] = block.lots[0]!.anchor;
    const degrees = (value: number): number => Number(value.toFixed(6));
    const school: SampleSchool = {
      school_id,
      head_id: head?.school_id ?? school_id,
      name: `${name} ${is_special ? 'Special' : level} ${level === 'Combined' ? 'College' : 'School'}`,
      level,
      sector,
      is_special,
      state: place.code,
      suburb: name.replace(/ (\d+|Annexe)$/, ''),
      postcode: poa,
      meshBlock,
      sa1,
      sa2: chain.sa2,
      point: serial % NO_POINT_EVERY === 17 ? null : [degrees(frame.lon(x, y)), degrees(frame.lat(x, y))],
      icsea: 850 + random.int(300),
      enrolments: 120 + random.int(900),
    };
    this.#schools.push(school);
    this.#book(school, random.next());
  }

  /** The truth of a school, and its line of measures where it is a head. */
  #book(school: SampleSchool, luck: number): void {
    const isHead = school.school_id === school.head_id;
    const attendance = (82 + 14 * luck).toFixed(1);
    const naplan = (430 + 0.15 * (school.icsea - 850) + 90 * luck).toFixed(1);
    if (isHead) {
      for (const year of PROFILE_YEARS)
        this.#measures.push(
          [school.school_id, year, attendance, year === 2023 ? '' : naplan, school.icsea].join(','),
        );
    }
    this.#truth.files.schools.line(
      [
        school.school_id,
        school.head_id,
        school.name,
        school.is_special && school.level === 'Special' ? 'Special' : school.level,
        school.sector,
        school.is_special,
        school.state,
        school.suburb,
        school.postcode,
        school.sa1,
        school.point?.[0] ?? '',
        school.point?.[1] ?? '',
        isHead ? school.icsea : '',
        isHead ? school.enrolments : '',
        isHead ? Number(attendance) : '',
        isHead ? Number(naplan) : '',
      ].join(','),
    );
  }

  /** A school listed twice, one at the equator, and one that closed after the first year of the profile. */
  #addBadRows(
    locations: (string | number | null)[][],
    profiles: (string | number | null)[][],
    heads: ReadonlySet<number>,
  ): void {
    const [first] = this.#schools;
    if (first === undefined) return;
    const locationFile = `schools/${LOCATION_FILE} › ${LOCATION_SHEET}`;
    const profileFile = `schools/${PROFILE_FILE} › ${PROFILE_SHEET}`;
    locations.push(locationRow(first, heads));
    this.#truth.drop(locationFile, 'duplicate_school');
    locations.push(locationRow({ ...first, school_id: 49_998, head_id: 49_998, point: [0, 0] }, heads));
    this.#truth.reject(locationFile, locations.length + 1, 'outside_australia', 'a school at 0 degrees');
    profiles.push(profileRow({ ...first, school_id: 49_999, head_id: 49_999 }, PROFILE_YEARS[0], heads));
    this.#truth.drop(profileFile, 'closed_school');
    const schools = this.#schools.filter(({ school_id, head_id }) => school_id === head_id).length;
    this.#truth.drop(profileFile, 'other_year', schools * (PROFILE_YEARS.length - 1));
  }

  #writeMeasures(): void {
    const writer = new DelimitedWriter(
      join(this.#folder, MEASURES_FILE),
      'acara_id,year,attendance_rate,naplan_mean,icsea',
      '\n',
    );
    for (const line of this.#measures) writer.line(line);
    writer.line('49999,2025,,,');
    this.#truth.drop(`schools/${MEASURES_FILE}`, 'no_measure');
    writer.line('49998,2025,135.5,,');
    this.#truth.reject(
      `schools/${MEASURES_FILE}`,
      writer.rows + 1,
      'bad_number',
      'an attendance above 100 per cent',
    );
    writer.close();
  }
}

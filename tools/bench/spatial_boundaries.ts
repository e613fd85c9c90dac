import type { Chain, Level, Parent } from '../sample/asgs/fields.ts';
import { AsgsWriter } from '../sample/asgs/writer.ts';
import type { BlockRange, Lattice } from './spatial_lattice.ts';

/** Size of a region of each level in blocks, west to east and south to north; a block has 20 parcels. */
const SIZE = {
  MB: [1, 2],
  SA1: [2, 4],
  SA2: [10, 16],
  SA3: [20, 32],
  SAL: [5, 12],
  LGA: [25, 40],
  POA: [10, 20],
} as const satisfies Partial<Record<Level, readonly [number, number]>>;
type Sized = keyof typeof SIZE;

const STE: Parent = { code: '2', name: 'Victoria' };
const GCCSA: Parent = { code: '2GMEL', name: 'Greater Melbourne' };
const SA4: Parent = { code: '206', name: 'Melbourne - Inner' };
/** Names of land uses by their share of mesh blocks. */
const MB_CATEGORIES = ['Residential', 'Residential', 'Residential', 'Residential', 'Parkland', 'Commercial'];

const padded = (n: number, digits: number): string => String(n).padStart(digits, '0');

/** The ABS regions of a synthetic city, from mesh block to state: each tiles it, along the middle of roads. */
export class Boundaries {
  readonly #lattice: Lattice;

  constructor(lattice: Lattice) {
    this.#lattice = lattice;
  }

  /** Code of the mesh block at a point. */
  meshBlockAt(lon: number, lat: number): string {
    const [x, y] = this.#lattice.blockAt(lon, lat);
    return this.#codeAt('MB', x, y);
  }

  /** Codes of all regions of a level. */
  codesOf(level: Sized): string[] {
    const [width, height] = SIZE[level];
    const { columns, rows } = this.#lattice;
    const codes: string[] = [];
    for (let y = 0; y < rows; y += height)
      for (let x = 0; x < columns; x += width) codes.push(this.#codeAt(level, x, y));
    return codes;
  }

  /** Writes the ABS boundary files of all levels into a folder that is there. */
  write(folder: string): void {
    const files = new AsgsWriter(folder);
    const { columns, rows } = this.#lattice;
    for (const level of Object.keys(SIZE) as Sized[]) {
      const [width, height] = SIZE[level];
      for (let y = 0; y * height < rows; y++) {
        for (let x = 0; x * width < columns; x++) this.#region(files, level, x * width, y * height);
      }
    }
    const whole: BlockRange = { x0: 0, y0: 0, x1: columns, y1: rows };
    const above = { gccsa: GCCSA, ste: STE };
    for (const [level, own, chain] of [
      ['SA4', SA4, above],
      ['GCCSA', GCCSA, { ste: STE }],
      ['STE', STE, {}],
    ] as const) {
      const { shape, area_sqkm } = this.#lattice.area(whole);
      files.write({ ...shape, holes: 0 }, { level, ...own, area_sqkm, chain });
    }
    files.close();
  }

  #region(files: AsgsWriter, level: Sized, x: number, y: number): void {
    const [width, height] = SIZE[level];
    const { shape, area_sqkm } = this.#lattice.area(
      this.#lattice.clipped(x / width, y / height, width, height),
    );
    const code = this.#codeAt(level, x, y);
    const named = (of: 'SA2' | 'SA3'): Parent => {
      const parent = this.#codeAt(of, x, y);
      return { code: parent, name: `${of === 'SA2' ? 'Area' : 'District'} ${parent}` };
    };
    const chain: Chain = { sa2: named('SA2'), sa3: named('SA3'), sa4: SA4, gccsa: GCCSA, ste: STE };
    const name = level === 'SA2' ? chain.sa2.name : level === 'SA3' ? chain.sa3.name : `${level} ${code}`;
    files.write(
      { ...shape, holes: 0 },
      {
        level,
        code,
        name: level === 'POA' ? code : name,
        area_sqkm,
        chain,
        sa1: this.#codeAt('SA1', x, y),
        category: MB_CATEGORIES[(x + 3 * y) % MB_CATEGORIES.length]!,
      },
    );
  }

  /** Code of the region of a level that a block lies in; those of SA1 to SA3 begin with the code above. */
  #codeAt(level: Sized, x: number, y: number): string {
    const [width, height] = SIZE[level];
    const { columns } = this.#lattice;
    const number = Math.floor(y / height) * Math.ceil(columns / width) + Math.floor(x / width);
    const within = (parent: Sized): number => {
      const [across, up] = [SIZE[parent][0] / width, SIZE[parent][1] / height];
      return (Math.floor(y / height) % up) * across + (Math.floor(x / width) % across);
    };
    switch (level) {
      case 'MB':
        return `2${padded(number * 10, 10)}`;
      case 'SA1':
        return this.#codeAt('SA2', x, y) + padded(within('SA2') + 1, 2);
      case 'SA2':
        return this.#codeAt('SA3', x, y) + String(1001 + within('SA3'));
      case 'SA3':
        return SA4.code + padded(number + 1, 2);
      case 'SAL':
        return `2${padded(number + 1, 4)}`;
      case 'LGA':
        return `2${padded((number + 1) * 10, 4)}`;
      case 'POA':
        return String(3000 + number);
    }
  }
}

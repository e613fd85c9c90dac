import type { Rings } from '../formats/shapefile_writer.ts';
import type { Frame } from '../geography/frame.ts';
import { CAPITAL_TILES, type Site, type TileSize, tileCorner } from '../geography/layout.ts';
import type { StatePlace } from '../geography/places.ts';
import { districtRing, ruralOutline } from '../geography/rural.ts';
import { densify, rectangle, type Shape, shapeArea, simple, toDegrees } from '../geography/shape.ts';
import type { Chain, Level, Parent } from './fields.ts';
import type { AsgsWriter } from './writer.ts';

/** The regions that a suburb belongs to. */
export interface SuburbRegions {
  readonly chain: Chain;
  readonly sal: Parent;
  readonly lga: Parent;
  readonly poa: string;
}

/** Capital-region edges carry a vertex this often, so that they follow the plane of the capital. */
const EDGE_M = 4_000;
const CODE_BASE = { SA2: 1000, LGA: 100 } as const;

interface Pending {
  readonly level: Level;
  readonly own: Parent;
  readonly frame: Frame;
  readonly shape: Shape;
  readonly chain: Partial<Chain>;
}

/** Gives out the ABS codes of one state, and writes its regions above the suburb when the state is finished. */
export class StateRegions {
  private readonly state: StatePlace;
  private readonly size: TileSize;
  private readonly pending = new Map<string, Pending>();
  private readonly counters = new Map<string, number>();

  constructor(state: StatePlace, size: TileSize) {
    this.state = state;
    this.size = size;
  }

  /** Regions of a suburb tile; the regions above it are made on first use. */
  suburb(site: Site, frame: Frame, name: string, salName: string): SuburbRegions {
    const { i, j, town } = site;
    const group = (across: number, up: number): [string, Shape] => {
      const [gi, gj] = [Math.floor(i / across), Math.floor(j / up)];
      if (town >= 0 && across > 2) return [`town ${town}`, simple(districtRing())];
      const [x0, y0] = tileCorner(this.size, gi * across, gj * up);
      const [x1, y1] = tileCorner(this.size, (gi + 1) * across, (gj + 1) * up);
      return [`${town}/${gi}/${gj}`, simple(densify(rectangle(x0, y0, x1, y1), EDGE_M))];
    };
    return this.regions(frame, town, name, salName, group(2, 1), group(4, 4), group(8, 8), group(4, 2));
  }

  /** Regions of the rural land around a town. */
  rural(town: number, frame: Frame, name: string): SuburbRegions {
    const district: [string, Shape] = [`town ${town}`, simple(districtRing())];
    return this.regions(
      frame,
      town,
      name,
      name,
      [`rural ${town}`, ruralOutline(this.size)],
      district,
      district,
      district,
    );
  }

  /** Next code of a numbering, for example the mesh blocks of the state. */
  next(numbering: string): number {
    const n = (this.counters.get(numbering) ?? 0) + 1;
    this.counters.set(numbering, n);
    return n;
  }

  /**
   * Writes the regions above the suburbs. The state and its capital region cover the land of the sample alone (capital
   * and country districts), not the whole state: empty land would only cost time.
   */
  finish(writer: AsgsWriter, capital: Frame, districts: readonly Frame[]): void {
    for (const { level, own, frame, shape, chain } of this.pending.values()) {
      const area_sqkm = (shapeArea(shape) * frame.areaScale(0, 0)) / 1e6;
      writer.write(toDegrees(frame, shape), { level, code: own.code, name: own.name, area_sqkm, chain });
    }
    const { gccsa, digit, name } = this.state;
    const chain = { ste: { code: digit, name } };
    const inner = { frame: capital, shape: simple(capitalRing(this.size)) };
    const outer = districts.map((frame) => ({ frame, shape: simple(districtRing()) }));
    const region = (level: Level, [code, label]: readonly [string, string], lands: readonly Land[]): void =>
      writer.write(together(lands), { level, code, name: label, area_sqkm: sum(lands), chain });
    region('GCCSA', gccsa.capital, [inner]);
    if (gccsa.rest !== null && outer.length > 0) region('GCCSA', gccsa.rest, outer);
    region('STE', [digit, name], [inner, ...outer]);
  }

  private regions(
    frame: Frame,
    town: number,
    name: string,
    salName: string,
    sa2Area: [string, Shape],
    sa3Area: [string, Shape],
    sa4Area: [string, Shape],
    poaArea: [string, Shape],
  ): SuburbRegions {
    const { digit, name: stateName, gccsa: names, postcode } = this.state;
    const [gccCode, gccName] = town < 0 || names.rest === null ? names.capital : names.rest;
    const ste = { code: digit, name: stateName };
    const gccsa = { code: gccCode, name: gccName };
    const sa4 = this.region('SA4', frame, sa4Area, { gccsa, ste }, () => ({
      code: digit + two(this.next('SA4')),
      name: `${name} Region`,
    }));
    const sa3 = this.region('SA3', frame, sa3Area, { sa4, gccsa, ste }, () => ({
      code: sa4.code + two(this.next(`SA3 ${sa4.code}`)),
      name: `${name} District`,
    }));
    const sa2 = this.region('SA2', frame, sa2Area, { sa3, sa4, gccsa, ste }, () => ({
      code: sa3.code + String(CODE_BASE.SA2 + this.next(`SA2 ${sa3.code}`)),
      name,
    }));
    const lga = this.region('LGA', frame, sa3Area, { ste }, () => ({
      code: digit + String(10 * (CODE_BASE.LGA + this.next('LGA'))),
      name: lgaName(digit, name),
    }));
    const poa = this.region('POA', frame, poaArea, {}, () => {
      const code = String(postcode + this.next('POA') - 1).padStart(4, '0');
      return { code, name: code };
    });
    const sal = { code: digit + String(this.next('SAL')).padStart(4, '0'), name: salName };
    return { chain: { sa2, sa3, sa4, gccsa, ste }, sal, lga, poa: poa.code };
  }

  private region(
    level: Level,
    frame: Frame,
    [key, shape]: [string, Shape],
    chain: Partial<Chain>,
    make: () => Parent,
  ): Parent {
    const known = this.pending.get(`${level} ${key}`);
    if (known) return known.own;
    const own = make();
    this.pending.set(`${level} ${key}`, { level, own, frame, shape, chain });
    return own;
  }
}

const two = (n: number): string => String(n).padStart(2, '0');

/** One name outside ASCII shows that the .cpg matters. */
const lgaName = (digit: string, name: string): string =>
  digit === '4' ? `Waṉpi ${name}` : `${name} Council`;

function capitalRing(size: TileSize): number[] {
  const [x0, y0] = tileCorner(size, -CAPITAL_TILES, -CAPITAL_TILES);
  const [x1, y1] = tileCorner(size, CAPITAL_TILES, CAPITAL_TILES);
  return densify(rectangle(x0, y0, x1, y1), EDGE_M);
}

/** A shape in the plane of its town. */
interface Land {
  readonly frame: Frame;
  readonly shape: Shape;
}

/** Several lands as one multipolygon, in degrees. */
function together(lands: readonly Land[]): Rings {
  const all = lands.map(({ frame, shape }) => toDegrees(frame, shape));
  let before = 0;
  const ringEnds = all.flatMap((rings) => {
    const ends = rings.ringEnds.map((end) => before + end);
    before = ends.at(-1)!;
    return ends;
  });
  return { coords: Float64Array.from(all.flatMap(({ coords }) => [...coords])), ringEnds, holes: 0 };
}

const sum = (lands: readonly Land[]): number =>
  lands.reduce((total, { frame, shape }) => total + (shapeArea(shape) * frame.areaScale(0, 0)) / 1e6, 0);

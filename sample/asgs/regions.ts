import type { Rings } from '../formats/shapefile_writer.ts';
import { Frame, metresPerDegree } from '../geography/frame.ts';
import { CAPITAL_TILES, type Site, type TileSize, tileCorner } from '../geography/layout.ts';
import { STATE_BORDERS, type StatePlace } from '../geography/places.ts';
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
const CODE_BASE = { SA2: 1000, LGA: 100, SAL: 0 } as const;

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
    return this.regions(frame, town, name, name, [`rural ${town}`, ruralOutline(this.size)], district, district, district);
  }

  /** Next code of a numbering, for example the mesh blocks of the state. */
  next(numbering: string): number {
    const n = (this.counters.get(numbering) ?? 0) + 1;
    this.counters.set(numbering, n);
    return n;
  }

  /** Writes the regions of the state, its capital region and the state itself. */
  finish(writer: AsgsWriter, capital: Frame, actHole: Rings | null): void {
    for (const { level, own, frame, shape, chain } of this.pending.values()) {
      const area_sqkm = (shapeArea(shape) * frame.areaScale(0, 0)) / 1e6;
      writer.write(toDegrees(frame, shape), { level, code: own.code, name: own.name, area_sqkm, chain });
    }
    const { gccsa, digit, name, code } = this.state;
    const ste = { code: digit, name };
    const capitalRings = toDegrees(capital, simple(capitalRing(this.size)));
    const region = (level: Level, own: readonly [string, string], shape: Rings): void =>
      writer.write(shape, { level, code: own[0], name: own[1], area_sqkm: areaOf(shape), chain: { ste } });
    region('GCCSA', gccsa.capital, capitalRings);
    if (code === 'ACT') {
      region('STE', [digit, name], capitalRings);
      return;
    }
    const border = closed(STATE_BORDERS[code]);
    const holes = actHole === null ? [] : [actHole];
    if (gccsa.rest !== null) region('GCCSA', gccsa.rest, withHoles(border, [capitalRings, ...holes]));
    region('STE', [digit, name], withHoles(border, holes));
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
      code: digit + two(this.next('SA4')), name: `${name} Region`,
    }));
    const sa3 = this.region('SA3', frame, sa3Area, { sa4, gccsa, ste }, () => ({
      code: sa4.code + two(this.next(`SA3 ${sa4.code}`)), name: `${name} District`,
    }));
    const sa2 = this.region('SA2', frame, sa2Area, { sa3, sa4, gccsa, ste }, () => ({
      code: sa3.code + String(CODE_BASE.SA2 + this.next(`SA2 ${sa3.code}`)), name,
    }));
    const lga = this.region('LGA', frame, sa3Area, { ste }, () => ({
      code: digit + String(CODE_BASE.LGA + this.next('LGA')).padStart(3, '0') + '0', name: lgaName(digit, name),
    }));
    const poa = this.region('POA', frame, poaArea, {}, () => {
      const code = String(postcode + this.next('POA') - 1).padStart(4, '0');
      return { code, name: code };
    });
    const sal = { code: digit + String(this.next('SAL')).padStart(4, '0'), name: salName };
    return { chain: { sa2, sa3, sa4, gccsa, ste }, sal, lga, poa: poa.code };
  }

  private region(level: Level, frame: Frame, [key, shape]: [string, Shape], chain: Partial<Chain>, make: () => Parent): Parent {
    const known = this.pending.get(`${level} ${key}`);
    if (known) return known.own;
    const own = make();
    this.pending.set(`${level} ${key}`, { level, own, frame, shape, chain });
    return own;
  }
}

const two = (n: number): string => String(n).padStart(2, '0');

/** One name outside ASCII shows that the .cpg matters. */
const lgaName = (digit: string, name: string): string => (digit === '4' ? `Waṉpi ${name}` : `${name} Council`);

function capitalRing(size: TileSize): number[] {
  const [x0, y0] = tileCorner(size, -CAPITAL_TILES, -CAPITAL_TILES);
  const [x1, y1] = tileCorner(size, CAPITAL_TILES, CAPITAL_TILES);
  return densify(rectangle(x0, y0, x1, y1), EDGE_M);
}

/** The ACT as a ring, the hole of New South Wales. */
export const capitalRegion = (frame: Frame, size: TileSize): Rings => toDegrees(frame, simple(capitalRing(size)));

function closed(border: readonly number[]): Rings {
  const coords = Float64Array.from([...border, border[0]!, border[1]!]);
  return { coords, ringEnds: [coords.length / 2], holes: 0 };
}

function withHoles(shell: Rings, holes: readonly Rings[]): Rings {
  const coords = Float64Array.from([shell, ...holes].flatMap((rings) => [...rings.coords]));
  let end = 0;
  const ringEnds = [shell, ...holes].map((rings) => {
    end += rings.coords.length / 2;
    return end;
  });
  return { coords, ringEnds, holes: holes.length };
}

/** Rough area in square kilometres, as published in AREASQKM21: by trapezia, each at its own latitude. */
function areaOf({ coords, ringEnds, holes }: Rings): number {
  let total = 0;
  let from = 0;
  ringEnds.forEach((to, ring) => {
    let sum = 0;
    for (let i = from; i < to - 1; i++) {
      const [lon0, lat0, lon1, lat1] = [coords[2 * i]!, coords[2 * i + 1]!, coords[2 * i + 2]!, coords[2 * i + 3]!];
      const scale = metresPerDegree((lat0 + lat1) / 4);
      sum += (lon1 - lon0) * scale.lon * ((lat0 + lat1) / 2) * scale.lat;
    }
    total += ring < ringEnds.length - holes ? Math.abs(sum) : -Math.abs(sum);
    from = to;
  });
  return total / 1e6;
}

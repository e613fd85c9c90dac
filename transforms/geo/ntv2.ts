import { EtlError } from '../../schema/errors.ts';

/** Moves flat longitude, latitude pairs (degrees) in place. */
export type DatumShift = (coords: Float64Array) => void;

/** Bytes of a header record, of the two headers, and of a node. */
const RECORD = 16;
const HEADER = 11 * RECORD;
const NODE = 16;
const SECONDS = 3600;

/** One grid of a file. Edges and steps in seconds; longitudes count to the west, as in the format. */
interface SubGrid {
  south: number;
  north: number;
  east: number;
  west: number;
  lat_step: number;
  lon_step: number;
  columns: number;
  /** First byte of its nodes: from south to north, in each row from east to west. */
  at: number;
}

const broken = (file: string, why: string): EtlError =>
  new EtlError('bad_datum_grid', `${file} is no NTv2 grid from GDA94 to GDA2020: ${why}.`, {
    details: { file },
  });

function readGrids(view: DataView, file: string): { grids: SubGrid[]; isLittle: boolean } {
  if (view.byteLength < 2 * HEADER) throw broken(file, 'it is too short');
  const isLittle = view.getInt32(8, true) === 11;
  if (view.getInt32(8, isLittle) !== 11) throw broken(file, 'its header is another');
  const text = (at: number): string =>
    Array.from({ length: 8 }, (_, i) => String.fromCharCode(view.getUint8(at + i)))
      .join('')
      .trim();
  const number = (at: number): number => view.getFloat64(at, isLittle);
  const [unit, from, to] = [3, 5, 6].map((record) => text(record * RECORD + 8)) as [string, string, string];
  if (unit !== 'SECONDS') throw broken(file, `its unit is ${JSON.stringify(unit)}, not SECONDS`);
  if (!/^GDA_?(19)?94/i.test(from) || !/^GDA_?2020/i.test(to))
    throw broken(file, `it leads from ${from} to ${to}`);
  const grids: SubGrid[] = [];
  let at = HEADER;
  for (let recordsLeft = view.getInt32(2 * RECORD + 8, isLittle); recordsLeft > 0; recordsLeft--) {
    if (at + HEADER > view.byteLength) throw broken(file, 'it ends within a header');
    const value = (record: number): number => number(at + record * RECORD + 8);
    const [south, north, east, west] = [value(4), value(5), value(6), value(7)];
    const [lat_step, lon_step] = [value(8), value(9)];
    const columns = Math.round((west - east) / lon_step) + 1;
    const rows = Math.round((north - south) / lat_step) + 1;
    const nodes = view.getInt32(at + 10 * RECORD + 8, isLittle);
    if (!(rows > 1 && columns > 1 && rows * columns === nodes))
      throw broken(file, `a grid states ${nodes} nodes, and its edges make ${rows * columns}`);
    at += HEADER;
    if (at + nodes * NODE > view.byteLength) throw broken(file, 'it ends before its last node');
    grids.push({ south, north, east, west, lat_step, lon_step, columns, at });
    at += nodes * NODE;
  }
  if (grids.length === 0) throw broken(file, 'it has no grid');
  // A finer grid inside another one counts first.
  return { grids: grids.sort((a, b) => a.lat_step - b.lat_step), isLittle };
}

/**
 * Returns the shift of an NTv2 grid file (.gsb), interpolated between the four nodes around a point. Points outside its grids are moved by
 * `outside`. Source: NTv2 Developer's Guide; GDA2020 Technical Manual for the grids of the ICSM.
 * @throws EtlError bad_datum_grid if it is damaged or between other datums
 */
export function ntv2Shift(bytes: Uint8Array, file: string, outside: DatumShift): DatumShift {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { grids, isLittle } = readGrids(view, file);
  const one = new Float64Array(2);
  return (coords) => {
    for (let i = 0; i < coords.length; i += 2) {
      const west = -coords[i]! * SECONDS;
      const lat = coords[i + 1]! * SECONDS;
      const grid = grids.find((g) => west >= g.east && west < g.west && lat >= g.south && lat < g.north);
      if (grid === undefined) {
        one.set(coords.subarray(i, i + 2));
        outside(one);
        coords.set(one, i);
        continue;
      }
      const x = (west - grid.east) / grid.lon_step;
      const y = (lat - grid.south) / grid.lat_step;
      const [column, row] = [Math.floor(x), Math.floor(y)];
      const [fx, fy] = [x - column, y - row];
      const shift = (offset: number): number => {
        const node = (r: number, c: number): number =>
          view.getFloat32(grid.at + ((row + r) * grid.columns + column + c) * NODE + offset, isLittle);
        const south = node(0, 0) * (1 - fx) + node(0, 1) * fx;
        const north = node(1, 0) * (1 - fx) + node(1, 1) * fx;
        return south * (1 - fy) + north * fy;
      };
      coords[i] = coords[i]! - shift(4) / SECONDS;
      coords[i + 1] = coords[i + 1]! + shift(0) / SECONDS;
    }
  };
}

import type { Frame } from '../geography/frame.ts';
import type { Block, BlockUse } from '../geography/lot.ts';
import { rectangle, shapeArea, simple, toDegrees } from '../geography/shape.ts';
import type { SuburbLand } from '../geography/suburb.ts';
import type { StateTables } from '../gnaf/release.ts';
import type { StateRegions, SuburbRegions } from './regions.ts';
import type { AsgsWriter } from './writer.ts';

/** Mesh block category by the use of a block. */
export const MB_CATEGORY: Readonly<Record<BlockUse, string>> = {
  residential: 'Residential',
  dense: 'Residential',
  shops: 'Commercial',
  industrial: 'Industrial',
  park: 'Parkland',
  school: 'Education',
  rural: 'Primary Production',
};

/** Blocks of a column that make one SA1. */
const SA1_ROWS = 4;

/** The mesh blocks of a suburb by block. */
export interface SuburbMeshBlocks {
  readonly of: (col: number, row: number) => { readonly code: string; readonly sa1: string };
}

/** Writes the mesh blocks (one a block, to the road centre lines) and SA1s (four blocks of a column) of a suburb. */
export function writeMeshBlocks(
  asgs: AsgsWriter,
  codes: StateRegions,
  tables: StateTables,
  frame: Frame,
  land: SuburbLand,
  { chain }: SuburbRegions,
): SuburbMeshBlocks {
  const sa1s = new Map<string, { code: string; blocks: Block[] }>();
  const meshBlocks = new Map<number, { code: string; sa1: string }>();
  const areaOf = (x0: number, y0: number, x1: number, y1: number): number =>
    (shapeArea(simple(rectangle(x0, y0, x1, y1))) * frame.areaScale(x0, y0)) / 1e6;
  for (const block of land.blocks) {
    const { col, row, x0, y0, x1, y1 } = block;
    const key = `${col}/${Math.floor(row / SA1_ROWS)}`;
    const sa1 = sa1s.get(key) ?? { code: nextSa1(codes, chain.sa2.code), blocks: [] };
    sa1.blocks.push(block);
    sa1s.set(key, sa1);
    const code = chain.ste.code + String(codes.next('MB') * 10).padStart(10, '0');
    meshBlocks.set(col * 1000 + row, { code, sa1: sa1.code });
    const region = {
      level: 'MB' as const,
      code,
      name: '',
      area_sqkm: areaOf(x0, y0, x1, y1),
      chain,
      category: MB_CATEGORY[block.use],
      sa1: sa1.code,
    };
    asgs.write(toDegrees(frame, simple(rectangle(x0, y0, x1, y1))), region);
    tables.MB_2021.line(`MB21${code}|2021-07-01||${code}`);
  }
  for (const { code, blocks } of sa1s.values()) {
    const [{ x0, y0, x1 }, { y1 }] = [blocks[0]!, blocks.at(-1)!];
    const shape = simple(rectangle(x0, y0, x1, y1));
    asgs.write(toDegrees(frame, shape), {
      level: 'SA1',
      code,
      name: '',
      area_sqkm: areaOf(x0, y0, x1, y1),
      chain,
    });
  }
  return { of: (col, row) => meshBlocks.get(col * 1000 + row)! };
}

const nextSa1 = (codes: StateRegions, sa2: string): string =>
  sa2 + String(codes.next(`SA1 ${sa2}`)).padStart(2, '0');

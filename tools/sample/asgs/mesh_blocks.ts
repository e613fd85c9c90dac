import type { Frame } from '../geography/frame.ts';
import type { Block, BlockUse } from '../geography/lot.ts';
import { boxCentre, rectangle, type Shape, shapeArea, simple, toDegrees } from '../geography/shape.ts';
import type { SuburbLand } from '../geography/suburb.ts';
import type { StateTables } from '../gnaf/release.ts';
import type { Chain } from './fields.ts';
import type { StateRegions, SuburbRegions } from './regions.ts';
import type { AsgsWriter } from './writer.ts';

/** Mesh block category by the use of a block. */
const MB_CATEGORY: Readonly<Record<BlockUse, string>> = {
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

/** A mesh block and the SA1 above it. */
export interface MeshBlock {
  readonly code: string;
  readonly sa1: string;
}

/** The mesh blocks of a suburb by block. */
export interface SuburbMeshBlocks {
  readonly of: (col: number, row: number) => MeshBlock;
}

/** Writes the SAL of a suburb. */
export function writeSuburb(
  asgs: AsgsWriter,
  frame: Frame,
  shape: Shape,
  { sal, chain }: SuburbRegions,
): void {
  const { code, name } = sal;
  const area_sqkm = areaOf(frame, shape);
  asgs.write(toDegrees(frame, shape), { level: 'SAL', code, name, area_sqkm, chain: { ste: chain.ste } });
}

/** Writes the SA1 of a rural locality and a mesh block for each of its parcels; returns these in the same order. */
export function writeRuralMeshBlocks(
  asgs: AsgsWriter,
  codes: StateRegions,
  tables: StateTables,
  frame: Frame,
  outline: Shape,
  parcels: readonly Shape[],
  { chain }: SuburbRegions,
): MeshBlock[] {
  const sa1 = nextSa1(codes, chain.sa2.code);
  asgs.write(toDegrees(frame, outline), {
    level: 'SA1',
    code: sa1,
    name: '',
    area_sqkm: areaOf(frame, outline),
    chain,
  });
  return parcels.map((shape) =>
    writeMeshBlock(asgs, codes, tables, frame, shape, { chain, use: 'rural', sa1 }),
  );
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
  const meshBlocks = new Map<number, MeshBlock>();
  for (const block of land.blocks) {
    const { col, row, use } = block;
    const key = `${col}/${Math.floor(row / SA1_ROWS)}`;
    const sa1 = sa1s.get(key) ?? { code: nextSa1(codes, chain.sa2.code), blocks: [] };
    sa1.blocks.push(block);
    sa1s.set(key, sa1);
    const shape = simple(rectangle(block.x0, block.y0, block.x1, block.y1));
    const above = { chain, use, sa1: sa1.code };
    meshBlocks.set(col * 1000 + row, writeMeshBlock(asgs, codes, tables, frame, shape, above));
  }
  for (const { code, blocks } of sa1s.values()) {
    const [{ x0, y0, x1 }, { y1 }] = [blocks[0]!, blocks.at(-1)!];
    const shape = simple(rectangle(x0, y0, x1, y1));
    asgs.write(toDegrees(frame, shape), {
      level: 'SA1',
      code,
      name: '',
      area_sqkm: areaOf(frame, shape),
      chain,
    });
  }
  return { of: (col, row) => meshBlocks.get(col * 1000 + row)! };
}

function writeMeshBlock(
  asgs: AsgsWriter,
  codes: StateRegions,
  tables: StateTables,
  frame: Frame,
  shape: Shape,
  { chain, use, sa1 }: { chain: Chain; use: BlockUse; sa1: string },
): MeshBlock {
  const code = chain.ste.code + String(codes.next('MB') * 10).padStart(10, '0');
  const category = MB_CATEGORY[use];
  asgs.write(toDegrees(frame, shape), {
    level: 'MB',
    code,
    name: '',
    area_sqkm: areaOf(frame, shape),
    chain,
    category,
    sa1,
  });
  tables.MB_2021.line(`MB21${code}|2021-07-01||${code}`);
  return { code, sa1 };
}

const nextSa1 = (codes: StateRegions, sa2: string): string =>
  sa2 + String(codes.next(`SA1 ${sa2}`)).padStart(2, '0');

const areaOf = (frame: Frame, shape: Shape): number =>
  (shapeArea(shape) * frame.areaScale(...boxCentre(shape))) / 1e6;

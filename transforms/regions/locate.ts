import type { RegionLevel } from '../../schema/records/region.ts';

/** Fields that a located address takes from the main structure, finest first. */
export const CHAIN_FIELDS = [
  'sa1',
  'sa2',
  'sa2_name',
  'sa3',
  'sa3_name',
  'sa4',
  'sa4_name',
  'gccsa',
  'gccsa_name',
] as const;
type ChainField = (typeof CHAIN_FIELDS)[number];

/** Attributes of a region that a located address takes. */
export interface LocatingRegion extends Record<ChainField, string | null> {
  edition: number;
  year: number;
  level: string;
  code: string;
  name: string | null;
}

export type Location = Record<ChainField, string | null> & {
  mesh_block: string | null;
  sal: string | null;
  sal_name: string | null;
  lga: string | null;
  lga_name: string | null;
  poa: string | null;
  edition: number | null;
  method: 'mesh_block' | 'point' | 'none';
  agrees: boolean | null;
};

/** Main structure, finest first: the levels of the chain above an address. */
const MAIN: readonly RegionLevel[] = ['MB', 'SA1', 'SA2', 'SA3', 'SA4', 'GCCSA'];

/** Returns the ASGS edition of a boundary year: 2 for 2016, 3 from 2021, 4 from 2026. */
export function editionOfYear(year: number): number {
  return year >= 2026 ? 4 : year >= 2021 ? 3 : year >= 2016 ? 2 : 1;
}

/** Returns the newest region of a level; ties of year go to the lowest code, so that overlapping shapes give one result. */
function newest(regions: readonly LocatingRegion[], level: string, edition: number): LocatingRegion | null {
  let best: LocatingRegion | null = null;
  for (const region of regions) {
    if (region.level !== level || region.edition !== edition) continue;
    if (!best || region.year > best.year || (region.year === best.year && region.code < best.code))
      best = region;
  }
  return best;
}

/** Compares the codes of the finest level that both regions know. Null: no common level. */
function sameRegion(meshBlock: LocatingRegion, atPoint: LocatingRegion): boolean | null {
  if (atPoint.level === 'MB') return meshBlock.code === atPoint.code;
  for (const field of ['sa1', 'sa2', 'sa3', 'sa4', 'gccsa'] as const) {
    if (meshBlock[field] !== null && atPoint[field] !== null) return meshBlock[field] === atPoint[field];
  }
  return null;
}

/** Allocation of a mesh block to its region of one level. */
export type Allocated = Pick<LocatingRegion, 'edition' | 'year' | 'level' | 'code' | 'name'>;

/** Returns the allocations of the newest year of each level. */
function newestAllocations(allocated: readonly Allocated[], edition: number): Map<string, Allocated> {
  const byLevel = new Map<string, Allocated>();
  for (const row of allocated) {
    if (row.edition !== edition) continue;
    const existing = byLevel.get(row.level);
    if (!existing || row.year > existing.year) byLevel.set(row.level, row);
  }
  return byLevel;
}

/** Returns the mesh block as a region, from allocation files alone. Null: they do not have it. */
export function allocatedMeshBlock(
  code: string,
  edition: number,
  allocated: readonly Allocated[],
): LocatingRegion | null {
  const levels = newestAllocations(allocated, edition);
  const sa1 = levels.get('SA1');
  if (!sa1) return null;
  const codeOf = (level: string): string | null => levels.get(level)?.code ?? null;
  const nameOf = (level: string): string | null => levels.get(level)?.name ?? null;
  return {
    edition,
    year: sa1.year,
    level: 'MB',
    code,
    name: null,
    sa1: sa1.code,
    sa2: codeOf('SA2'),
    sa2_name: nameOf('SA2'),
    sa3: codeOf('SA3'),
    sa3_name: nameOf('SA3'),
    sa4: codeOf('SA4'),
    sa4_name: nameOf('SA4'),
    gccsa: codeOf('GCCSA'),
    gccsa_name: nameOf('GCCSA'),
  };
}

/**
 * Returns the regions of an address. Inputs: its mesh block (a region of level MB, or null), the regions that contain its point,
 * and that mesh block's allocations. The mesh block has priority; suburb, LGA and postal area are the allocated ones, else those at
 * the point.
 * Regions of different editions never mix: the edition is the mesh block's, else the newest at the point. Null fields: not located.
 */
export function locate(
  meshBlock: LocatingRegion | null,
  atPoint: readonly LocatingRegion[],
  allocated: readonly Allocated[] = [],
): Location {
  const edition = meshBlock?.edition ?? atPoint.reduce((max, region) => Math.max(max, region.edition), 0);
  const main = MAIN.map((level) => newest(atPoint, level, edition)).filter((region) => region !== null);
  const finest = main[0] ?? null;
  const chain = meshBlock ? [meshBlock] : main;
  const pick = (field: ChainField): string | null => {
    for (const region of chain) if (region[field] !== null) return region[field];
    return null;
  };
  const byMeshBlock = newestAllocations(meshBlock ? allocated : [], edition);
  const special = (level: string) => byMeshBlock.get(level) ?? newest(atPoint, level, edition);
  const sal = special('SAL');
  const lga = special('LGA');
  const poa = special('POA');
  const located = meshBlock !== null || finest !== null || sal !== null || lga !== null || poa !== null;
  const fields = Object.fromEntries(CHAIN_FIELDS.map((field) => [field, pick(field)])) as Record<
    ChainField,
    string | null
  >;
  // Keys come before the spread: an object that grows after one is ten times as slow to build.
  return {
    mesh_block: meshBlock?.code ?? (finest?.level === 'MB' ? finest.code : null),
    sal: sal?.code ?? null,
    sal_name: sal?.name ?? null,
    lga: lga?.code ?? null,
    lga_name: lga?.name ?? null,
    poa: poa?.code ?? null,
    edition: located ? edition : null,
    method: meshBlock ? 'mesh_block' : located ? 'point' : 'none',
    agrees: meshBlock && finest ? sameRegion(meshBlock, finest) : null,
    ...fields,
  };
}

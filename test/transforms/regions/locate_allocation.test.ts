import { describe, expect, it } from 'vitest';
import {
  type Allocated,
  allocatedMeshBlock,
  type LocatingRegion,
  locate,
} from '../../../transforms/regions/locate.ts';

const allocated = (level: string, code: string, year = 2021, name: string | null = null): Allocated => ({
  edition: 3,
  year,
  level,
  code,
  name,
});
const ROWS = [
  allocated('SA1', '20607114001'),
  allocated('SA2', '206071140', 2021, 'Collingwood'),
  allocated('SA3', '20607', 2021, 'Yarra'),
  allocated('SAL', '20575', 2021, 'Collingwood (Vic.)'),
  allocated('LGA', '27350', 2021, 'Yarra'),
  allocated('LGA', '27351', 2024, 'Yarra City'),
  { ...allocated('SAL', '99999'), edition: 4 },
];
const nothing = {
  sa1: null,
  sa2: null,
  sa2_name: null,
  sa3: null,
  sa3_name: null,
  sa4: null,
  sa4_name: null,
  gccsa: null,
  gccsa_name: null,
};
const atPoint: LocatingRegion[] = [
  { ...nothing, edition: 3, year: 2021, level: 'SAL', code: '20002', name: 'Abbotsford (Vic.)' },
  { ...nothing, edition: 3, year: 2021, level: 'POA', code: '3067', name: null },
];

describe('mesh-block allocation', () => {
  it('returns the regions of a mesh block that is missing from the boundaries', () => {
    const block = allocatedMeshBlock('20663970000', 3, ROWS)!;
    expect(block).toMatchObject({ level: 'MB', sa1: '20607114001', sa2_name: 'Collingwood', sa4: null });
    expect(allocatedMeshBlock('20663970000', 4, ROWS)).toBeNull();
    expect(allocatedMeshBlock('20663970000', 3, [])).toBeNull();
  });

  it('takes precedence over the point for suburb and LGA, and the point fills the rest', () => {
    const block = allocatedMeshBlock('20663970000', 3, ROWS);
    expect(locate(block, atPoint, ROWS)).toMatchObject({
      sal: '20575',
      sal_name: 'Collingwood (Vic.)',
      lga: '27351',
      poa: '3067',
      method: 'mesh_block',
    });
  });

  it('gives a home without coordinates its suburb and LGA', () => {
    const block = allocatedMeshBlock('20663970000', 3, ROWS);
    expect(locate(block, [], ROWS)).toMatchObject({ sal: '20575', lga: '27351', poa: null, agrees: null });
    expect(locate(block, [], [])).toMatchObject({ sa1: '20607114001', sal: null, lga: null });
  });

  it('is ignored without a mesh block', () => {
    expect(locate(null, atPoint, ROWS)).toMatchObject({ sal: '20002', lga: null, method: 'point' });
  });
});

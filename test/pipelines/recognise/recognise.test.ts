import { describe, expect, it } from 'vitest';
import type { Councils } from '../../../pipelines/recognise/councils.ts';
import { narrowedClaim, overlap } from '../../../pipelines/recognise/coverage_claim.ts';
import type { Extent } from '../../../pipelines/recognise/extent.ts';
import type { InspectedLayer } from '../../../pipelines/recognise/layer_view.ts';
import { proposeMaps } from '../../../pipelines/recognise/propose_map.ts';
import type { Recognised } from '../../../pipelines/recognise/recognised.ts';
import { missingNeeds } from '../../../pipelines/recognise/roles.ts';

/** A layer of `looked` polygons, with columns by what makes their values. */
function layer(
  file: string,
  median_sqm: number,
  columns: Readonly<Record<string, (row: number) => string>>,
  looked = 100,
): InspectedLayer {
  const valuesOf = (of: (row: number) => string): Map<string, number> => {
    const values = new Map<string, number>();
    for (let row = 0; row < looked; row++) values.set(of(row), (values.get(of(row)) ?? 0) + 1);
    return values;
  };
  return {
    file,
    crs: 'EPSG:7844',
    names_datum: true,
    families: ['polygon'],
    looked,
    columns: Object.entries(columns).map(([name, of]) => ({ name, values: valuesOf(of) })),
    states: ['VIC'],
    median_sqm,
  };
}

const codes = ['GRZ1', 'NRZ1', 'C1Z', 'MUZ'];
const zone = (row: number): string => codes[row % codes.length]!;
const number = (row: number): string => String(row + 1);
const told = (of: InspectedLayer): [string[], string | undefined] => {
  const { proposals, second } = proposeMaps(of);
  return [proposals.map(({ adapter }) => adapter), second?.adapter];
};

describe('the proposed adapter of a layer', () => {
  it('is cadastre for parcels that carry a zone code, with zoning second', () => {
    const parcels = layer('council_parcels.shp', 300, {
      id_stock: number,
      address: (row) => `${row} High Street`,
      lot_size: (row) => `${200 + row}.5`,
      zone_code: zone,
    });
    expect(told(parcels)).toEqual([['cadastre'], 'zoning']);
    expect(proposeMaps(parcels).proposals[0]!.options).toEqual({
      state: 'VIC',
      field_map: { parcel_id: 'id_stock', lot_plan: null },
    });
    // Without a telling name the facts of a parcel say it.
    expect(told({ ...parcels, file: 'extract.shp' })).toEqual([['cadastre'], 'zoning']);
  });

  it('is zoning for zones of any size', () => {
    const columns = { PFI: number, ZONE_CODE: zone, ZONE_DESC: zone, ZONE_STATUS: () => 'g' };
    expect(told(layer('PLAN_ZONE.shp', 60_000, columns))).toEqual([['zoning'], undefined]);
    expect(told(layer('PLAN_ZONE.shp', 900, columns))).toEqual([['zoning'], undefined]);
  });

  it('is never cadastre for rows without an identifier', () => {
    const { second } = proposeMaps(layer('parcels.shp', 300, { zone_code: zone }));
    expect(second).toBeNull();
  });

  it('is absent for large polygons without the columns of a parcel', () => {
    expect(told(layer('parcels.shp', 400_000, { id: number, owner: zone }))).toEqual([[], undefined]);
  });
});

type Box = Extent['box'];

/** Features of a box, in a grid of 10 by 10, each with the council that it states. */
const extent = (box: Box, council: (row: number) => string | null = () => null, sqm = 1e10): Extent => {
  const [west, south, east, north] = box;
  const [width, height] = [(east - west) / 10, (north - south) / 10];
  const features = Array.from({ length: 100 }, (_, i) => {
    const [x, y] = [west + (i % 10) * width, south + Math.floor(i / 10) * height];
    return { box: [x, y, x + width, y + height] as const, council: council(i), sqm };
  });
  return { features, box };
};

/** Two councils beside each other. */
const WEST = { code: '24130', name: 'West', box: [144, -38, 145, -37] as const };
const EAST = { code: '24140', name: 'East', box: [145, -38, 146, -37] as const };
const COUNCILS: Councils = { at: (lon) => (lon < 144 || lon > 146 ? null : lon < 145 ? WEST : EAST) };

describe('the coverage that a dataset may claim', () => {
  const claim = (...[box, council, sqm]: Parameters<typeof extent>) => ({
    with: narrowedClaim('hazards', 'VIC', extent(box, council, sqm), COUNCILS),
    without: narrowedClaim('hazards', 'VIC', extent(box, council, sqm), null),
  });

  it('is the state if its features reach across it', () => {
    expect(narrowedClaim('hazards', 'VIC', extent([141, -39, 149.9, -34]), null)).toBeNull();
  });

  it('is the only council that its features state: by its ABS code, else the council that they are in', () => {
    const sparse: Box = [144.2, -37.9, 144.5, -37.6];
    expect(claim(sparse, () => '24130').without!.coverage).toEqual({ lga: ['24130'] });
    expect(claim(sparse, () => '339').with!.coverage).toEqual({ lga: ['24130'] });
    expect(claim(sparse, () => '339').without).toMatchObject({ coverage: 'none', isOpen: true });
    expect(claim(sparse, () => '339').without!.note).toMatch(/^Which councils .* state 339\. Set coverage/);
    // A code of another state is no code of this one.
    expect(claim(sparse, () => '10050').without!.coverage).toBe('none');
  });

  it('is each council that its features cover, not all that their box touches', () => {
    const across: Box = [144, -38, 145.4, -37];
    const council = (row: number): string => (row % 10 < 7 ? 'WEST' : 'EAST');
    expect(claim(across, council).with!.coverage).toEqual({ lga: ['24130'] });
    expect(claim(across, council).without!.coverage).toBe('none');
    expect(claim(across).with!.coverage).toEqual({ lga: ['24130'] });
    expect(claim([144, -38, 146, -37]).with!.coverage).toEqual({ lga: ['24130', '24140'] });
  });

  it('is a question if no council is known, never the box of its features', () => {
    expect(claim([144.3, -37.7, 145.4, -37.2]).with).toMatchObject({ coverage: 'none', isOpen: true });
    expect(claim([144, -38, 146, -37]).without).toMatchObject({ coverage: 'none', isOpen: true });
  });

  it('is nothing if its features have no extent, or zones leave most of it blank', () => {
    expect(narrowedClaim('hazards', 'SA', extent([139, -35, 139, -34]), null)!.coverage).toBe('none');
    const blank = extent([138.5, -35, 138.7, -34.8], undefined, 1e4);
    expect(narrowedClaim('zoning', 'SA', blank, null)).toMatchObject({ coverage: 'none', isOpen: false });
  });

  it('excludes areas whose boxes only touch', () => {
    expect(overlap([144, -38, 145, -37], [145, -38, 146, -37])).toBe(false);
    expect(overlap([144, -38, 145, -37], [144.1, -37.9, 144.9, -37.1])).toBe(true);
  });
});

describe('the datasets that a country needs', () => {
  const dataset = (adapter: string, options = {}, question: string | null = null): Recognised =>
    ({ id: adapter, adapter, options, question }) as unknown as Recognised;

  it('are reported if they are missing or undecided', () => {
    const datasets = [
      dataset('gnaf'),
      dataset('cadastre', { state: 'TAS' }, 'Which is it?'),
      dataset('gtfs'),
    ];
    expect(missingNeeds(datasets)).toContain(
      'no cadastre: no land area, no neighbours, hazards from the point; a question on it is open',
    );
    expect(missingNeeds(datasets)).not.toContain('no public transport');
  });
});

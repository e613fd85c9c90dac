import { describe, expect, it } from 'vitest';
import { narrowedClaim, overlap } from '../../../pipelines/recognise/coverage_claim.ts';
import type { Extent } from '../../../pipelines/recognise/extent.ts';
import type { InspectedLayer } from '../../../pipelines/recognise/layer_view.ts';
import { proposeMaps } from '../../../pipelines/recognise/propose_map.ts';
import type { Recognised } from '../../../pipelines/recognise/recognise.ts';
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

describe('what a layer is', () => {
  it('parcels that carry the code of their zone are a cadastre, and zones are the second guess', () => {
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

  it('zones are zones, however small they are', () => {
    const columns = { PFI: number, ZONE_CODE: zone, ZONE_DESC: zone, ZONE_STATUS: () => 'g' };
    expect(told(layer('PLAN_ZONE.shp', 60_000, columns))).toEqual([['zoning'], undefined]);
    expect(told(layer('PLAN_ZONE.shp', 900, columns))).toEqual([['zoning'], undefined]);
  });

  it('rows that nothing names are no parcels', () => {
    const { second } = proposeMaps(layer('parcels.shp', 300, { zone_code: zone }));
    expect(second).toBeNull();
  });

  it('paddocks without the columns of a parcel are none', () => {
    expect(told(layer('parcels.shp', 400_000, { id: number, owner: zone }))).toEqual([[], undefined]);
  });
});

const extent = (whole: Extent['whole'], middle = whole, polygons_sqm = 1e12): Extent => ({
  features: 100,
  whole,
  middle,
  polygons_sqm,
});

describe('what a dataset may claim to cover', () => {
  it('the state, where its features reach across it', () => {
    expect(narrowedClaim('hazards', 'VIC', extent([141, -39, 149.9, -34]))).toBeNull();
  });

  it('the box of the middle of its features, where they do not', () => {
    const claim = narrowedClaim(
      'zoning',
      'VIC',
      extent([144.88, -37.9, 145.14, -37.68], [144.96, -37.84, 145.04, -37.77]),
    );
    expect(claim!.coverage).toEqual({ bbox: [144.96, -37.84, 145.04, -37.77] });
  });

  it('nothing, where a few features make no box, or zones leave most of it blank', () => {
    expect(
      narrowedClaim('hazards', 'SA', extent([139, -35, 140, -34], [139.2, -35, 139.2, -35]))!.coverage,
    ).toBe('none');
    expect(narrowedClaim('zoning', 'SA', extent([138.5, -35, 138.7, -34.8], undefined, 1e6))!.coverage).toBe(
      'none',
    );
  });

  it('takes boxes that touch for neighbours', () => {
    expect(overlap([144, -38, 145, -37], [145, -38, 146, -37])).toBe(false);
    expect(overlap([144, -38, 145, -37], [144.1, -37.9, 144.9, -37.1])).toBe(true);
  });
});

describe('what a country needs', () => {
  const dataset = (adapter: string, options = {}, question: string | null = null): Recognised =>
    ({ id: adapter, adapter, options, question }) as unknown as Recognised;

  it('is said where it is not there, or where nobody decided', () => {
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

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { viewFiles } from '../../../pipelines/recognise/file_view.ts';
import { type ReleaseFolder, releaseFolder } from '../../sources/release_folder.ts';

// Other layers of the publishers whose deliveries inspect_states.test.ts has, in rows that are made up.

let folder: ReleaseFolder;
beforeEach(async () => {
  folder = await releaseFolder();
});
afterEach(() => folder.remove());

const PLACES = { NSW: [150.9, -33.8], QLD: [153, -27.6], TAS: [147.3, -42.8], WA: [115.86, -32.5] } as const;

/** What is proposed for rows of a state: adapter, layer and map, the likeliest first. */
async function proposed(
  state: keyof typeof PLACES,
  name: string,
  rows: readonly Record<string, unknown>[],
): Promise<string[]> {
  const [x, y] = PLACES[state];
  const ring = [
    [x, y],
    [x + 0.001, y],
    [x + 0.001, y + 0.001],
    [x, y],
  ];
  const features = rows.map((properties) => ({
    type: 'Feature',
    properties,
    geometry: { type: 'Polygon', coordinates: [ring] },
  }));
  const path = await folder.write(`${name}.geojson`, JSON.stringify({ type: 'FeatureCollection', features }));
  const [view] = await viewFiles([path]);
  return view!.proposals.map(({ adapter, options: { layer, field_map } }) =>
    [adapter, layer, field_map].filter((text) => text !== undefined).join(' '),
  );
}

describe('inspect of other layers of the states', () => {
  it('Tasmania: code overlays are overlays, and the hazards that their codes name', async () => {
    const rows = ['Landslip Hazard Code', 'Natural Assets Code', 'Local Historical Heritage Code'].map(
      (CODE) => ({
        LPS: 'Hobart',
        CODE,
        OV_NAME: 'Medium landslip hazard band',
        OV_CAT: 'Medium',
        OV_ABB: '114.15.2',
      }),
    );
    expect((await proposed('TAS', 'TPS_CODE_OVERLAYS', rows)).sort()).toEqual([
      'hazards heritage tas_heritage',
      'hazards landslide tas_landslide',
      'overlays tas',
    ]);
  });

  it('Queensland: places that are drawn on parcels are no cadastre, and zones on lots are zones', async () => {
    const lot = {
      LOT: '1',
      PLAN: 'RP1',
      LOTPLAN: '1RP1',
      PARCEL_TYP: 'Lot Type Parcel',
      COVER_TYP: 'Base',
      TENURE: 'FH',
    };
    const heritage = [{ ...lot, Site_Name: 'Old house', LAYER_NAME: 'Local heritage' }];
    expect(await proposed('QLD', 'LocalHeritagePlaces', heritage)).toEqual(['hazards heritage qld_heritage']);
    expect(await proposed('QLD', 'DCDB', [lot])).toEqual(['cadastre qld']);
    const zones = ['Rural', 'Emerging community'].map((ZONE) => ({
      PLAN_LOT: 'RP1/1',
      ZONE,
      Zone_Precincts: null,
    }));
    expect(await proposed('QLD', 'layer', zones)).toEqual(['zoning qld']);
  });

  it('Western Australia: the products of a state by their columns', async () => {
    const flood = [{ ext_type: 'Floodway', status: 'Active', ufi: 7 }];
    expect(await proposed('WA', 'Floodway', flood)).toEqual(['hazards flood wa_flood']);
    const scheme = [{ rs_code: '8', descriptio: 'Urban', rs_class: 'Zone', reg_scheme: 'PRS' }];
    expect(await proposed('WA', 'Urban_17', scheme)).toEqual(['zoning wa_region']);
    const soils = [{ riskclass: '1', risk_categ: 'High to moderate risk', natcode: 1 }];
    expect(await proposed('WA', 'AcidSulfateSoilRisk_12', soils)).toEqual([
      'hazards environment wa_environment',
    ]);
  });

  it('NSW: height layers without numbers are not proposed as zones', async () => {
    const rows = [{ LAY_CLASS: 'Area A', SYM_CODE: 'A' }];
    expect(await proposed('NSW', 'EPI_Height_of_Buildings_Additional', rows)).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { ZONE_CATEGORIES } from '../../../schema/records/zone.ts';
import { titleCase } from '../../../sources/fields/title_case.ts';
import { ZONE_SCHEMES, zoneCategory } from '../../../sources/zoning/categories.ts';

describe('zone categories', () => {
  it.each([
    ['vic', 'NRZ1', null, 'residential_low'],
    ['vic', 'GRZ12', null, 'residential_low'],
    ['vic', 'RGZ', null, 'residential_medium_high'],
    ['vic', 'C1Z', null, 'centre_mixed'],
    ['vic', 'ACZ1', null, 'centre_mixed'],
    ['vic', 'IN1Z', null, 'industrial'],
    ['vic', 'IN3Z', null, 'industrial'],
    ['vic', 'PUZ7', null, 'infrastructure'],
    ['vic', 'RDZ1', null, 'infrastructure'],
    ['vic', 'PZ', null, 'infrastructure'],
    ['vic', 'PDZ1', null, 'centre_mixed'],
    ['vic', 'PPRZ', null, 'open_space'],
    ['vic', 'ufz', null, 'water'],
    ['vic', 'CA', null, 'other'],
    ['vic', 'SUZ5-2', null, 'other'],
    ['vic', 'GRZX', null, null],
    ['vic', 'HO12', null, null],
    ['vic', 'CAX', null, null],
    ['vic', '', null, null],
    ['vic', null, null, null],
    [null, 'NRZ1', null, null],
    ['nsw', 'E1', 'Local Centre', 'centre_mixed'],
    ['nsw', 'E1', 'National Parks and Nature Reserves', 'conservation'],
    ['nsw', 'E4', 'Environmental Living', 'conservation'],
    ['nsw', 'E4', 'General Industrial', 'industrial'],
    ['nsw', 'B4', 'Mixed Use', 'centre_mixed'],
    ['nsw', 'C2', 'Environmental Conservation', 'conservation'],
    ['nsw', 'W1', 'Natural Waterways', 'water'],
    ['tas', 'General Residential', null, 'residential_low'],
    ['tas', 'Rural Living', null, 'residential_low'],
    ['tas', 'Rural', null, 'rural'],
    ['act', 'RZ1', null, 'residential_low'],
    ['act', 'CFZ', null, 'infrastructure'],
    ['sa', 'Hills Face', null, 'conservation'],
    ['sa', 'Z1', 'Urban Corridor (Boulevard) Zone', 'centre_mixed'],
    ['sa', 'UC(B)', 'Urban Corridor (Boulevard)', 'centre_mixed'],
    ['sa', 'SN', 'Suburban Neighbourhood Zone', 'residential_low'],
    ['tas', '8', 'General Residential', 'residential_low'],
    ['qld', 'LMR2', 'Low–medium density residential (2 storey mix)', 'residential_medium_high'],
    ['qld', 'LDR', 'LOW DENSITY RESIDENTIAL ZONE', 'residential_low'],
    ['qld', null, 'Rural residential', 'residential_low'],
    ['qld', 'RU', 'Rural', 'rural'],
    ['qld', 'LDR', null, null],
    ['qld', 'EC', 'Emerging communities of the north', null],
    ['wa', 'R', 'Public open space', 'open_space'],
    ['wa', null, 'Local road', 'infrastructure'],
  ] as const)('%s %s (%s) is %s', (scheme, code, className, wanted) => {
    expect(zoneCategory(scheme, code, className)).toBe(wanted);
  });

  it('lists every base once, in a known category', () => {
    for (const [name, scheme] of Object.entries(ZONE_SCHEMES)) {
      const bases = Object.values(scheme).flat();
      expect(new Set(bases).size, name).toBe(bases.length);
      for (const category of Object.keys(scheme)) expect(ZONE_CATEGORIES).toContain(category);
    }
  });
});

describe('titleCase', () => {
  it.each([
    ['GENERAL RESIDENTIAL ZONE - SCHEDULE 1', 'General Residential Zone - Schedule 1'],
    ['PUBLIC USE ZONE - CEMETERY/CREMATORIUM', 'Public Use Zone - Cemetery/Crematorium'],
    ['PUBLIC PARK AND RECREATION ZONE', 'Public Park and Recreation Zone'],
    [
      'COMMONWEALTH LAND NOT CONTROLLED BY PLANNING SCHEME',
      'Commonwealth Land not Controlled by Planning Scheme',
    ],
    ['HERITAGE OVERLAY (HO2008)', 'Heritage Overlay (HO2008)'],
    ['  A   NON-URBAN  ZONE ', 'A Non-Urban Zone'],
    ["KING'S CROSS", "King's Cross"],
    ['Low Density Residential', 'Low Density Residential'],
    ['', ''],
  ])('%s', (text, wanted) => {
    expect(titleCase(text)).toBe(wanted);
    expect(titleCase(wanted)).toBe(wanted);
  });
});

import { expect, it } from 'vitest';
import { CADASTRE_FIELD_MAPS } from '../../../sources/cadastre/field_maps.ts';
import { HAZARD_FIELD_MAPS } from '../../../sources/hazards/field_maps.ts';
import { OVERLAY_FIELD_MAPS } from '../../../sources/overlays/field_maps.ts';
import { ZONING_FIELD_MAPS } from '../../../sources/zoning/field_maps.ts';
import { SEEN } from '../../../tools/scripts/field_maps_seen.ts';

it.each([
  ['cadastre', CADASTRE_FIELD_MAPS],
  ['zoning', ZONING_FIELD_MAPS],
  ['overlays', OVERLAY_FIELD_MAPS],
  ['hazards', HAZARD_FIELD_MAPS],
] as const)('of every map of %s it is said what it was held against', (kind, maps) => {
  expect(Object.keys(SEEN[kind]).sort()).toEqual(Object.keys(maps).sort());
});

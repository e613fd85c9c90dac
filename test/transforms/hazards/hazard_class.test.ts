import { expect, it } from 'vitest';
import { hazardClass } from '../../../transforms/hazards/hazard_class.ts';

it.each([
  ['Heritage Overlay (HO330)', 'Heritage Overlay'],
  ['Land Subject to Inundation Overlay - Schedule 1', 'Land Subject to Inundation Overlay'],
  ['Special Building Overlay – Schedule 2 (Area 3)', 'Special Building Overlay'],
  ['Hazards (Bushfire - High Risk)', 'Hazards (Bushfire - High Risk)'],
  ['Item - General', 'Item - General'],
  ['Transmission Line, 220 kV', 'Transmission Line, 220 kV'],
  ['1 in 100 AEP Flood Extent', '1 in 100 AEP Flood Extent'],
  ['(HO330)', '(HO330)'],
])('the class of %s is %s', (name, expected) => {
  expect(hazardClass(name)).toBe(expected);
});

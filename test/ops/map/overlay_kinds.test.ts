import { expect, it } from 'vitest';
import { overlayKind } from '../../../ops/map/overlay_kinds.ts';

it.each([
  ['Heritage Overlay', 'heritage'],
  ['Land Subject to Inundation Overlay', 'flood'],
  ['Special Building Overlay: flooding', 'flood'],
  ['Bushfire Management Overlay', 'bushfire'],
  ['Environmental Audit Overlay', 'contamination'],
  ['Environmental Significance Overlay', 'environment'],
  ['Vegetation Protection Overlay', 'environment'],
  ['Design and Development Overlay', 'design'],
  ['Height of Buildings', 'design'],
  ['Public Acquisition Overlay', 'infrastructure'],
  ['Specific Controls Overlay', 'other'],
])('%s has the colour of %s', (layer, kind) => {
  expect(overlayKind(layer)).toBe(kind);
});

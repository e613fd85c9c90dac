import { EtlError } from '../../../schema/errors.ts';
import { ArcError, decodeAnyWkb } from '../../../transforms/geo/wkb.ts';
import type { Problem } from '../feature.ts';
import { type BadGeometry, type RawGeometry, rawOf } from './plain_features.ts';

/** Bytes of the envelope by its code in the flags. */
const ENVELOPE_BYTES = [0, 32, 48, 48, 64];

/** Decodes a WKB geometry; null: empty. Arcs are a problem `unsupported_geometry`, damage is `bad_shape`. */
export function geometryOfWkb(bytes: Uint8Array): RawGeometry | BadGeometry | null {
  try {
    return rawOf(decodeAnyWkb(bytes));
  } catch (error) {
    if (error instanceof ArcError)
      return { code: 'unsupported_geometry', message: error.message, corners: error.corners };
    if (!(error instanceof EtlError)) throw error;
    return { code: 'bad_shape', message: error.message.replace(/ Load the feature again.*$/, '') };
  }
}

/** Decodes the geometry of a GeoPackage blob: its own header before the WKB. Null: null or empty. Any defect is `bad_shape`. */
export function geometryOfBlob(value: unknown): RawGeometry | BadGeometry | null {
  if (value === null || value === undefined) return null;
  const bad = (message: string): Problem => ({ code: 'bad_shape', message });
  if (!(value instanceof Uint8Array) || value.length < 8) return bad('the geometry is no GeoPackage blob');
  if (value[0] !== 0x47 || value[1] !== 0x50) return bad('the geometry does not start with GP');
  const flags = value[3]!;
  const envelope = ENVELOPE_BYTES[(flags >> 1) & 7];
  if (envelope === undefined || value.length < 8 + envelope)
    return bad('the envelope of the geometry is cut off');
  if (flags & 0x20) return bad('the geometry is of an extended type');
  if (flags & 0x10) return null;
  return geometryOfWkb(value.subarray(8 + envelope));
}

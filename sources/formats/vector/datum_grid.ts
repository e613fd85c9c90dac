import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Crs, toGda2020 } from '../../../transforms/geo/crs.ts';
import { gda94ToGda2020 } from '../../../transforms/geo/datum.ts';
import { type DatumShift, ntv2Shift } from '../../../transforms/geo/ntv2.ts';

/** A file and the digest of its content. */
export interface DatumGrid {
  path: string;
  sha256: string;
}

/** Grids that this thread has read, by digest: a national grid has 80 MB. */
const grids = new Map<string, DatumShift>();

/** Returns the shift from GDA94 of a grid file, which is read once in a thread. */
function shiftOfGrid({ path, sha256 }: DatumGrid): DatumShift {
  const cached = grids.get(sha256);
  if (cached !== undefined) return cached;
  const shift = ntv2Shift(readFileSync(path), basename(path), gda94ToGda2020);
  grids.set(sha256, shift);
  return shift;
}

/** Returns `toGda2020` of a CRS, by the datum grid of the configuration if there is one and the CRS is on GDA94. @throws EtlError bad_datum_grid */
export const toGda2020ByGrid = (crs: Crs, grid: DatumGrid | undefined): DatumShift =>
  toGda2020(crs, crs.datum === 'GDA94' && grid !== undefined ? shiftOfGrid(grid) : gda94ToGda2020);

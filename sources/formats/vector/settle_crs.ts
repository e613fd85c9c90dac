import { EtlError } from '../../../schema/errors.ts';
import { recogniseCrs } from '../../../transforms/geo/crs.ts';

export interface SettledCrs {
  /** Text for recogniseCrs. */
  readonly text: string;
  /** `EPSG:n`. */
  readonly applied: string;
  /** `EPSG:n`, or the start of an unrecognised text; null: the file states none. */
  readonly stated: string | null;
  /** True: the file names no Australian datum, and GDA2020 is assumed. */
  readonly assumed: boolean;
}

/** Returns the warning for files that state WGS 84. */
export const assumedDatum = (crsName: string): string =>
  `its files state ${crsName}, which names no Australian datum, so GDA2020 is assumed. If the publisher works in GDA94, every feature is 1.4 to 1.8 m off, enough to land on the wrong parcel. Set crs of the dataset: EPSG:4283 for GDA94, EPSG:7844 for GDA2020.`;

/**
 * Decides the CRS of a file: the configured one overrides the stated one, and every disagreement becomes a sentence in `notes`. EtlError
 * `missing_crs` if there is neither, `unknown_crs`.
 */
export function settleCrs(
  crsName: string | null,
  configured: string | null,
  file: string,
  notes: string[],
): SettledCrs {
  if (configured !== null) {
    const applied = recogniseCrs(configured, 'the configured crs');
    const name = statedName(crsName, file);
    if (name !== applied.id) {
      notes.push(`CRS of ${file}: the file states ${name ?? 'none'}; the configured ${applied.id} applies.`);
    }
    return { text: configured, applied: applied.id, stated: name, assumed: false };
  }
  if (crsName === null) {
    const what = /\.shp$/i.test(file) ? 'there is no .prj' : 'the file does not state it';
    throw new EtlError(
      'missing_crs',
      `${file}: ${what}, so its CRS is unknown. Deliver the .prj, or set crs of the dataset, for example EPSG:7844.`,
      { details: { file } },
    );
  }
  const crs = recogniseCrs(crsName, file);
  return { text: crsName, applied: crs.id, stated: crs.id, assumed: crs.datum === 'WGS84' };
}

/** Returns the stated CRS for the report; an unrecognised text is quoted. */
function statedName(crsName: string | null, file: string): string | null {
  if (crsName === null) return null;
  try {
    return recogniseCrs(crsName, file).id;
  } catch {
    return JSON.stringify(crsName.trim().slice(0, 60));
  }
}

import { EtlError } from '../../schema/errors.ts';
import { recogniseCrs } from '../../transforms/geo/crs.ts';

/** The CRS of one file. */
export interface SettledCrs {
  /** Text to recognise it by. */
  readonly text: string;
  /** `EPSG:n`. */
  readonly applied: string;
  /** `EPSG:n`, or the start of a text that is not recognised; null: the file states none. */
  readonly stated: string | null;
}

/**
 * CRS of a file: the configured one wins over the stated one, and every disagreement is a sentence in `notes`.
 * EtlError `missing_crs` where neither is there, `unknown_crs`.
 */
export function settleCrs(
  stated: string | null,
  configured: string | null,
  file: string,
  notes: string[],
): SettledCrs {
  if (configured !== null) {
    const applied = recogniseCrs(configured, 'the configured crs');
    const name = statedName(stated, file);
    if (name !== applied.id) {
      notes.push(`CRS of ${file}: stated ${name ?? 'none'}, configured ${applied.id} is applied.`);
    }
    return { text: configured, applied: applied.id, stated: name };
  }
  if (stated === null) {
    const what = /\.shp$/i.test(file) ? 'there is no .prj' : 'the file does not state it';
    throw new EtlError(
      'missing_crs',
      `${file}: ${what}, so its CRS is not known. Deliver the .prj, or state the crs of the dataset, for example EPSG:7844.`,
      { details: { file } },
    );
  }
  const crs = recogniseCrs(stated, file);
  if (crs.datum === 'WGS84') notes.push(`CRS of ${file}: ${crs.id} (WGS84) is taken as GDA2020.`);
  return { text: stated, applied: crs.id, stated: crs.id };
}

/** What a file states, for the report; a text that is not recognised is quoted. */
function statedName(stated: string | null, file: string): string | null {
  if (stated === null) return null;
  try {
    return recogniseCrs(stated, file).id;
  } catch {
    return JSON.stringify(stated.trim().slice(0, 60));
  }
}

/** A code after a class, as in `Heritage Overlay (HO330)`; words in parentheses are part of the class. */
const CODE = /\s*\([A-Z]{1,6}-?\d[\w-]*\)$/i;
/** A schedule after a class, as in `Land Subject to Inundation Overlay - Schedule 1`. */
const SCHEDULE = /\s+[-–—]\s+schedule\s+\d.*$/i;

/** Returns the hazard class in a feature's name, without the code or schedule of the single feature. */
export function hazardClass(name: string): string {
  const short = name.replace(SCHEDULE, '').replace(CODE, '');
  return short === '' ? name : short;
}

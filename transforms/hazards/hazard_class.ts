/** A code behind a class, as in `Heritage Overlay (HO330)`; words in parentheses are part of the class. */
const CODE = /\s*\([A-Z]{1,6}-?\d[\w-]*\)$/i;
/** A schedule behind a class, as in `Land Subject to Inundation Overlay - Schedule 1`. */
const SCHEDULE = /\s+[-–—]\s+schedule\s+\d.*$/i;

/** The class of a hazard by the name of a feature: without the code or schedule that tells single features of a class apart. */
export function hazardClass(name: string): string {
  const short = name.replace(SCHEDULE, '').replace(CODE, '');
  return short === '' ? name : short;
}

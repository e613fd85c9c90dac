/** Text after a base code: nothing, or a schedule such as `1`, `12`, `5-2`, `-2`, `1A`. */
const SCHEDULE = /^(?:[-\s]?\d.*)?$/;

/**
 * Finds the base that a published code begins with, the longest of several (`MAEO` before `AEO`); the rest must be a schedule. Null: none.
 * The code is compared without case; bases are upper case. Source: Victoria Planning Provisions, `DDO5-2` is schedule 5-2 of the base DDO.
 */
export function familyOf(code: string, bases: Iterable<string>): string | null {
  const text = code.trim().toUpperCase();
  let family: string | null = null;
  for (const base of bases) {
    if (family !== null && base.length <= family.length) continue;
    if (text.startsWith(base) && SCHEDULE.test(text.slice(base.length))) family = base;
  }
  return family;
}

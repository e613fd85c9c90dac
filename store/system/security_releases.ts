/** Newest release with security fixes known to this program, by major version of PostgreSQL (November 2026). */
const NEWEST: Readonly<Record<number, number>> = { 14: 25, 15: 20, 16: 16, 17: 12, 18: 7 };

/** Returns the message for a server that lacks known security releases; null: it lacks none. `number`: `server_version_num`. */
export function missingReleases(number: number): string | null {
  const [major, minor] = [Math.floor(number / 10_000), number % 10_000];
  const newest = NEWEST[major];
  if (newest === undefined || minor >= newest) return null;
  return `PostgreSQL ${major}.${minor} lacks the security fixes up to ${major}.${newest}. Upgrade the server; SECURITY.md says what limits the exposure of the embedded one.`;
}

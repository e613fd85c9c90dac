import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';

/** Real data that stands beside the project and is not part of it. */
const ROOT = fileURLToPath(new URL('../../shared/data/', import.meta.url));

/** True where the real data is there; says so where it is not. */
export function hasSharedData(what: string): boolean {
  const there = existsSync(ROOT);
  if (!there) console.warn(`SKIPPED: ${what} needs ../shared/data, which is absent.`);
  return there;
}

export const sharedPath = (path: string): string => ROOT + path;

/** Rows of a CSV file of the real data. */
export function sharedCsv(path: string): Record<string, string>[] {
  return parse(readFileSync(ROOT + path), { columns: true, bom: true });
}
